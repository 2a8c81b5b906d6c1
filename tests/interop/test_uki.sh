#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mkuki.sh: what is in a unified kernel image, and what it refuses.  One boots in
# vm/test_uefi.sh.
. "${0%/*}/../tap.sh"
script=$PWD/boot/initramfs/mkuki.sh
words='root=nbd://192.0.2.1/a\b "c d"'

head -c 70001 /dev/urandom >"$work/a 'kernel\""
head -c 5001 /dev/urandom >"$work/microcode"
head -c 9000 /dev/urandom >"$work/initramfs"

# uki ARGUMENT...
uki()
{
	run sh "$script" "$@" "$work/uki.efi"
}

# holds SENTENCE SECTION FILE
holds()
{
	objcopy --dump-section "$2=$work/section" "$work/uki.efi" \
		"$work/other.efi" 2>"$work/err" || true
	check "$1" cmp "$work/section" "$3"
}

uki -c "$words" -i "$work/microcode" -i "$work/initramfs" -k "$work/a 'kernel\""
expect 0 ' bytes' 'a kernel, two archives and words'
printf '%s' "$words" >"$work/words"
holds 'it has the words' .cmdline "$work/words"
holds 'it has the kernel' .linux "$work/a 'kernel\""
{
	cat "$work/microcode"
	printf '\0\0\0'
	cat "$work/initramfs"
} >"$work/joined"
holds 'it has the archives, each at a multiple of four bytes' .initrd \
	"$work/joined"
cp "$work/uki.efi" "$work/first"
uki -c "$words" -i "$work/microcode" -i "$work/initramfs" -k "$work/a 'kernel\""
check 'the same bytes again' cmp "$work/first" "$work/uki.efi"
objdump -h "$work/uki.efi" | awk '$1 ~ /^[0-9]+$/ { print $4, $3, $2 }' \
	>"$work/sections"
end=0 overlaps='' last=''
while read -r address size name; do
	[ $((0x$address)) -ge "$end" ] || overlaps="$overlaps $name"
	end=$((0x$address + 0x$size)) last=$name
done <"$work/sections"
check "no section is above another, and the kernel is the last ($last)" \
	[ "$overlaps$last" = .linux ]

uki -i "$work/initramfs" -k "$work/a 'kernel\""
expect 0 ' bytes' 'one without words'
check 'it has no section for them' \
	[ ! "$(objdump -h "$work/uki.efi" | grep cmdline)" ]

# made VARIABLE=VALUE...: the words that make uki would give to both scripts
made()
{
	make -n -C "${0%/*}/../.." O="$O" uki "$@" >"$work/make" 2>"$work/err"
	sed -n '/^sh boot\/initramfs\/mk/,/[^\\]$/p' "$work/make" |
		sed 's/^sh boot/printf "<%s>\\n" boot/' >"$work/commands"
	sh "$work/commands" >"$work/got" 2>>"$work/err" || show "$work/err"
}

made CMDLINE="$words it's" ADD="it's, a dir" OUT="a 'b" KERNEL=6.9-test
printf '<%s>\n' boot/initramfs/mkinitramfs.sh -b "${O#"$PWD/"}/nbdboot" -k 6.9-test \
	-a "it's, a dir" "a 'b" boot/initramfs/mkuki.sh -k 6.9-test \
	-c "$words it's" -i "a 'b" "${O#"$PWD/"}/nbdboot-uki.efi" >"$work/want"
check 'make uki gives each value as one word, with quotes in it' \
	cmp "$work/want" "$work/got"

# ---- its mode ----

mode()
{
	stat -c %a "$work/uki.efi"
}

check 'all may read what all could read before' [ "$(mode)" = 644 ]
chmod 600 "$work/initramfs"
uki -i "$work/microcode" -i "$work/initramfs" -k "$work/a 'kernel\""
check 'only the owner may read it if it holds a private archive' \
	[ "$(mode)" = 600 ]
chmod 644 "$work/initramfs"

# ---- a full disk, such as the small one of a firmware ----

mkdir "$work/small"
# shellcheck disable=SC2016 # expanded by the inner shell
run unshare -m sh -c 'mount -t tmpfs -o size=64k small "$0" && cd "$0" &&
	echo old >a.efi && ! "$@" "$0/a.efi" && ls -x && exec cat a.efi' \
	"$work/small" sh "$script" -k "$work/a 'kernel\""
expect 0 'a.efi cannot be written' 'a disk that is full is reported'
check 'and the image that was there stays, alone' \
	[ "$(tr '\n' ' ' <"$work/out")" = 'a.efi old ' ]
run sh "$script" -k "$work/a 'kernel\"" "$work/small"
expect 1 'small cannot be written' 'a directory in place of the file is refused'

# ---- what is refused: nothing is written ----

rm "$work/uki.efi"
uki -k "$work/none"
expect 1 'none: no such file' 'a kernel that is not there'
uki -k 6.9-test
expect 1 '/boot/vmlinuz-6.9-test: no such file' 'a version without a kernel'
uki -k "$work/a 'kernel\"" -i "$work/none"
expect 1 'none: no such file' 'an archive that is not there'
uki -k "$work/a 'kernel\"" -s "$work/none"
expect 1 'systemd-boot-efi' 'a stub that is not there'
uki -k "$work/a 'kernel\"" -s "$work/initramfs"
expect 1 'not a program for UEFI' 'a stub that is none'
uki -k "$work/a 'kernel\"" -o nobody-objcopy
expect 1 'nobody-objcopy is missing' 'an objcopy that is not there'
uki -k
expect 2 'usage: mkuki.sh' 'an option without its value'
uki -k "$work/a 'kernel\"" "$work/more"
expect 2 'usage: mkuki.sh' 'a second file'
check 'none of them wrote the file' [ ! -e "$work/uki.efi" ]
finish
