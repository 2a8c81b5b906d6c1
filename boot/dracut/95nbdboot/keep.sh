#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by dracut before it leaves the initramfs: keeps our program in RAM for
# the shutdown.  dracut's scripts for that are unpacked again, from an image in
# /boot.  If that fails (there is none, as the machine starts from a UKI or by
# TFTP, or /run is too small) the program unmounts and disconnects in their
# place, as it does if the root has no dracut.
# shellcheck disable=SC2154 # dracut's
nbdboot_keep() {
	home=/run/initramfs unit=dracut-shutdown.service
	units=$NEWROOT/usr/lib/systemd/system
	[ -d "$units" ] || units=$NEWROOT/lib/systemd/system
	# Debian's is a link that leads nowhere from here
	if [ -e "$units/$unit" ] || [ -L "$units/$unit" ]; then
		home=/run/nbdboot/down
		mkdir -p "/run/systemd/system/$unit.d"
		# a failed unit removes what is there by then
		printf '%s\n' '[Service]' SuccessExitStatus=1 \
			"ExecStopPost=/bin/sh -c '[ -x /run/initramfs/shutdown ] \
|| mount --bind $home /run/initramfs'" \
			>"/run/systemd/system/$unit.d/nbdboot-down.conf"
	fi
	mkdir -p "$home/dev" "$home/proc" "$home/sys" "$home/run" \
		"$home/oldroot" &&
		cp "$(command -v nbdboot)" "$home/shutdown"
}

[ ! -e /run/nbdboot/root ] || nbdboot_keep ||
	warn 'nbdboot: without an image in /boot the server will get no' \
		'disconnect at shutdown'
