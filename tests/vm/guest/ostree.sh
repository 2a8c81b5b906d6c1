#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# /sbin/init of the deployments of test_ostree.sh: describes where it is, and
# ends.
export PATH=/bin:/sbin

# Started by hand it would end the host.
[ $$ = 1 ] || exit 2

awk '$2 ~ /^\/($|usr$|etc$|var$|boot$|sysroot)/ {
		print "guest: mount", $2, $3, substr($4, 1, 2) }' /proc/mounts
echo "guest: marker is $(cat /usr/marker)"
echo "guest: etc is $(cat /etc/marker)"
for dir in / /usr /etc /var /boot /sysroot; do
	if echo written 2>/dev/null >"${dir%/}/written"; then
		echo "guest: can write $dir"
	else
		echo "guest: cannot write $dir"
	fi
done
echo "guest: state $(cd /sysroot/ostree/deploy && echo *)"
echo "guest: var $(cat /var/kept)"
echo "guest: boot" /boot/loader*
echo "guest: booted $(od -An -tx1 -v /run/ostree-booted | tr -d ' \n')"
echo "guest: disk $(readlink /run/systemd/volatile-root)"
ls /run/nbdboot/sysroot 2>/dev/null && echo 'guest: WRONG: sysroot is left'
sync
echo 'guest: end'
exec /run/initramfs/shutdown poweroff
