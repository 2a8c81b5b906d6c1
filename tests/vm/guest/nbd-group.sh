# shellcheck shell=sh disable=SC2154,SC2086,SC2016
# SPDX-License-Identifier: BSD-2-Clause
# What the group nbd of blktests, and dracut's scripts, do with nbd-client, in
# the machine of test_nbd_client.sh, behind nbd-client.sh.

# sectors N: the size of the device, as everybody sees it
sectors()
{
	[ "$(cat /sys/block/nbd0/size)" = "$1" ] &&
		[ "$(blockdev --getsz /dev/nbd0)" = "$1" ]
}

partition()
{
	[ -b /dev/nbd0p1 ] && [ -e /sys/block/nbd0/nbd0p1 ]
}

gone()
{
	[ ! -e /sys/block/nbd0/pid ] && [ ! -e /sys/block/nbd0/nbd0p1 ]
}

# Waits until nbd0 has no process, however it ends.
until_gone()
{
	until [ ! -e /sys/block/nbd0/pid ]; do sleep 0.1; done
}

# nbd-server on its port, with an export named export; its own oldest form.
start_server()
{
	truncate -s 1G /tmp/export
	printf '%s\n' '[generic]' 'allowlist=true' '[export]' \
		'exportname=/tmp/export' >/tmp/nbd.conf
	nbd-server -p /tmp/nbd.pid -C /tmp/nbd.conf
	until nbd-client -l 127.0.0.1 >/tmp/list 2>&1; do sleep 0.1; done
}

echo 'root:x:0:0::/:/bin/sh' >/etc/passwd
echo '127.0.0.1 localhost' >/etc/hosts
check 'the help has the options that blktests looks for' \
	eval 'nbd-client --help 2>&1 | grep -q -e -L'
check '-l fails while nothing listens' \
	eval '! nbd-client -l 127.0.0.1'
start_server
check '-l lists the export' grep -qx export /tmp/list

# 001: another size by an ioctl
check '001: -L connects' nbd-client -L -N export localhost /dev/nbd0
check '001: the device has the size of the export' sectors 2097152
check '001: NBD_SET_SIZE is accepted' nbd-ioctl size /dev/nbd0 536870912
check '001: and has an effect' sectors 1048576
check '001: -c finds it connected' nbd-client -c /dev/nbd0
check '001: -d disconnects' nbd-client -d /dev/nbd0
until_gone
until nobody_left; do sleep 0.1; done
ok '001: the process that waited has ended'

# 002: partitions, through both interfaces
nbd-client -N export localhost /dev/nbd0 >/dev/null
printf 'o\nn\np\n1\n2048\n+20M\nw\n' | fdisk /dev/nbd0 >/dev/null 2>&1
check '002: a new partition is there' partition
check '002: -d' nbd-client -d /dev/nbd0
check '002: it is gone with the device' gone
check '002: by ioctls' nbd-client -nonetlink -N export localhost /dev/nbd0
check '002: by ioctls: the partition is there' partition
check '002: by ioctls: -d' nbd-client -nonetlink -d /dev/nbd0
until_gone
check '002: by ioctls: the partition is gone' gone
check '002: by netlink' nbd-client -N export localhost /dev/nbd0
check '002: by netlink: the partition is there' partition
check '002: by netlink: -d' nbd-client -d /dev/nbd0
check '002: by netlink: the partition is gone' gone

# 003: mount and NBD_CLEAR_SOCK at the same time
nbd-client -L -N export localhost /dev/nbd0 >/dev/null
mke2fs -q -t ext4 /dev/nbd0 >/dev/null 2>&1
mkdir -p /tmp/mnt
modprobe ext4
nbd-ioctl clear /dev/nbd0 500 &
clearer=$!
n=0
while [ $n -lt 20 ]; do
	mount -t ext4 -o sync /dev/nbd0 /tmp/mnt 2>/dev/null &&
		umount /tmp/mnt
	n=$((n + 1))
done
check '003: NBD_CLEAR_SOCK is accepted beside mounts' wait $clearer
nbd-client -d /dev/nbd0 >/dev/null 2>&1
until_gone
kill "$(cat /tmp/nbd.pid)"

# 004: the module comes and goes while devices do.  nbd-server has no file with
# its configuration here.  With that of Debian it runs as the user nbd and cannot
# open the file of blktests in a directory of root: it answers every client
# "Access denied by server configuration", and 004 connects nothing.
until nobody_left; do sleep 0.1; done
nbd-server 8000 /tmp/export >/dev/null 2>&1
rmmod nbd
: >/tmp/004.ok
(
	n=0
	while [ $n -lt 30 ] || [ "$(wc -l </tmp/004.ok)" -lt 10 ]; do
		modprobe nbd
		rmmod nbd
		n=$((n + 1))
	done
) >/dev/null 2>&1 &
loader=$!
(
	while :; do
		nbd-client localhost 8000 /dev/nbd0 2>>/tmp/004.err &&
			echo >>/tmp/004.ok
		nbd-client -d /dev/nbd0 2>/dev/null
	done
) >/dev/null &
connecter=$!
wait $loader
kill -9 $connecter
until nobody_left; do sleep 0.1; done
ok '004: no process is left when the module came and went'
sort /tmp/004.err | uniq -c | sed 's/^/# /'
ok "004: meanwhile devices connected ($(wc -l </tmp/004.ok) times)"
# rmmod may still come between our loading it and our first use
lost=$(grep -ci -e busy -e 'no nbd driver' /tmp/004.err)
check "004: few failed because the module came or went ($lost times)" \
	[ "$((lost * 2))" -le "$(wc -l </tmp/004.ok)" ]
modprobe nbd
nbd-client -d /dev/nbd0 >/dev/null 2>&1
until_gone
check '004: nothing is doubled in sysfs' \
	eval '! dmesg | grep "cannot create duplicate filename"'
check '004: a device still connects' nbd-client localhost 8000 /dev/nbd0
check '004: and disconnects' nbd-client -d /dev/nbd0

# dracut's nbdroot.sh, and its hook that ends the wait for the root
check 'dracut: -check fails at first' eval '! nbd-client -check /dev/nbd0'
check 'dracut: a port after the server' \
	nbd-client -p -systemd-mark 127.0.0.1 8000 /dev/nbd0
check 'dracut: -check succeeds' nbd-client -check /dev/nbd0
nbd-client -d /dev/nbd0
until_gone
start_server
check 'dracut: a name after the server' \
	nbd-client -p -systemd-mark 127.0.0.1 -name export /dev/nbd0
check 'dracut: and options behind it' eval 'nbd-client -d /dev/nbd0;
	until_gone; nbd-client -p -systemd-mark 127.0.0.1 -name export \
	/dev/nbd0 bs=4096 timeout=20'
check 'dracut: they have an effect' \
	same "$(cat /sys/block/nbd0/queue/logical_block_size)" 4096
nbd-client -d /dev/nbd0
