#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian with systemd boots from a server up to the last unit, and shuts down.
# TAP on standard output.  The first machine has Debian 13, the others have 12,
# or with RELEASE=trixie 13, too.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
ext4=$work/ext4
squashfs=$work/squashfs
ip=$guest_ip
uuid=b7f3c1de-94a2-4f0c-8d7e-2a5b6c9d0e1f
label='nbdboot-root'
# how the root's fstab names it
fstab=UUID=$uuid

# make_tree [VARIANT]: of debian.sh, and its file system
make_tree()
{
	debian=$(sh "$here/../debian.sh" "$O/debian${1:+-$1}" "${1-}") || exit 1
	rm -rf "$tree" "$ext4"
	cp -a "$debian" "$tree"
	cp "$here/guest/debian.sh" "$tree/usr/local/sbin/guest"
	cp "$kernel" "$tree/boot/kernel"
	cp "$work/initramfs" "$tree/boot/initramfs"
	# shellcheck disable=SC2154 # by find_kernel
	in_tree=$tree/usr/lib/modules/${modules##*/}
	mkdir -p "$in_tree"
	find "$modules" -name 'dummy.ko*' -exec cp {} "$in_tree" \;
	depmod -b "$tree" "${modules##*/}" 2>/dev/null
	printf '%s\n' '[Service]' 'ExecStart=/usr/local/sbin/guest' \
		'[Install]' 'WantedBy=multi-user.target' \
		>"$tree/etc/systemd/system/guest.service"
	# a name before ours: without ours, hostnamed has this watchdog
	mkdir "$tree/etc/systemd/system/systemd-hostnamed.service.d"
	printf '%s\n' '[Service]' WatchdogSec=10s \
		>"$tree/etc/systemd/system/systemd-hostnamed.service.d/10-short.conf"
	make -s -C "$here/../.." O="$O" DESTDIR="$tree" install
	ln -s /etc/systemd/system/guest.service \
		/usr/local/lib/systemd/system/nbdboot-watch.service \
		"$tree/etc/systemd/system/multi-user.target.wants/"
	mapped_ca "$tree"
	echo "$fstab / ext4 defaults 0 1" >"$tree/etc/fstab"
	truncate -s 400M "$ext4"
	mke2fs -q -t ext4 -E root_owner=0:0,lazy_itable_init=1 -U "$uuid" \
		-L "$label" -d "$tree" "$ext4"
	mapped_ext4 "$ext4"
}

# export_file FILE: serves it, and logs the requests
export_file()
{
	daemon_at "$port" nbdkit -t 1 -f -v -i 127.0.0.1 -p "$port" file "$1"
}

# without_module NAME FILE: makes an initramfs without that module
without_module()
{
	mkdir "$work/unpacked"
	gzip -dc "$work/initramfs" | (cd "$work/unpacked" &&
		cpio --quiet -id && find . -name "$1.ko" -delete &&
		find . | cpio --quiet -o -H newc) >"$2"
	rm -r "$work/unpacked"
}

goodbye()
{
	end_server "$server"
	check "$1: the server got a disconnect" \
		grep -q 'client sent NBD_CMD_DISC' "$work/daemon.log"
}

# boot WORD...: boots, with `manager` for the network.  With networkd the
# machine has a second card without a peer, where NetworkManager would wait for
# a lease.
boot()
{
	silent=
	[ "$manager" != systemd-networkd ] ||
		silent='-netdev hubport,hubid=1,id=silent
			-device virtio-net-pci,netdev=silent,romfile='
	# shellcheck disable=SC2086 # words on purpose
	vm_start "$archive" "root=${other}nbd://$host:$port/ ip=$ip \
loglevel=4 $quiet_systemd systemd.wants=$manager.service \
systemd.wants=$manager-wait-online.service $*" $silent
}

# down() shows the console, once.
at_failure()
{
	wrong=1
}

# Each step has a time, and none ends before it begins.
times_are_shown()
{
	"$nbdboot" boot-time "$work/boot.json" >"$work/times" || return 1
	sed 's/^/# /' "$work/times"
	for step in kernel drivers network connect mount switch; do
		grep -q "^ *[0-9]* *[0-9]*  $step " "$work/times" || return 1
	done
	"$nbdboot" boot-time --svg "$work/boot.json" | grep -q '>connect<'
}

# networkd has it as configured; NetworkManager does not manage it, and
# ifupdown starts no second DHCP client, although its file asks for one twice.
network_is_left()
{
	case $manager in
	systemd-networkd)
		said 'guest: networkd: /run/systemd/network/10-nbdboot-eth[01]' &&
			said 'guest: networkd: routable (configured)' &&
			said 'guest: the other interface is en[a-z]'
		;;
	networking)
		said 'guest: ifupdown: active, 1 address, 0 clients'
		;;
	*) said 'guest: NetworkManager: 10 (unmanaged)' ;;
	esac
}

# Nothing waits in vain for NetworkManager, nor for its resolv.conf.
online()
{
	said 'guest: NetworkManager is online$' &&
		said 'guest: NetworkManager is online again' &&
		said 'guest: NetworkManager is online once more' &&
		said 'guest: resolv.conf: nameserver 10\.'
}

