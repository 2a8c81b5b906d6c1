#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A service in the root of test_debian.sh: checks the system when it is up, and
# shuts it down as guest.verb= on the kernel command line says.
exec >/dev/console 2>&1

word()
{
	tr ' ' '\n' </proc/cmdline | sed -n "s/^guest\.$1=//p"
}

echo "guest: system is $(systemctl is-system-running --wait)"
systemctl list-units --failed --plain --no-legend |
	sed 's/^/guest: WRONG: failed: /'
! grep -q guest.again /proc/cmdline || echo 'guest: started by kexec'
echo "guest: process 1 is $(readlink /proc/1/exe)"
awk '$2 == "/" { r = $3 " " substr($4, 1, 2) }
	END { print "guest: root is", r }' /proc/mounts
# By which names the tools of the root find its disk.
echo "guest: findmnt: $(findmnt -no SOURCE,FSTYPE /)"
lsblk -nro PKNAME,NAME,MOUNTPOINT | sed 's/^/guest: lsblk: /'
udevadm settle
for by in uuid label; do
	for name in "/dev/disk/by-$by"/*; do
		case $(readlink -f "$name") in
		/dev/nbd0 | /dev/dm-0) echo "guest: by-$by is a disk of the root" ;;
		esac
	done
done
# nor is what the root's copies are in taken for it
for copy in /dev/loop[0-9] /dev/dm-[1-9]; do
	[ ! -b "$copy" ] || ! udevadm info -q property "$copy" |
		grep '^ID_FS_UUID=' ||
		echo "guest: WRONG: udev finds a file system on $copy"
done
if [ -s /etc/fstab ]; then
	echo "guest: fstab: $(sed 's/ .*//' /etc/fstab) is $(
		systemctl is-active -- -.mount)"
	# Debian 13 has none
	! command -v resize2fs >/dev/null ||
		resize2fs "$(findmnt -no SOURCE /)" 2>&1 |
		sed 's/^/guest: resize2fs: /'
fi
for exe in /proc/[0-9]*/exe; do
	[ -e "$exe" ] || continue # a thread of the kernel
	case $(readlink "$exe") in
	*shutdown* | *nbdboot* | /init*)
		# the watcher and renew stay; the watcher of the unit
		# comes from the root
		tr '\0' ' ' <"${exe%exe}cmdline" | grep -q -e '^@nbdboot renew' \
			-e '^@nbdboot watch nbd0' -e '^@nbdboot prefetch' -e '^/usr/local' && continue
		echo "guest: WRONG: a process of ours is left: $exe"
		;;
	esac
done
[ -x /run/initramfs/shutdown ] ||
	echo 'guest: WRONG: nothing to execute in /run/initramfs'
sed 's/^/guest: times: /' /run/nbdboot/boot.json
echo "guest: RAM for the way down: $(du -k /run/initramfs/shutdown |
	cut -f1) KiB"
# The watcher of the unit watches devices that are connected later.
echo "guest: its unit is $(systemctl is-active nbdboot-watch.service)"
read -r uri _ </sys/block/nbd0/backend
# Not always nbd1: after a failed try, udev may still have that one open.
later=$(nbdboot connect -R "${uri##*,}") && {
	until grep -q "POSIX .*:$(stat -c %i "/run/nbdboot/$later.watch") " \
		/proc/locks; do
		sleep 0.1
	done
	# on a slow host udev has it open for longer than disconnect waits
	udevadm settle
	nbdboot disconnect "$later" && echo 'guest: a later device was watched'
}
# The manager of the network leaves the root's interface alone, after a restart
# too.  Of two cards it is the one that the kernel found first, or second.
card=$(sed -n "s/^DEVICE='\(.*\)'/\1/p" /run/nbdboot/lease)
if systemctl is-active -q systemd-networkd; then
	systemctl restart systemd-networkd systemd-networkd-wait-online
	for other in /sys/class/net/en*; do
		echo "guest: the other interface is ${other##*/}"
	done
	networkctl --no-pager status "$card" |
		sed -n 's/^ *\(Network File\|State\): /guest: networkd: /p'
fi
# Prints the local ports of established connections.
connections()
{
	awk '$4 == "01" { print $2 }' /proc/net/tcp
}

