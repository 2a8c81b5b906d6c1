#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A machine that is a switch: VLAN 7 of eth0 is untagged on eth1.
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
for module in virtio_pci virtio_net 8021q bridge; do
	nbdboot modprobe $module
done
ip link add br0 type bridge
echo 0 >/sys/class/net/br0/bridge/forward_delay
ip link set eth0 up
ip link add link eth0 name eth0.7 type vlan id 7
for device in eth0.7 eth1; do
	ip link set $device master br0
	ip link set $device up
done
ip link set br0 up
until [ "$(cat /sys/class/net/br0/brif/*/state)" = '3
3' ]; do :; done
echo 'switch: ready'
exec sleep 86400
