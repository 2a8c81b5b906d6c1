#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines with sysvinit, OpenRC or runit move into other roots.  TAP on standard output.
# INITS: which of them
VM_LIMIT=${VM_LIMIT:-3600}
# shellcheck source=tests/vm/reroot.sh
. "${0%/*}/reroot.sh"

# A service that leaves a file when it is stopped, and one that writes.
services()
{
	cat >"$tree/etc/init.d/witness" <<-'END'
		#!/bin/sh
		### BEGIN INIT INFO
		# Provides:          witness
		# Required-Start:    $local_fs
		# Required-Stop:     $local_fs
		# Default-Start:     2 3 4 5
		# Default-Stop:      0 1 6
		# Short-Description: Leaves a file when it is stopped.
		### END INIT INFO
		case $1 in
		start)
			rm -f /var/tmp/stopped
			while :; do
				dd if=/dev/urandom of=/var/tmp/x bs=64k \
					count=200
			done 2>/dev/null &
			;;
		stop)
			date >/var/tmp/stopped
			;;
		esac
	END
	chmod 755 "$tree/etc/init.d/witness"
}

# What each starts the guest's script by.
start_guest()
{
	case $1 in
	sysvinit | openrc)
		sed -i '/getty/d' "$tree/etc/inittab"
		echo 'gu:2345:once:/usr/local/sbin/guest' >>"$tree/etc/inittab"
		;;
	openrc-init)
		ln -sf openrc-init "$tree/sbin/init"
		cat >"$tree/etc/init.d/guest" <<-'END'
			#!/sbin/openrc-run
			command=/usr/local/sbin/guest
			command_background=yes
			pidfile=/run/guest.pid
		END
		chmod 755 "$tree/etc/init.d/guest"
		chroot "$tree" rc-update add guest default
		;;
	runit)
		rm -f "$tree"/etc/runit/runsvdir/default/getty-*
		mkdir "$tree/etc/sv/guest"
		printf '%s\n' '#!/bin/sh' 'exec /usr/local/sbin/guest' \
			>"$tree/etc/sv/guest/run"
		chmod 755 "$tree/etc/sv/guest/run"
		ln -s /etc/sv/guest "$tree/etc/runit/runsvdir/default/"
		;;
	esac
}

# The services of the system NAME, which ended, were stopped.
was_stopped()
{
	debugfs -R 'cat /var/tmp/stopped' "$work/$1" 2>/dev/null | grep -q .
}

# The name of its process 1.
process_1()
{
	case $init in
	runit) echo runit ;;
	*) echo init ;;
	esac
}

moves()
{
	init=$1 end=reboot names=''
	check "$init: the checks change nothing" succeeds \
		"! nbdboot reroot nbd://$host:1/ && grep '$(process_1)' \
/proc/1/comm"
	before=$(goodbyes old)
	tell "nbdboot reroot $new"
	check "$init: from a server to another" arrives new
	check "$init: by its own commands" said 'the old system ends: '
	check "$init: which neither reboot nor hang" \
		eval '! said "does not end" && ! said "Restarting system"'
	check "$init: the services of the old system were stopped" \
		was_stopped old
	check "$init: the old server saw the disconnect" \
		[ "$(goodbyes old)" -gt "$before" ]
	case $init in
	runit) tell 'nbdboot reroot local:/dev/vda' ;;
	*) tell "nbdboot reroot local:/dev/vda & p=\$!; until grep -q \
' [^ ]*/sbin/[a-z-]*init ' /proc/mounts; do :; done; kill \$p; wait \$p" ;;
	esac
	check "$init: to a disk of the machine, though a signal comes while it \
is asked" arrives disk
	check "$init: the services were stopped again" was_stopped new
	tell "nbdboot reroot -o tmpfs $old"
	check "$init: and to a server, with an overlay" arrives old
	check "$init: the services of the disk were stopped" was_stopped disk
	tell "nbdboot reroot $new"
	check "$init: and out of it" arrives new
	ten_times new "$new" old "$old"
	before=$(goodbyes new)
	first=$(boot_id)
	tell "nbdboot reroot --kexec $old"
	check "$init: with its kernel into another root" arrives old
	check "$init: the services were stopped before that" was_stopped new
	check "$init: the server saw the disconnect" \
		[ "$(goodbyes new)" -gt "$before" ]
	last=$(boot_id)
	check "$init: the kernel has started anew ($first, $last)" started_anew
	tell "nbdboot reroot $new"
	check "$init: and on, under that kernel" arrives new
	# Debian's reboot asks sysvinit only
	[ "$init" != openrc-init ] || end='openrc-shutdown -r now'
	tell "$end"
	check "$init: a reboot is one after that" arrives old
	# the reboot of openrc-init is its own
	[ "$init" = openrc-init ] || names=new
	for name in disk $names; do
		check "$init: the file system of $name was left clean" \
			is_clean "$work/$name"
	done
}

find_kernel
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4 overlay virtio_blk' |
	sed 's/^/# /'
for init in ${INITS:-sysvinit openrc openrc-init runit}; do
	tree=$work/tree
	rm -rf "$tree"
	copy_debian "${init%-init}"
	services
	chroot "$tree" update-rc.d witness defaults >/dev/null
	start_guest "$init"
	add_kernel
	start_debian
	moves "$init"
	vm_stop
	stop old
	stop new
done
finish
