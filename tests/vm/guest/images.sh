#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The init of an image, which /etc/kind says: good, panics, hangs, or waits.
export PATH=/bin
mount -t proc proc /proc 2>/dev/null
kind=$(cat /etc/kind)
echo "guest: image $kind" >/dev/console
case $kind in
panics) exit 1 ;;
hangs) exec sleep 1000000 ;;
esac
# as nbdboot-image.service does
if [ -p /run/nbdboot/image.good ]; then
	wants=/run/systemd/system/multi-user.target.wants
	sed -n "s/^ExecStart=.*'\(.*\)'/\1/p" $wants/nbdboot-image.service \
		>/run/say
	sh /run/say
	until grep -q '^state good' /run/nbdboot/image; do usleep 20000; done
fi
sed 's/^/guest: now /' /run/nbdboot/image >/dev/console
echo "guest: panic $(cat /proc/sys/kernel/panic)" >/dev/console
echo "guest: end" >/dev/console
poweroff -f
