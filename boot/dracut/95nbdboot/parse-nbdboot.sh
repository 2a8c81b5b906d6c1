#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by dracut: does the command line name a root on NBD?  netroot sources
# it again with DHCP's root-path in $new_root_path.
# shellcheck disable=SC1091,SC2034,SC2154 # dracut's, and root_* of nbdboot
type getcmdline >/dev/null 2>&1 || . /lib/dracut-lib.sh

# Sets nbdboot_own if root= names the server, and not the device.
nbdboot_wanted() {
	nbdboot_own=''
	nbdboot_says=$(nbdboot parse-root --wanted "$(getcmdline)") || return 1
	eval "$nbdboot_says"
	case $root_wanted in
	'' | device | dhcp) return 1 ;;
	root | boot) nbdboot_own=1 ;;
	esac
	nbdboot_found=1
}

# Has nbdboot.efi left the server in a variable of the firmware?  Its address and
# its card are those of the machine, unless a word gives others.
nbdboot_handed() {
	[ -d /sys/firmware/efi ] || return 1
	nbdboot_says=$(nbdboot parse-root "$(getcmdline)" 2>/dev/null) || return 1
	eval "$nbdboot_says"
	[ "$root_uri" ] || return 1
	nbdboot_word=rd.neednet=1
	case $root_ip in
	*[!]A-Za-z0-9_.:[-]*) ;;
	*) getarg ip= >/dev/null || nbdboot_word="$nbdboot_word ip=$root_ip" ;;
	esac
	case $root_bootif in
	'' | *[!a-f0-9-]*) ;;
	*)
		getarg BOOTIF= >/dev/null ||
			nbdboot_word="$nbdboot_word BOOTIF=$root_bootif"
		;;
	esac
	printf '%s\n' "$nbdboot_word" >/etc/cmdline.d/95nbdboot-firmware.conf
}

# Prints the node of the root.
nbdboot_node() {
	case $root_part in
	'') printf '%s\n' "/dev/nbd${root_device:-0}" ;;
	[0-9]*) printf '%s\n' "/dev/nbd${root_device:-0}p$root_part" ;;
	*) label_uuid_to_dev "$root_part" ;;
	esac
}

nbdboot_found=''
if [ "${new_root_path-}" ]; then
	# it may be one for another module
	nbdboot_says=$(nbdboot parse-root -r "$new_root_path" \
		${new_next_server:+-s "$new_next_server"} \
		"$(getcmdline)" 2>/dev/null) && nbdboot_found=1 nbdboot_own=''
elif nbdboot_wanted; then
	nbdboot_says=$(nbdboot parse-root "$(getcmdline)" 2>/tmp/nbdboot.err) ||
		die "$(cat /tmp/nbdboot.err)"
elif nbdboot_handed; then
	nbdboot_found=1
fi

if [ "$nbdboot_found" ]; then
	eval "$nbdboot_says"
	# the module nbd, which comes later, leaves this type alone
	netroot=nbdboot
	rootok=1
	# old menus have root=/dev/ram0, for which the server's disk is meant
	case $root in
	'' | /dev/ram | /dev/ram0) nbdboot_own=1 ;;
	esac
	if [ "$nbdboot_own" ]; then
		root=block:$(nbdboot_node)
		[ -z "$root_fstype" ] || fstype=$root_fstype
		[ -z "$root_options" ] || rflags=$root_options${rflags:+,$rflags}
	fi
	echo '[ -e /run/nbdboot/root ]' >"${hookdir:?}/initqueue/finished/nbdboot.sh"
fi
