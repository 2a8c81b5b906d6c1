# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines without an operating system, for lib.sh.  Sourced after it.
# shellcheck disable=SC2034,SC2154

boards='virt lm3s6965'

# metal_build BOARD: makes its program.  Sets program.
metal_build()
{
	case $1 in
	virt) metal_config=metal-virt ;;
	*) metal_config=metal ;;
	esac
	program=$O/t/$metal_config/nbdboot-metal
	(
		unset MAKEFLAGS MFLAGS MAKEOVERRIDES CC CFLAGS STATIC
		make -s O="$O/t/$metal_config" "${metal_config}_defconfig" &&
			make -s -j2 O="$O/t/$metal_config" all
	) >"$work/log" 2>&1
}

# qemu BOARD URI [QEMU-ARGUMENT...]: becomes that machine, with the URI in its
# memory of settings.
qemu()
{
	board=$1
	printf '%s\0' "$2" >"$work/settings"
	shift 2
	case $board in
	virt)
		at=0x40100000
		set -- qemu-system-aarch64 -M virt -cpu cortex-a53 -m 128 \
			-global virtio-mmio.force-legacy=false \
			-netdev user,id=net,ipv6=off \
			-device virtio-net-device,netdev=net "$@"
		;;
	lm3s6965)
		at=0x3fc00
		set -- qemu-system-arm -M lm3s6965evb -nic user,ipv6=off "$@"
		;;
	esac
	exec ${vm_limit:+timeout "$vm_limit"} "$@" -display none -monitor none \
		-kernel "$program" \
		-device "loader,file=$work/settings,addr=$at,force-raw=on"
}

# The machine does not end by itself: these lines are its last.
metal_end()
{
	vm_wait 'passed*' 'failed*' 'fault*' || line='the machine ended'
	vm_stop
	[ "$line" = passed ]
}

# metal_said WORD: what follows "WORD: " on a line of the console
metal_said()
{
	sed -n "s/^$1: //p" "$work/log"
}