# Whatever NetworkManager does, the root's connection lives on, and what waits
# for the network goes on.
if systemctl is-active -q NetworkManager; then
	before=$(connections)
	nm-online -q -t 60 && echo 'guest: NetworkManager is online'
	rm -f /etc/resolv.conf
	systemctl restart NetworkManager NetworkManager-wait-online
	nm-online -q -t 60 && echo 'guest: NetworkManager is online again'
	grep '^nameserver' /etc/resolv.conf | sed 's/^/guest: resolv.conf: /'
	nmcli -w 30 networking off
	nmcli -w 30 networking on
	nm-online -q -t 60 && echo 'guest: NetworkManager is online once more'
	nmcli -t general status | sed 's/^/guest: nmcli: /'
	systemctl stop NetworkManager
	grep -q '^nameserver' /etc/resolv.conf ||
		echo 'guest: WRONG: NetworkManager took resolv.conf with it'
	systemctl start NetworkManager
	! nmcli -w 30 device connect "$card" >/dev/null 2>/run/answer ||
		echo "guest: WRONG: NetworkManager takes $card"
	grep -q "doesn't allow" /run/answer ||
		echo "guest: WRONG: nmcli says $(cat /run/answer)"
	echo "guest: NetworkManager: $(nmcli -g GENERAL.STATE device show "$card")"
	[ "$(connections)" = "$before" ] ||
		echo "guest: WRONG: connections: $before, now $(connections)"
fi
if systemctl is-active -q networking; then
	echo "guest: ifupdown: active," \
		"$(ip -4 -o addr show dev "$card" | wc -l) address," \
		"$(cat /proc/[0-9]*/comm | grep -c dhclient) clients"
fi
# systemd waits for its services while the root is away, also for those that
# have a drop-in of a name that comes before that of ours.
hostnamectl >/dev/null
# One systemctl for all: a program is slow to start on an emulated CPU.
# shellcheck disable=SC2046 # words on purpose
systemctl show -p Id -p WatchdogUSec $(
	grep -l '^WatchdogSec' /usr/lib/systemd/system/systemd-*.service |
		sed 's|.*/||; s/@\.service$/@probe.service/') | awk -F = '
	function report() {
		if (value ~ /^(0|infinity)$/)
			print "guest:", id, "has no watchdog"
		else
			print "guest: WRONG:", id, "has a watchdog"
	}
	$1 == "Id" { id = $2 }
	$1 == "WatchdogUSec" { value = $2 }
	/^$/ { report() }
	END { report() }'
systemctl show -p Id -p TimeoutStartUSec -p TimeoutStopUSec \
	systemd-hostnamed systemd-localed systemd-timedated | awk -F = '
	function report() {
		if (bad)
			print "guest: WRONG:", id, "has" bad
		bad = ""
	}
	$1 == "Id" { id = $2 }
	/^Timeout/ && $2 != "infinity" { bad = bad " " $0 }
	/^$/ { report() }
	END { report() }'
# What reboot(2) answers to a request that means nothing: EINVAL, or EPERM for a
# process that may not reboot.
unit=/usr/local/lib/systemd/system/nbdboot-watch.service
# probe NAME CHANGE: a unit like ours, with a change, whose answer is in /run/NAME
probe()
{
	sed "s/^Type=.*/Type=oneshot/; s/^StandardOutput=.*/StandardOutput=file:\\/run\\/$1/
		s/^ExecStart=.*/ExecStart=perl -e 'syscall(169, 0, 0, 0, 0); print \$\$! + 0'/
		$2" $unit >"/run/systemd/system/$1.service"
}
probe may ''
probe may-not s/CAP_SYS_BOOT//
systemctl daemon-reload
systemctl start may may-not
echo "guest: reboot in the unit: $(cat /run/may), without: $(cat /run/may-not)"
# The rights that a watcher asks for, and gives up, are all in its unit.
dmesg | grep -e 'not filtered' -e 'cannot be dropped' |
	sed 's/^/guest: WRONG: /'
# Data that is dirty now is written during the shutdown.
dd if=/dev/urandom of=/var/tmp/blob bs=64k count=64 2>/dev/null
sha256sum </var/tmp/blob >/var/tmp/sum

# The rest of the root is read from the new server.
for server in $(word servers | tr , ' '); do
	before=$(connections)
	echo "guest: waits for the end of server $server"
	while [ "$(connections)" = "$before" ]; do
		sleep 0.1
	done
	echo 3 >/proc/sys/vm/drop_caches
	cat /usr/lib/x86_64-linux-gnu/*.so* >/dev/null &&
		echo "guest: outlives $server, and is $(
			systemctl is-system-running)"
done
verb=$(word verb)
if [ "$verb" = kexec ]; then
	printf '%s\n' 'auto eth0' 'allow-hotplug eth0' 'iface eth0 inet dhcp' \
		>/etc/network/interfaces
	kexec -l /boot/kernel --initrd=/boot/initramfs --command-line="$(
		sed -e 's/guest.verb=kexec/guest.verb=poweroff guest.again/' \
			-e s/systemd-networkd-wait-online/ifup@eth0/ \
			-e s/systemd-networkd/networking/ /proc/cmdline)"
fi
echo "guest: asks for $verb"
systemctl --no-block "$verb"
