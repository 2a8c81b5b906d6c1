#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# One initramfs with every network driver runs each network card that QEMU has.
# By default a few machines have all cards, each in a network of its own, where
# it has to get a lease.  ONE=1 boots a machine from each card (make soak-cards);
# CARDS names the cards.  TAP on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

# i82551 needs firmware that is not free, its older brothers do not
all='virtio-net-pci e1000 e1000e vmxnet3 pcnet rtl8139
	usb-net tulip ne2k_pci i82557b i82559er igb'
# cards in a machine
each=6
tree=$work/tree
disk=$work/disk

# has CARD: reports one that this QEMU lacks
has()
{
	grep -q "^name \"$1\"" "$work/devices" && return
	echo "ok - a machine with $1 # SKIP allowed: this QEMU has none"
	return 1
}

# device CARD: QEMU's words
device()
{
	case $1 in
	usb-net) echo usb-net ;;
	*) echo "$1,romfile=" ;;
	esac
}

# boots CARD: a machine with this card alone
boots()
{
	vm_nic=$(device "$1")
	[ "$1" != usb-net ] || vm_nic="qemu-xhci -device $vm_nic"
	vm_start "$work/initramfs" "$words ip=dhcp"
	vm_end
	leased "$1" 10.0.2.15
}

# leased CARD ADDRESS
leased()
{
	if said "^guest: $2/24 is [a-z0-9]" && said '^guest: end$' &&
		! said '^guest: WRONG'; then
		ok "a machine with $1"
		grep "^guest: $2/24" "$work/log" | sed 's/^guest:/#/'
	else
		not_ok "a machine with $1"
		show "$work/log"
	fi
}

# all_of CARD...: a machine with these cards
all_of()
{
	nics='qemu-xhci' ip='' n=0
	for card; do
		nics="$nics -netdev user,id=n$n,ipv6=off,net=10.1.$n.0/24
			-device $(device "$card"),netdev=n$n,mac=52:54:00:00:01:0$n"
		ip="$ip ip=52-54-00-00-01-0$n:dhcp"
		n=$((n + 1))
	done
	vm_nic="$nics -device virtio-net-pci,romfile=,mac=52:54:00:00:02:00"
	# shellcheck disable=SC2086 # words on purpose
	vm_start "$work/initramfs" "$words$ip ip=52-54-00-00-02-00:dhcp"
	vm_end
	n=0
	for card; do
		leased "$card" "10.1.$n.15"
		n=$((n + 1))
	done
}

find_kernel
root_tree "$tree" guest/cards.sh
ext4_of "$tree" "$disk"
packed=zstd initramfs "$work/initramfs" all | sed 's/^/# /'
serve 0 file "$disk"
words="root=nbd://$host:$port/ loglevel=4 nbdboot.renew=0"
qemu-system-x86_64 -device help >"$work/devices" 2>&1
set --
for card in ${CARDS:-$all}; do
	has "$card" || continue
	if [ "${ONE-}" ]; then
		boots "$card"
		continue
	fi
	set -- "$@" "$card"
	if [ $# = $each ]; then
		all_of "$@"
		set --
	fi
done
[ $# = 0 ] || all_of "$@"
finish
