#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The init of an image of soak_images_uefi.sh, which /etc/kind says: it panics, or
# it says what the firmware keeps.  When it was good before, it spoils the
# variable.
export PATH=/bin
vars=/sys/firmware/efi/efivars
name=$vars/NbdBootImages-9bd1b1c7-2b4a-4e0d-8a57-6e6264626f6f

exec >/dev/console 2>&1
echo "guest: image $(cat /etc/kind)"
! grep -q panics /etc/kind || exit 1
tried=
if [ -p /run/nbdboot/image.good ]; then
	tried=1
	echo good 1<>/run/nbdboot/image.good
	until grep -q '^state good' /run/nbdboot/image; do usleep 20000; done
fi
sed 's/^/guest: now /' /run/nbdboot/image
mount -t efivarfs efivarfs $vars 2>/dev/null
lsattr $name | sed 's/^/guest: flags /'
echo "guest: variable of $(stat -c %s $name) bytes"
tail -c +5 $name | sed 's/^/guest: kept /'
[ "$(cat /etc/kind)" = last ] && poweroff -f
echo 'guest: shown'
if [ ! "$tried" ]; then
	chattr -i $name
	printf '\7\0\0\0nbdboot-images 1\ngood ../../etc\n' |
		dd of=$name bs=64k 2>/dev/null
	echo 'guest: spoiled'
fi
reboot -f
