#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A service in the roots of test_dropin.sh: says what it finds, waits for the
# end of the server, goes on when it is back, and powers off.  With guest.make it
# makes an initramfs for this machine instead.
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
	for line in /proc/[0-9]*/cmdline; do
		case $(tr '\0' ' ' 2>/dev/null <"$line") in
		@*nbd*) n=$((n + 1)) ;;
		esac
	done 2>/dev/null
	echo $n
}

echo "guest: system is $(systemctl is-system-running --wait)"
systemctl list-units --failed --plain --no-legend |
	sed 's/^/guest: failed unit: /'
awk '$2 == "/" { r = $1 " " $3 " " substr($4, 1, 2) }
	END { print "guest: root is", r }' /proc/mounts
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
	systemctl stop "$unit"
	[ ! -e "$device/pid" ] || size='connected for ever'
	echo "guest: $unit: $state, $size"
done
# Data that is dirty is written after the outage.
dd if=/dev/urandom of=/var/tmp/blob bs=64k count=64 2>/dev/null
sum=$(sha256sum </var/tmp/blob)
before=$(connections)
echo 'guest: waits for the end of the server'
while [ "$(connections)" = "$before" ]; do
	sleep 0.1
done
echo "$sum" >/var/tmp/sum
sync
echo 3 >/proc/sys/vm/drop_caches
cat /usr/lib/x86_64-linux-gnu/*.so* >/dev/null &&
	[ "$(sha256sum </var/tmp/blob)" = "$sum" ] &&
	echo "guest: outlives it, and is $(systemctl is-system-running)"
echo 'guest: asks for poweroff'
systemctl --no-block poweroff
