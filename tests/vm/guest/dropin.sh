#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A service in the roots of test_dropin.sh: says what it finds, waits for the
# end of the server, goes on when it is back, and powers off.  With guest.make it
# makes an initramfs for this machine instead, and with guest.down it powers off at
# once.
exec >/dev/console 2>&1

if grep -q guest.make /proc/cmdline; then
	echo MODULES=dep >/etc/initramfs-tools/conf.d/dep
	mkinitramfs -o /boot/dep.img
	systemctl --no-block poweroff
	exit
fi

# Prints the local ports of established connections.
connections()
{
	awk '$4 == "01" { print $2 }' /proc/net/tcp
}

# The number of processes with a name like @usr/sbin/nbdboot.
watchers()
{
	n=0
	for exe in /proc/[0-9]*/exe; do
		[ -e "$exe" ] || continue # a thread of the kernel
		case $(tr '\0' ' ' 2>/dev/null <"${exe%exe}cmdline") in
		@*nbd*) n=$((n + 1)) ;;
		esac
	done 2>/dev/null
	echo $n
}

# Prints how often systemd has started each of them again
restarts()
{
	systemctl show -p Id -p NRestarts systemd-journald systemd-logind \
		systemd-udevd
}

failed_units()
{
	systemctl list-units --failed --plain --no-legend |
		sed 's/^/guest: failed unit: /'
}

# waits PID: says that hostnamed waits for the disk, if it does before that process
# gives up.  One that had nothing to do for 30 s has ended, and another is started.
waits()
{
	unit=/sys/fs/cgroup/system.slice/systemd-hostnamed.service
	while kill -0 "$1" 2>/dev/null; do
		read -r pid <"$unit/cgroup.procs" &&
			read -r _ _ state _ <"/proc/$pid/stat" &&
			[ "$state" = D ] && echo 'guest: hostnamed waits' && return
		sleep 0.1
	done 2>/dev/null
}

echo "guest: system is $(systemctl is-system-running --wait)"
failed_units
awk '$2 == "/" { r = $1 " " $3 " " substr($4, 1, 2) }
	END { print "guest: root is", r }' /proc/mounts
if grep -q guest.down /proc/cmdline; then
	systemctl --no-block poweroff
	exit
fi
echo "guest: $(watchers) processes watch it"
# Other devices, by the units for them; PORT is on the kernel's command line.
port=$(tr ' ' '\n' </proc/cmdline | sed -n 's/^guest.port=//p')
echo "nbd1 10.0.2.2 x port=$port,read-only,persist" >/etc/nbdtab
mkdir -p /etc/nbdboot
echo "nbd2 nbd://10.0.2.2:$port/ --read-only" >/etc/nbdboot/devices
for unit in nbd@nbd1 nbdboot@nbd2; do
	device=/sys/block/${unit#*@}
	systemctl start "$unit"
	state=$(systemctl is-active "$unit")
	size=$(cat "$device/size" 2>/dev/null)
	# udev has it open for a moment
	udevadm settle
	systemctl stop "$unit"
	[ ! -e "$device/pid" ] || size='connected for ever'
	echo "guest: $unit: $state, $size"
done
# Data that is dirty is written after the outage.
dd if=/dev/urandom of=/var/tmp/blob bs=64k count=64 2>/dev/null
sum=$(sha256sum </var/tmp/blob)
before=$(connections)
# hostnamed is up, and has this file to read when it is asked for the next time.
hostnamectl >/dev/null
echo PRETTY_HOSTNAME=test >/etc/machine-info
sync
dd if=/etc/machine-info iflag=nocache count=0 2>/dev/null
restarts >/run/restarts
# timedated is not, and its file is to be read.
timedatectl >/dev/null
systemctl stop systemd-timedated
dd if=/lib/systemd/systemd-timedated iflag=nocache count=0 2>/dev/null
sleep 0.1 # from here on in the cache
echo 'guest: waits for the end of the server'
while [ "$(connections)" = "$before" ]; do
	sleep 0.1
done
# What systemd takes for a service that hangs: one waits for its program, one for a
# file that it reads, one for what it writes, and one, without the cache, for the
# names of its files.
timedatectl >/dev/null 2>&1 &
hostnamectl >/dev/null 2>&1 &
waits $!
echo '<2>guest: the server is away' >/dev/kmsg
echo 3 >/proc/sys/vm/drop_caches
echo change >/sys/class/mem/null/uevent
echo "$sum" >/var/tmp/sum
sync
echo 3 >/proc/sys/vm/drop_caches
cat /usr/lib/x86_64-linux-gnu/*.so* >/dev/null &&
	[ "$(sha256sum </var/tmp/blob)" = "$sum" ] &&
	echo "guest: outlives it, and is $(systemctl is-system-running)"
# Each of them has answered, or has ended.
wait
journalctl --sync
udevadm control --ping
restarts | diff /run/restarts - | sed -n 's/^> /guest: a service was killed: /p'
failed_units
echo 'guest: services were examined'
echo 'guest: asks for poweroff'
systemctl --no-block poweroff
