#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /sbin/init of the root of test_suspend.sh: suspends the machine to RAM as often
# as a line comes from the console, uses its root when it goes on, and ends when
# "end" comes.  After a suspend it waits for a line, too; for "renew" it waits for
# the process that renews the lease to say something.
export PATH=/bin LD_LIBRARY_PATH=/lib/x86_64-linux-gnu

# Started by hand it would suspend the host.
[ $$ = 1 ] || exit 2

# Prints the addresses, and when their lease began.
state()
{
	ip -o addr show dev eth0 scope global |
		awk '{ print "guest: '"$1"' has " $4, $(NF - 2) }'
	echo "guest: $1 since $(sed -n 's/^begun=//p' /run/nbdboot/lease.state)"
}

ip -o monitor address >/run/changes 2>&1 &
dmesg -c >/dev/null
nap=0
state start
echo 'guest: up'
while read -r word && [ "$word" != end ]; do
	nap=$((nap + 1))
	before=$(date +%s)
	echo mem >/sys/power/state || echo 'guest: WRONG: no suspend'
	echo "guest: nap $nap of $(($(date +%s) - before)) s"
	echo 3 >/proc/sys/vm/drop_caches
	cat /bin/busybox >/run/read && cmp /bin/busybox /run/read &&
		echo "guest: nap $nap: the root is read"
	read -r word
	[ "$word" != renew ] || until dmesg | grep -q 'nbdboot: renew:'; do
		sleep 0.1
	done
	state "nap $nap"
	echo "guest: nap $nap is over"
done
sed -n '/^Deleted/s/^/guest: WRONG: /p' /run/changes
dmesg >/run/dmesg
sed -n 's/.*nbdboot: renew:/guest: renew:/p' /run/dmesg
grep -e 'I/O error' -e 'EXT4-fs error' /run/dmesg | sed 's/^/guest: WRONG: /'
# the kernel reports a suspend to the process that renews the lease
for fd in /proc/[0-9]*/fd/*; do
	case $(readlink "$fd") in
	*timerfd*) echo "guest: timer of $(tr '\0' ' ' <"${fd%/fd/*}/cmdline")" ;;
	esac
done
echo "guest: watched by $(cat /proc/[0-9]*/cmdline | tr '\0' ' ' |
	grep -c '@nbdboot watch')"
echo 'guest: end'
exec /run/initramfs/shutdown poweroff
