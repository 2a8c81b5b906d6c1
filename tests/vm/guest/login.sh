#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /sbin/init of the roots of test_login.sh: waits until the switch has asked for
# two more logins, reads its root again, and ends by the way down.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

echo "guest: address is $(ip -4 -o addr show dev eth0 | awk '{ print $4 }')"
for process in /proc/[0-9]*; do
	case $(tr '\0' ' ' <"$process/cmdline") in
	@wpa_supplicant*) break ;;
	esac
	process=
done
if [ "$process" ]; then
	echo "guest: supplicant, root $(readlink "$process/root")," \
		"oom $(cat "$process/oom_score_adj")"
	echo "guest: its root is $(stat -c %A /run/initramfs/8021x)"
	ls /run/initramfs/8021x/etc/8021x/* >/run/files
fi
if grep -q test.reroot /proc/cmdline &&
	! dmesg | grep -q 'the old system has ended'; then
	exec nbdboot reroot "$(sed -n 's/.*root=\([^ ]*\).*/\1/p' /proc/cmdline)"
fi
if grep -q test.again /proc/cmdline; then
	echo 'guest: from here on' >/dev/kmsg
	awk '/guest: from here on/ { on = 1 }
		on && /CTRL-EVENT-EAP-SUCCESS/ && ++n == 2 { exit }' </dev/kmsg
	echo 3 >/proc/sys/vm/drop_caches
	[ "$(md5sum </etc/blob)" = "$(cat /etc/sum)" ] &&
		echo 'guest: read after two more logins'
fi
echo 'guest: end'
exec /run/initramfs/shutdown "$(sed -n 's/.*test.verb=\([a-z]*\).*/\1/p' /proc/cmdline)"
