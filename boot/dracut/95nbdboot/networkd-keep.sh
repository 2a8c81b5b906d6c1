#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by dracut before it leaves the initramfs.  The files of ip= and those of
# dracut's default stay in /run for the networkd of the real system, which would
# remove the address of the root when it stops or when a cable is out; and what
# would set it again is itself on the root.
nbdboot_networkd_keep() (
	for file in /run/systemd/network/*.network; do
		[ ! -e "$file" ] || {
			mkdir -p "$file.d" && printf '%s\n' '[Network]' \
				KeepConfiguration=yes IgnoreCarrierLoss=yes \
				>"$file.d/nbdboot.conf"
		} || exit
	done
)

[ ! -e /run/nbdboot/root ] || nbdboot_networkd_keep ||
	warn 'nbdboot: networkd will remove the address of the root when a' \
		'cable is out'
