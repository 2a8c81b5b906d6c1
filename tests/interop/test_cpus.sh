#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The program for other CPUs, one of 32 bits and one of the other byte order
# among them, by an emulator: test_cpus.sh BUILD
# SOAKED are the CPUs that only make soak-cpus has.
# shellcheck source=tests/tap.sh
. "${0%/*}/../tap.sh"

soaked=${SOAKED-i386 riscv64}
unset MAKEFLAGS MFLAGS MAKEOVERRIDES CC CFLAGS STATIC ARCH

# cpu NAME EMULATOR
cpu()
{
	name=$1 emulator=$2
	case " $soaked " in
	*" $name "*) return ;;
	esac
	# without -g, which would take a quarter of the time
	run make -s -j2 ARCH="$name" O="$O/t/cpu-$name" \
		CFLAGS='-Os -flto=auto' all
	expect 0 '' "$name: the program builds"
	[ "$status" = 0 ] || return 0
	program=$O/t/cpu-$name/nbdboot
	echo "# $name: $(wc -c <"$program") bytes"
	run "$emulator" "$program" version
	expect 0 'Mbed TLS' "$name: the program runs"
	run "$emulator" "$program" info "nbd://127.0.0.1:$port/"
	expect 0 3145728 "$name: info shows the size of an export"
	rm -f "$work/copy"
	run "$emulator" "$program" copy "nbd://127.0.0.1:$port/" "$work/copy"
	expect 0 '' "$name: copy reads an export"
	run cmp "$work/disk" "$work/copy"
	expect 0 '' "$name: copy reads what the server has"
	tr '\0-\377' '\1-\377\0' <"$work/disk" >"$work/new"
	run "$emulator" "$program" copy "$work/new" "nbd://127.0.0.1:$port/"
	expect 0 '' "$name: copy writes an export"
	run cmp "$work/disk" "$work/new"
	expect 0 '' "$name: copy writes what the file has"
}

{
	dd if=/dev/urandom bs=1M count=2 status=none
	dd if=/dev/zero bs=1M count=1 status=none
} >"$work/disk"
serve 0 file "$work/disk"
cpu aarch64 qemu-aarch64-static
cpu armv7 qemu-arm-static
cpu i386 qemu-i386-static
cpu riscv64 qemu-riscv64-static
cpu s390x qemu-s390x-static
finish