# up NAME ROOT: the machine is up, and asks for its shutdown
up()
{
	wrong=''
	vm_asks
	check "$1 boots to multi-user with all units" \
		said 'guest: system is running'
	check "$1: its root is $2" said "guest: root is $2"
	check "$1: systemd is process 1, and alone" \
		said 'guest: process 1 is /usr/lib/systemd/systemd'
	check "$1: the unit watches a device that comes later" \
		eval "said 'guest: its unit is active' &&
			said 'guest: a later device was watched'"
	sed -n 's/.*guest: times: //p' "$work/log" >"$work/boot.json"
	check "$1: the unit may reboot" \
		said 'guest: reboot in the unit: 22, without: 1'
	check "$1: systemd waits for its services in an outage" eval \
		"said 'guest: systemd-hostnamed.service has no watchdog' &&
			said 'guest: systemd-journald.service has no watchdog' &&
			said 'guest: systemd-udevd.service has no watchdog'"
	check "$1: the manager of the network leaves its interface alone" network_is_left
	check "$1: its times can be shown" times_are_shown
	grep 'guest: RAM' "$work/log" | sed 's/^/# /' || true
}

# The root's tools find the disk of the root, by each of its names.
tools_find_it()
{
	said "guest: findmnt: $root_disk ext4$" &&
		said "guest: lsblk: .*$root_layer .*/$" &&
		said 'guest: by-uuid is a disk of the root$' &&
		said 'guest: by-label is a disk of the root$' &&
		said "guest: fstab: $fstab is active$"
}

# down NAME WHAT PATTERN...: the shutdown is done
down()
{
	name=$1 verb=$2
	shift 2
	# until the next kernel starts, or the machine ends
	if [ $# = 0 ]; then
		while vm_wait '*'; do :; done
	else
		vm_wait "$@" || true
	fi
	vm_came "$name: $verb arrives"
	vm_began=$(now_ms)
	check "$name: $verb: it was all unmounted and disconnected" \
		said 'nbdboot: all is unmounted and disconnected'
	said 'WRONG\|Kernel panic' && not_ok "$name: nothing is wrong" && wrong=1
	[ -z "$wrong" ] || show "$work/log"
	[ $# != 0 ] || vm_stop
}

find_kernel
packed=gzip initramfs "$work/initramfs" \
	'nbd virtio_net virtio_pci ext4 squashfs overlay' | sed 's/^/# /'
make_tree trixie

second=$(free_port)
port=$(free_port)

# ---- ext4, writable ----

manager=systemd-networkd
# The kernel calls modprobe for a missing module.  In an outage it must not need
# one, as modprobe is on the root.
archive=$work/lacking other="nbd://[fec0::2]/,nbd://$host:$second/,"
without_module tcp_diag "$archive"
export_file "$ext4"
# the shutdown waits for requests in flight
boot rw ipv6.disable=1 nbdboot.io-timeout=3 guest.verb=reboot \
	guest.servers=first,second
vm_wait '*guest: waits for the end of server first*' || true
unserve
export_file "$ext4"
vm_wait '*guest: waits for the end of server second*' || true
unserve
port=$second
export_file "$ext4"
up 'ext4' 'ext4 rw'
check 'ext4: fstab, findmnt, lsblk and the links have its root' tools_find_it
check 'ext4: it stays up when the server is restarted' \
	said 'guest: outlives first, and is running'
check 'ext4: it stays up when another server takes over' \
	said 'guest: outlives second, and is running'
down 'ext4' reboot
goodbye 'ext4'
check 'the file system was left clean' is_clean "$ext4"
check 'what was written last is all there' blob_is_whole "$ext4"

fstab=LABEL=$label
make_tree ${RELEASE:+"$RELEASE-net"}
rm "$tree/etc/fstab"
mapped_tree "$tree" 400
mksquashfs "$tree" "$squashfs" -quiet -no-progress -comp zstd \
	-Xcompression-level 1 -no-xattrs >/dev/null
mapped_size "$squashfs" 400
archive=$work/initramfs other='' ip=dhcp
export_file "$ext4"
boot rw guest.verb=kexec
up 'ext4, again' 'ext4 rw'
check 'ext4, again: and so have they here' tools_find_it
check 'ext4, again: resize2fs has nothing to do' \
	said 'guest: resize2fs: The filesystem is already [0-9]* .*long. '
down 'ext4, again' kexec '*nbdboot: kexec'
wrong='' manager=networking
: >"$work/log"
up 'the next kernel' 'ext4 rw'
check 'it was started by kexec' said 'guest: started by kexec'
down 'the next kernel' poweroff
goodbye 'the next kernel'
check 'the file system was left clean again' is_clean "$ext4"

# ---- squashfs under an overlay ----

manager=NetworkManager
export_file "$squashfs"
boot nbdboot.overlay guest.verb=poweroff
up 'squashfs and overlay' 'overlay rw'
check 'squashfs and overlay: nm-online succeeds, and resolv.conf is written again' \
	online
down 'squashfs and overlay' poweroff
goodbye 'squashfs and overlay'

finish
