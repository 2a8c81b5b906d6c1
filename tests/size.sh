#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The size of each configuration, and what it has gained since the last tag,
# or since the parent commit where there is no tag: size.sh [-t] [BUILD]
#
#   -t    TAP lines: does it build, is it within its bound, has it frame
#         pointers and stack protection
#
# Every configs/NAME_defconfig is built as BUILD/t/size-NAME, static, with the
# default compiler; with -t nbdboot is BUILD/t/product, and those for firmware are
# below it, where the scripts have them that boot them.  The sizes of a commit are
# kept as BUILD/t/size-of/COMMIT.
set -u

tap=
[ "${1-}" != -t ] || { tap=1 && shift; }
dir=${1:-build}
unset MAKEFLAGS MFLAGS MAKEOVERRIDES O CC CFLAGS STATIC OPT HARDEN ARCH TLS IPV6
status=0

# bound NAME: the limit with this compiler.  They are for gcc 12, and gcc 14 makes
# up to 0.5 % more.
bound()
{
	limit "$1" | awk -v gcc="$(gcc -dumpversion)" \
		'{ print int($1 * (gcc > 12 ? 1.01 : 1)) }'
}

# limit NAME: the largest stripped file in bytes
limit()
{
	case $1 in
	tiny) echo 93888 ;;
	nbdboot) echo 738176 ;;
	uefi) echo 120672 ;;
	uefi_ipv6) echo 143520 ;;
	rescue) echo 392448 ;;
	uefi_tls) echo 331712 ;;
	esac
}

# program NAME: the file that configuration NAME makes
program()
{
	case $1 in
	lwip) echo nbdboot-lwip ;;
	metal*) echo nbdboot-metal ;;
	uefi*) echo nbdboot.efi ;;
	*) echo nbdboot ;;
	esac
}

say()
{
	if [ "$tap" ]; then
		echo "$1 - $2"
	elif [ "$1" != ok ]; then
		echo "$2" >&2
	fi
	[ "$1" = ok ] || status=1
}

