#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The unit tests of core/ on CPUs of 32 bits and of the other byte order, as
# far as this machine can compile for them and run them: units.sh BUILD
set -u

dir=$1/t/cross-units
flags='-std=c11 -O1 -g -D_GNU_SOURCE -DCONFIG_CORE_EXTENDED=1 -DCONFIG_CORE_IO=1
	-DCONFIG_CORE_STATUS=1 -DCONFIG_CORE_TLS=1 -DCONFIG_CORE_LINUX=1 -w -static
	-Itests/cross -I.'
status=0

# try NAME RUNNER COMPILER...; its skip is allowed if unless is "allowed:"
try()
{
	name=$1 runner=$2
	shift 2
	mkdir -p "$dir/$name"
	echo 'int main(void) { return 0; }' >"$dir/$name/try.c"
	if ! "$@" -static -o "$dir/$name/try" "$dir/$name/try.c" 2>/dev/null ||
		! $runner "$dir/$name/try" 2>/dev/null; then
		echo "ok - core's tests on $name # SKIP $unless" \
			'no compiler or emulator'
		return
	fi
	for t in tests/core/test_*.c; do
		b=$dir/$name/$(basename "$t" .c)
		# shellcheck disable=SC2086 # words on purpose
		if "$@" $flags -o "$b" "$t" core/*.c >"$b.log" 2>&1 &&
			$runner "$b" >>"$b.log" 2>&1; then
			echo "ok - $name: $(basename "$t" .c):" \
				"$(grep -c '^ok ' "$b.log") tests"
		else
			echo "not ok - $name: $(basename "$t" .c)"
			tail -n 4 "$b.log" | sed 's/^/# /'
			status=1
		fi
	done
}

# gcc -m32 needs gcc-multilib, which conflicts with Debian's cross compilers.
unless=allowed:
try i386 '' gcc -m32 -idirafter "/usr/include/$(gcc -print-multiarch)"
unless=
try armv7 qemu-arm-static arm-linux-gnueabihf-gcc
try s390x qemu-s390x-static s390x-linux-gnu-gcc
exit $status
