#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Compiles the core for every CPU and for firmware: cross.sh BUILD
# All the rest is compiled for 32 bits, and for a big-endian CPU, where the tests
# of lwIP that need no network run, too.
set -u

dir=$1/t/cross
mem='memcpy|memmove|memset|memcmp'
warn='-std=c11 -Os -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes
	-Wmissing-prototypes -Wvla -Werror -ffreestanding'
status=0
mkdir -p "$dir"

# result RC NAME
result()
{
	if [ "$1" = 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		status=1
	fi
}

# compile NAME CC FLAGS...: core/*.c, linked into one object
compile()
{
	name=$1 cc=$2
	shift 2
	mkdir -p "$dir/$name"
	rm -f "$dir/$name"/*.o
	for c in core/*.c; do
		# shellcheck disable=SC2086 # words on purpose
		$cc $warn "$@" -I. -c -o "$dir/$name/$(basename "$c" .c).o" \
			"$c" || return 1
	done
}

# Prints undefined symbols of core's objects that the rule does not allow.
strangers()
{
	llvm-nm "$dir/$1"/*.o 2>/dev/null | awk '
		NF == 2 && $1 == "U" { want[$2] = 1; next }
		NF == 3 { have[$3] = 1 }
		END { for (s in want) if (!(s in have)) print s }' |
		grep -vxE "$mem"
}

for target in 'x86-64 x86_64-linux-gnu-gcc' 'aarch64 aarch64-linux-gnu-gcc' \
	'armv7 arm-linux-gnueabihf-gcc' 'riscv64 riscv64-linux-gnu-gcc' \
	's390x s390x-linux-gnu-gcc' 'uefi clang -target
		x86_64-unknown-windows -fshort-wchar -mno-red-zone -nostdlibinc'; do
	# shellcheck disable=SC2086 # words on purpose
	compile $target
	result $? "core compiles for ${target%% *}"
	found=$(strangers "${target%% *}")
	[ -z "$found" ]
	result $? "core on ${target%% *} needs nothing but four functions"
	[ -z "$found" ] || echo "$found" | sed 's/^/# needs /'
done

# lwip_tests CPU COMPILER RUNNER: the tests with a network of their own
lwip_tests()
{
	o=$dir/lwip-$1
	test=tests/port/lwip/test_stack.c
	# shellcheck disable=SC2046,SC2086 # words on purpose
	$2 -std=c11 -O1 -g -D_GNU_SOURCE -w -static -Itests/cross -I. \
		-Iport/lwip -isystem build/lwip/src/include \
		-include "$o/autoconf.h" -o "$o/test" "$test" \
		$(sh tests/world/link.sh . "$test" | sed 's/\.o$/.c/') \
		-Wl,--start-group \
		"$o"/core/*.o "$o"/port/*.o "$o"/port/lwip/*.o \
		"$o/port/posix/clock.o" "$o/liblwip.a" -Wl,--end-group &&
		"$3" "$o/test"
}

for target in 'armv7 arm-linux-gnueabihf-gcc qemu-arm-static' \
	's390x s390x-linux-gnu-gcc qemu-s390x-static'; do
	# shellcheck disable=SC2086 # words on purpose
	set -- $target
	# glibc's types; test_cpus.sh makes code for this CPU, with musl's
	make -s -j2 O="$dir/all-$1" CC="$2" OPT='-Os -fsyntax-only' STATIC= \
		objects
	result $? "the whole program compiles for $1"
	make -s O="$dir/lwip-$1" lwip_defconfig &&
		make -s -j2 O="$dir/lwip-$1" CC="$2" OPT=-Os STATIC= objects \
			"$dir/lwip-$1/liblwip.a"
	result $? "nbdboot-lwip and lwIP compile for $1"
	lwip_tests "$@"
	result $? "lwIP and what is above it run on $1"
done
exit $status
