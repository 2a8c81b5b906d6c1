#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dracut: a root on NBD that survives the outages of its server.
#
#	cmdline  parse-nbdboot.sh  what do the words mean?
#	network  by dracut's own modules, or networkd-*.sh for an older one
#	netroot  nbdbootroot.sh    connects, and starts the watcher
#	mount    by dracut's own modules, or generator.sh
#	pre-pivot keep.sh          keeps the program for a shutdown without dracut
#	          networkd-keep.sh keeps the address in the real system
#	shutdown shutdown.sh       disconnects, when all is unmounted

# called by dracut
check() {
	require_binaries nbdboot || return 1
	# an image for this machine alone: only if its root is on NBD
	[[ ${hostonly-} ]] || [[ ${mount_needs-} ]] && {
		for_each_host_dev_and_slaves block_is_nbd || return 255
	}
	return 0
}

# called by dracut
depends() {
	echo network rootfs-block
}

# nbdboot_backend MAJOR:MINOR: sets backend if nbdboot connected this device
nbdboot_backend() {
	[[ -r /sys/dev/block/$1/backend ]] &&
		read -r backend _ <"/sys/dev/block/$1/backend" &&
		[[ $backend == nbd* ]]
}

# Prints the word for the root of this machine, below whatever it is made of.
# With nbdboot.overlay the device is the lower layer's.
cmdline() {
	local mount device backend=''
	for mount in / /run/nbdboot/lower; do
		device=$(find_block_device "$mount") || continue
		! check_block_and_slaves nbdboot_backend "$device" || break
		backend=''
	done
	[[ ! $backend ]] || printf ' netroot=%s' "$backend"
}

# called by dracut
installkernel() {
	# efivarfs: the variable of nbdboot.efi
	hostonly='' instmods nbd =net/tls tls tcp_diag unix_diag efivarfs
}

# networkd SCRIPT: that of dracut's module systemd-networkd which calls netroot.
# Before 103 dracut has none, and before 112 it finds no lease of systemd 261.
networkd() {
	inst_hook pre-pivot 90 "${moddir:?}/networkd-keep.sh"
	if [[ ! -e $1 ]]; then
		inst_hook cmdline 99 "$moddir/networkd-config.sh"
		inst_hook initqueue/settled 99 "$moddir/networkd-online.sh"
	fi
	if ! grep -qs dhcp-lease "$1"; then
		inst_hook initqueue/online 10 "$moddir/networkd-lease.sh"
		inst_multiple -o networkctl sed
	fi
}

# called by dracut
install() {
	inst_multiple nbdboot cat cp mkdir
	inst_hook cmdline 90 "${moddir:?}/parse-nbdboot.sh"
	inst_hook pre-pivot 90 "$moddir/keep.sh"
	inst_hook shutdown 90 "$moddir/shutdown.sh"
	inst_script "$moddir/nbdbootroot.sh" /sbin/nbdbootroot
	if dracut_module_included systemd-initrd; then
		inst_script "$moddir/generator.sh" \
			"${systemdutildir:?}/system-generators/nbdboot-generator"
	fi
	if dracut_module_included systemd-networkd; then
		networkd "$(dracut_module_path systemd-networkd)/networkd-run.sh"
	fi
	if [[ ${hostonly_cmdline-} == yes ]]; then
		cmdline >"${initdir:?}/etc/cmdline.d/95nbdboot.conf"
	fi
	# of a directory dracut-install makes an empty one
	local files
	mapfile -t -d '' files < <(find -L "${dracutsysrootdir-}/etc/nbdboot" \
		! -type d -print0 2>/dev/null)
	[[ ! ${files[*]} ]] || inst_multiple -H "${files[@]}"
	dracut_need_initqueue
}
