#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs in the roots of test_reroot.sh, with systemd or with busybox: reports the
# system when it is up, and then runs each line of the second serial port as a
# command.
export PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
exec >/dev/console 2>&1

# The devices of all mounts, and of all disks that are connected.  (An overlay
# has mounts that are not listed.)
devices()
{
	cut -d ' ' -f 3 /proc/self/mountinfo
	for disk in /sys/block/nbd*; do
		[ ! -e "$disk/pid" ] || cat "$disk/dev"
	done
}

# The files that processes have in memory, and which are on other devices: on
# those of a root that is gone.
old_files()
{
	devices | awk -F : '{ printf "%02x:%02x\n", $1, $2 }' >/run/devices
	cat /proc/[0-9]*/maps 2>/dev/null | awk 'NR == FNR { known[$1]; next }
		$6 ~ "^/" && $4 !~ "^00:" && !($4 in known) { print $4, $6 }
		' /run/devices -
}

# Processes that come from another root than this one.
strangers()
{
	old_files
	for p in /proc/[0-9]*; do
		[ -e "$p/exe" ] || continue # a thread of the kernel
		exe=$(readlink "$p/exe") || continue
		! tr '\0' ' ' <"$p/cmdline" | grep -q '^@.*bdboot' || continue
		cwd=$(readlink "$p/cwd")
		case $exe$cwd in
		*deleted* | */oldroot*) echo "$exe in $cwd" ;;
		esac
	done
}

state()
{
	if command -v systemctl >/dev/null; then
		systemctl is-system-running --wait
		systemctl list-units --failed --plain --no-legend >/run/failed
		sed 's/^/guest: WRONG: failed: /' /run/failed >&2
	else
		echo running
	fi
}

# Lists the command lines of all processes but the kernel's.  It starts none
# itself, which would come and go in the list.
users()
{
	for p in /proc/[0-9]*; do
		words=''
		read -r words <"$p/cmdline"
		[ ! "$words" ] || echo "$words"
	done 2>/dev/null >/run/users
}

count()
{
	users
	echo "guest: counts: mounts $(grep -c . /proc/mounts)" \
		"cgroups $(find /sys/fs/cgroup -type d | grep -c .)" \
		"processes $(grep -c . /run/users)" \
		"sockets $(awk '/^sockets/ { print $3 }' /proc/net/sockstat)" \
		"free $(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)"
}

report()
{
	marker=$(cat /etc/marker)
	echo "guest: $marker: system is $(state)"
	strangers | sed 's/^/guest: WRONG: of another root: /'
	awk '$2 == "/" { r = $1 " " $3 " " substr($4, 1, 2) }
		END { print "guest: root is", r }' /proc/mounts
	echo "guest: file is $(sha256sum </etc/file)"
	echo "guest: disks $(grep -l . /sys/block/nbd*/pid 2>/dev/null |
		tr '\n' ' ')"
	count
	sed 's/^/guest: process: /' /run/users
}

# it takes requests when the start is over
case $(readlink /proc/1/exe) in
*/openrc-init)
	until [ -p /run/openrc/init.ctl ]; do
		sleep 0.1
	done
	;;
esac
# what arrives while the port is not open is lost
exec 3</dev/ttyS1
stty raw -echo <&3
report
echo "guest: $marker is ready"
while read -r command <&3; do
	echo "guest: runs $command"
	eval "$command"
	echo "guest: status $?"
done
