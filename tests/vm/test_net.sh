#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines that get their address from QEMU's DHCP server.  TAP on standard
# output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree

# booted SENTENCE WORDS PATTERN...: the guest says a line that matches each.
booted()
{
	sentence=$1
	vm_start "$work/initramfs" \
		"root=nbd://$host:$port/ loglevel=4 nbdboot.debug $2"
	shift 2
	while vm_wait '*'; do :; done
	vm_stop
	for pattern in '^guest: end$' "$@"; do
		grep -q -e "$pattern" "$work/log" && continue
		not_ok "$sentence: $pattern"
		show "$work/log"
		return
	done
	ok "$sentence"
	grep 'nbdboot: network$\|nbdboot: eth0\|nbdboot: connect$' \
		"$work/log" | sed 's/^/# /'
}

find_kernel
root_tree "$tree" net-guest.sh
ext4_of "$tree" "$work/ext4"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci e1000 ext4' |
	sed 's/^/# /'
serve 0 file "$work/ext4"

booted 'ip=dhcp gets a lease' ip=dhcp \
	'^guest: address 10.0.2.15/24 forever$' '^guest: route 10.0.2.2$' \
	"^guest: IPV4DNS0='10.0.2.3'$" "^guest: DHCPSERVER='10.0.2.2'$"
booted 'a server with an IPv4 address wants DHCP without ip=, too' '' \
	'^guest: address 10.0.2.15/24 forever$'
vm_nic=e1000
booted 'another card, named by its MAC' 'ip=::::guest::dhcp BOOTIF=01-52-54-00-12-34-56' \
	'^guest: address 10.0.2.15/24 forever$' '^guest: host guest$'
vm_nic=
finish
