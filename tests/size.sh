#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The size of each configuration: size.sh [-t] [BUILD]
#
#   -t    TAP lines: does it build, is it as small as promised
#
# Every configs/NAME_defconfig is built as BUILD/t/size-NAME, static, with the
# default compiler.
set -u

tap=
[ "${1-}" != -t ] || { tap=1 && shift; }
dir=${1:-build}
unset MAKEFLAGS MFLAGS MAKEOVERRIDES O CC CFLAGS STATIC OPT
status=0

# limit NAME: bytes of the stripped file; what is promised
limit()
{
	case $1 in
	tiny) echo 81920 ;;
	nbdboot) echo 393216 ;;
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

[ "$tap" ] || printf '%-10s %8s %8s %8s %8s\n' '' text data bss file
for config in configs/*_defconfig; do
	name=$(basename "$config" _defconfig)
	out=$dir/t/size-$name
	max=$(limit "$name")
	if ! make -s -j2 O="$out" "${name}_defconfig" >&2 ||
		! make -s -j2 O="$out" "$out/nbdboot" >&2; then
		say 'not ok' "$name: does not build"
		continue
	fi
	say ok "$name builds"
	file=$(wc -c <"$out/nbdboot")
	size "$out/nbdboot" | awk -v file="$file" -v name="$name" \
		-v mark="${tap:+# }" 'NR == 2 {
		printf "%s%-10s %8d %8d %8d %8d\n", mark, name, $1, $2, $3, file
	}'
	[ "$max" ] || continue
	if [ "$file" -le "$max" ]; then
		say ok "$name has at most $max bytes: $file"
	else
		say 'not ok' "$name has more than $max bytes: $file"
	fi
done
exit $status