# build DIR NAME: make configuration NAME as DIR.  The step product made its own:
# the default, which is nbdboot.
build()
{
	case $1 in
	"$dir"/t/product/*)
		build_efi "$2"
		return
		;;
	esac
	{ [ "$1" = "$dir/t/product" ] || make -s -j2 O="$1" "$2_defconfig" >&2; } &&
		make -s -j2 O="$1" all >&2
}

# build_efi NAME: as vm/uefi.sh does, which may run beside this
build_efi()
{
	case $1 in
	uefi_tls) set -- TLS=1 ;;
	uefi_ipv6) set -- IPV6=1 ;;
	*) set -- ;;
	esac
	flock "$dir/t/product" make -s -j2 O="$dir/t/product" "$@" uefi >&2
}

# The commit to compare with.  Uncommitted changes are compared with HEAD.
base_commit()
{
	if git describe --tags --abbrev=0 2>/dev/null; then
		return
	elif git diff --quiet HEAD 2>/dev/null; then
		git rev-parse -q --verify HEAD~1
	else
		git rev-parse -q --verify HEAD
	fi
}

# measure COMMIT: build it in a directory of its own; lines "NAME BYTES"
measure()
{
	src=$(mktemp -d)
	git archive "$1" | tar -x -C "$src"
	mkdir -p "$src/build"
	ln -s "$(realpath build/mbedtls)" "$src/build/mbedtls"
	ln -s "$(realpath build/lwip)" "$src/build/lwip"
	(
		cd "$src" || exit
		for c in configs/*_defconfig; do
			c=$(basename "$c" _defconfig)
			build "build/t/$c" "$c" 2>/dev/null &&
				echo "$c $(wc -c <"build/t/$c/$(program "$c")")"
		done
	)
	rm -rf "$src"
}

# The file with the sizes of the commit to compare with.
base_sizes()
{
	commit=$(base_commit) && commit=$(git rev-parse "$commit^{commit}") ||
		return
	mkdir -p "$dir/t/size-of"
	[ -s "$dir/t/size-of/$commit" ] ||
		measure "$commit" >"$dir/t/size-of/$commit"
	echo "$dir/t/size-of/$commit"
}

# Prints the functions of ours that call others and keep no frame pointer; or
# why this cannot be seen.
frameless()
{
	out=${1%/*}
	ours=$(find "$out/boot" -name '*.o')
	# shellcheck disable=SC2086 # words on purpose
	gcc-nm --defined-only -g "$out/libcore.a" "$out/libport.a" $ours \
		2>/dev/null |
		awk 'NF == 3 && $2 == "T" { print $3 }' >"$out/functions"
	objdump -d --no-show-raw-insn "$1.debug" | awk '
		function end() { if (ours && calls && ++n && !frame) print f }
		NR == FNR { own[$1]; next }
		/^[0-9a-f]+ <.*>:$/ {
			end()
			f = substr($2, 2, length($2) - 3)
			ours = f in own; calls = frame = 0
		}
		/\t(call|bl|blr) / { calls = 1 }
		/mov +%rsp,%rbp|mov\tx29, sp/ { frame = 1 }
		END { end(); if (n < 30) print "only", n + 0, "functions" }
	' "$out/functions" -
}

hardened()
{
	found=$(frameless "$1")
	if [ "$found" ]; then
		say 'not ok' "$2 keeps frame pointers: not $found"
	else
		say ok "$2 keeps frame pointers"
	fi
	n=$(objdump -d "$1.debug" | grep -c '<__stack_chk_fail>$')
	if [ "$n" -ge 50 ]; then
		say ok "$2 has stack protection"
	else
		say 'not ok' "$2 has stack protection: $n checks"
	fi
}

# knows_no_linux PROGRAM NAME: firmware has no commands and files of Linux
knows_no_linux()
{
	if grep -aoE 'resolv\.conf|dmesg|as root|nbd\.ko|nbdboot (list|help)`' "$1" |
		sed 's/^/# /' | grep .; then
		say 'not ok' "$2 gives hints of Linux"
	else
		say ok "$2 gives no hints of Linux"
	fi
}

old=/dev/null
if ! [ "$tap" ]; then
	old=$(base_sizes) || old=/dev/null
	printf '%-10s %8s %8s %8s %8s %8s\n' '' text data bss file \
		"$(basename "$old" | cut -c1-7 | sed 's/^null$/-/')"
fi
for config in configs/*_defconfig; do
	name=$(basename "$config" _defconfig)
	out=$dir/t/size-$name
	case $tap$name in
	1nbdboot) out=$dir/t/product ;;
	1uefi*) out=$dir/t/product/$name-x86_64 ;;
	esac
	max=$(bound "$name")
	if ! build "$out" "$name"; then
		say 'not ok' "$name: does not build"
		continue
	fi
	say ok "$name builds"
	program=$out/$(program "$name")
	file=$(wc -c <"$program")
	was=$(sed -n "s/^$name //p" "$old")
	size "$program" | awk -v file="$file" -v name="$name" \
		-v gain="${was:+$((file - ${was:-0}))}" \
		-v mark="${tap:+# }" 'NR == 2 {
		printf "%s%-10s %8d %8d %8d %8d", mark, name, $1, $2, $3, file
		printf gain == "" ? "\n" : " %+8d\n", gain
	}'
	case $name in
	# it has no frame pointers and no guard
	uefi*) [ ! "$tap" ] || knows_no_linux "$program" "$name" ;;
	# a board's memory, by parts; likewise
	metal*) sh tests/parts.sh "$program.map" | sed "s/^/${tap:+# }  /" ;;
	*) [ ! "$tap" ] || hardened "$program" "$name" ;;
	esac
	[ "$max" ] || continue
	if [ "$file" -le "$max" ]; then
		say ok "$name has at most $max bytes: $file"
	else
		say 'not ok' "$name has more than $max bytes: $file"
	fi
done
exit $status
