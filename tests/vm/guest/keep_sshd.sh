#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A service in the root of soak_keep.sh: loses the server, and empties the caches.
# What it needs then is kept, too.
exec >/dev/console 2>&1
export PATH=/usr/local/sbin:/usr/sbin:/usr/bin

connected()
{
	while read -r _ _ remote state _; do
		case $remote:$state in
		*:0016:*) ;;
		*:01) [ "${remote#0202000A:}" = "$remote" ] || return 0 ;;
		esac
	done </proc/net/tcp
	return 1
}

echo "guest: system is $(systemctl is-system-running --wait)"
echo "guest: root is $(cat /etc/marker)"
until dmesg | grep 'nbdboot: keep: .* in memory' >/run/kept; do sleep 0.1; done
sed -n 's/^.*nbdboot: keep: /guest: keep: /p' /run/kept
dmesg | sed -n 's/^.*nbdboot: keep: .* is not/guest: WRONG: &/p'
systemctl is-active ssh
sync
echo 'guest: waits for the end of the server'
while connected; do sleep 0.1; done
for _ in 1 2 3 4; do echo 3 >/proc/sys/vm/drop_caches; done
echo 'guest: the caches are empty'
