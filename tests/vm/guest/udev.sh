# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# Sourced by guest/init.sh: which links udev makes for which device.
by_id=/dev/disk/by-id

ip link set lo up
modprobe nbd
must /lib/systemd/systemd-udevd --daemon
nbdkit -r -p 10809 file /disk
nbdkit -r -p 10810 file /disk
nbdkit -r -U /tmp/s file /disk
nbdkit -r -U /tmp/s_t file /disk

# add URI: connects it, and waits for udev
add()
{
	must nbdboot connect "$1"
	must udevadm settle
}

# names DEVICE: its links, and where they lead
names()
{
	for name in "$by_id"/*; do
		[ "$(readlink -f "$name")" != "/dev/$1" ] ||
			printf '%s\n' "${name##*/}"
	done
}

# named DEVICE NAME...: it has exactly these
named()
{
	names "$1" >has
	shift
	for name; do printf '%s\n' "$name"; done | sort | diff - has
}

add nbd://127.0.0.1/home
add nbd://127.0.0.1:10810/home
add 'nbd+unix:///home?socket=/tmp/s'
add 'nbd+unix:///home?socket=/tmp/s_t'
check 'a device has a name with the port, and one without' \
	named nbd0 nbd-127.0.0.1:10809_home nbd-127.0.0.1_home
check 'another port of that host has a name of its own' \
	named nbd1 nbd-127.0.0.1:10810_home
check 'so has a socket' named nbd2 'nbd-unix:\x2ftmp\x2fs_home'
check 'and another one' named nbd3 'nbd-unix:\x2ftmp\x2fs\x5ft_home'
check 'so have partitions' named nbd0p2 nbd-127.0.0.1:10809_home-part2 \
	nbd-127.0.0.1_home-part2
check 'of each server' named nbd1p1 nbd-127.0.0.1:10810_home-part1

must udevadm trigger --settle --sysname-match=nbd1
check 'no event gives a name to another device' \
	named nbd0 nbd-127.0.0.1:10809_home nbd-127.0.0.1_home

add 'nbd://127.0.0.1/a%20b%2Fc..%2F%22%27%0A%09%24%28reboot%29%60%25k%5C%2C%C3%BC%FF'
hostile='a\x20b\x2fc..\x2f\x22\x27\x0a\x09\x24\x28reboot\x29\x60\x25k\x5c\x2cü\xff'
check 'a name holds no character of an export that is more than itself' \
	named nbd4 "nbd-127.0.0.1:10809_$hostile" "nbd-127.0.0.1_$hostile"
add nbd://127.0.0.1/home-part2
check 'an export is no partition of another one' named nbd0p2 \
	nbd-127.0.0.1:10809_home-part2 nbd-127.0.0.1_home-part2
check 'and has its own name' named nbd5 \
	'nbd-127.0.0.1:10809_home\x2dpart2' 'nbd-127.0.0.1_home\x2dpart2'
add "nbd://127.0.0.1/$(head -c 250 /dev/zero | tr '\0' x)"
check 'an export with too long a name has no link' named nbd6

for device in 0 1 2 3 4 5 6; do
	must nbdboot disconnect "nbd$device"
done
must udevadm settle
check 'they end with their devices' eval "! ls $by_id/nbd*"
