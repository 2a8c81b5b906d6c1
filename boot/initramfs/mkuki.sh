#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Joins a kernel, initramfs archives and a command line to one program for UEFI
# firmware, a unified kernel image.
set -eu

usage()
{
	cat <<'END'
usage: mkuki.sh [-c WORDS] [-i INITRAMFS]... [-k KERNEL] [-o OBJCOPY]
                [-s STUB] FILE

Writes FILE, a unified kernel image (UKI), which firmware starts as a program.
It is not signed: sbsign(1) does that.  The same inputs give the same bytes.
Only its owner can read FILE if one of the archives cannot be read by all.

  -c WORDS      the kernel command line; without it that of the loader counts
  -i INITRAMFS  repeated, the kernel unpacks one after the other: microcode
                comes first
  -k KERNEL     the image of a kernel, or the version of an installed one
                (default: the version of the running kernel)
  -o OBJCOPY    that of another CPU, for example aarch64-linux-gnu-objcopy
  -s STUB       the program of systemd that unpacks FILE in firmware (default:
                linuxx64.efi.stub of Debian's package systemd-boot-efi)
END
}

die()
{
	printf '%s\n' "mkuki: $*" >&2
	exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
: >"$work/initrd"

kernel=$(uname -r) objcopy=objcopy mask=022
stub=/usr/lib/systemd/boot/efi/linuxx64.efi.stub
while getopts c:i:k:o:s:h opt; do
	case $opt in
	c) printf '%s' "$OPTARG" >"$work/cmdline" ;;
	i)
		[ -s "$OPTARG" ] || die "-i $OPTARG: no such file, or empty"
		cat "$OPTARG" >>"$work/initrd"
		# each archive begins at a multiple of four bytes
		truncate -s %4 "$work/initrd"
		# the keys in it stay as private as they are
		[ ! "$(find -L "$OPTARG" ! -perm -044)" ] || mask=077
		;;
	k) kernel=$OPTARG ;;
	o) objcopy=$OPTARG ;;
	s) stub=$OPTARG ;;
	h)
		usage
		exit 0
		;;
	*)
		usage >&2
		exit 2
		;;
	esac
done
shift $((OPTIND - 1))
if [ $# != 1 ]; then
	usage >&2
	exit 2
fi
out=$1

case $kernel in
*/*) ;;
*)
	version=$kernel
	kernel=/boot/vmlinuz-$version
	# in a system whose /boot another tool fills
	[ -s "$kernel" ] || [ ! -s "/lib/modules/$version/vmlinuz" ] ||
		kernel=/lib/modules/$version/vmlinuz
	;;
esac
[ -s "$kernel" ] || die "-k $kernel: no such file, or empty"
[ -s "$stub" ] || die "-s $stub: no such file" \
	"(Debian's package systemd-boot-efi has it)"
objdump=${objcopy%objcopy}objdump
for tool in "$objcopy" "$objdump"; do
	command -v "$tool" >/dev/null ||
		die "the program $tool is missing; install binutils"
done

# The address behind the last section of the stub.
"$objdump" -h "$stub" 2>&1 | awk '$1 ~ /^[0-9]+$/ { print "0x" $4, "0x" $3 }' \
	>"$work/sections"
end=0
while read -r address size; do
	behind=$((address + size))
	[ "$behind" -le "$end" ] || end=$behind
done <"$work/sections"
[ "$end" != 0 ] || die "-s $stub: not a program for UEFI"

# add SECTION FILE: the words that let objcopy add it, each in a line.  It begins
# at a page of its own.
add()
{
	end=$(((end + 4095) / 4096 * 4096))
	printf '%s\n' --add-section "$1=$2" \
		--change-section-vma "$1=$end" >>"$work/words"
	end=$((end + $(stat -L -c %s "$2")))
}

[ ! -e /etc/os-release ] || add .osrel /etc/os-release
[ ! -e "$work/cmdline" ] || add .cmdline "$work/cmdline"
[ ! -s "$work/initrd" ] || add .initrd "$work/initrd"
# the last: it may use memory beyond its end
add .linux "$kernel"

# objcopy reads words from a file, where these need a backslash
sed "s/[\\\\ \"']/\\\\&/g" "$work/words" >"$work/escaped"
# -p keeps the date in the stub
"$objcopy" -p "@$work/escaped" "$stub" "$work/uki" || die "$out: $objcopy failed"
umask "$mask"
# If its disk is full, the file that is there stays.
trap 'rm -rf "$work"; rm -f "$out.new"' EXIT
{ cp -T --remove-destination --no-preserve=mode "$work/uki" "$out.new" &&
	mv -fT "$out.new" "$out"; } || die "$out cannot be written"
printf '%s\n' "$out: $(stat -c %s "$out") bytes"
