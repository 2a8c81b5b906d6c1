#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# An initramfs as people write it by hand, with busybox and nbd-client.  It
# waits only for events.  bench.server and bench.port name the server.
export PATH=/bin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

mkdir -p /proc /sys /dev /run /root /etc
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /run

fail()
{
	echo "busybox: $*"
	poweroff -f
}

word()
{
	tr ' ' '\n' </proc/cmdline | sed -n "s/^$1=//p"
}

for module in virtio_pci virtio_net nbd crc32c ext4; do
	modprobe -q "$module" || fail "no module $module"
done
# the card
for card in /sys/class/net/*; do
	card=${card##*/}
	[ "$card" = lo ] || break
done
ip link set "$card" up

# udhcpc calls it with the lease
if ! [ -x /lease ]; then
	cat >/lease <<-'END'
		#!/bin/sh
		[ "$1" = bound ] || exit 0
		ip addr add "$ip/$mask" dev "$interface"
		[ -z "$router" ] || ip route add default via "$router"
		for server in $dns; do
			echo "nameserver $server"
		done >/etc/resolv.conf
	END
	chmod 755 /lease
fi
udhcpc -q -n -f -i "$card" -s /lease >/dev/null || fail 'no lease'
nbd-client "$(word bench.server)" "$(word bench.port)" /dev/nbd0 \
	-N root >/dev/null || fail 'no device'
mount -t ext4 -o ro /dev/nbd0 /root || fail 'no root'
umount /sys /dev /run /proc
exec switch_root -c /dev/console /root /sbin/init
