#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by init.sh, in the machine of bench/toram.sh: copies each image to a
# tmpfs, with nbdboot and with wget in turns.  Prints ms, bytes received, and the
# KiB that were available before it less the least that were at any time.

available()
{
	sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo
}

received()
{
	cat /sys/class/net/eth0/statistics/rx_bytes
}

clock()
{
	read -r up rest </proc/uptime
	echo "${up%.*}${up#*.}0"
}

# measure IMAGE NAME COMMAND...
measure()
{
	image=$1 name=$2
	shift 2
	mount -t tmpfs ram /ram || fail "mount"
	echo 3 >/proc/sys/vm/drop_caches
	rm -f /least
	before=$(available) bytes=$(received)
	(
		least=$before
		while [ ! -e /stop ]; do
			now=$(available)
			[ "$now" -ge "$least" ] || least=$now
			usleep 5000
		done
		echo "$least" >/least
	) &
	start=$(clock)
	"$@" >/copy.log 2>&1 || {
		cat /copy.log
		fail "$*"
	}
	end=$(clock)
	bytes=$(($(received) - bytes))
	: >/stop
	wait
	rm -f /stop
	[ "$(sha256sum </ram/disk)" = "$(word "$image.sum")  -" ] ||
		fail "$name: another image"
	echo "figure $image $name $((end - start)) $bytes" \
		"$((before - $(cat /least)))"
	umount /ram
}

fail()
{
	echo "failed: $*"
	poweroff -f
}

nbdboot modprobe virtio_pci
nbdboot modprobe virtio_net
until [ -e /sys/class/net/eth0 ]; do
	usleep 10000
done
ip link set eth0 up
ip addr add 10.0.2.15/24 dev eth0
mkdir -p /ram
i=0
while [ "$i" -lt "$(word rounds)" ]; do
	for image in holes dense; do
		measure "$image" nbdboot nbdboot copy \
			"nbd://10.0.2.2:$(word $image)/" /ram/disk
		measure "$image" wget wget -q -O /ram/disk \
			"http://10.0.2.2:$(word http)/$image"
	done
	i=$((i + 1))
done
echo 'end of tests'
