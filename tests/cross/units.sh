#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The unit tests of core/ on CPUs of 32 bits and of the other byte order, as
# far as this machine can compile for them and run them: units.sh BUILD
# And AES-GCM with the instructions of AArch64, beside mbedTLS's.
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

# What mbedTLS's GCM needs, of its source.
mbedtls=$(printf ' build/mbedtls/library/%s.c' aes chacha20 chachapoly cipher \
	cipher_wrap constant_time gcm platform platform_util poly1305)
b=$dir/aesgcm
# shellcheck disable=SC2086 # words on purpose
if aarch64-linux-gnu-gcc $flags -DCONFIG_PORT_MAX_CONNECTIONS=2 -O2 \
	-ffunction-sections -Wl,--gc-sections -isystem build/mbedtls/include \
	-DMBEDTLS_CONFIG_FILE='"port/mbedtls/config.h"' -o "$b" \
	tests/port/test_aesgcm.c port/mbedtls/aesgcm.c port/mbedtls/records.c \
	port/mbedtls/pool.c $mbedtls >"$b.log" 2>&1 &&
	qemu-aarch64-static "$b" >>"$b.log" 2>&1 &&
	grep -q 'ok .*published_vectors' "$b.log"; then
	echo 'ok - aarch64: AES-GCM has the results of mbedTLS'
else
	echo 'not ok - aarch64: AES-GCM has the results of mbedTLS'
	tail -n 4 "$b.log" | sed 's/^/# /'
	status=1
fi
exit $status
