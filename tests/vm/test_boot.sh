#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines that boot from a server, and some that cannot.  TAP on standard
# output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
ext4=$work/ext4
squashfs=$work/squashfs
disk=$work/disk
part_uuid=0fc63daf-8483-4772-8e79-3d69d8477de4
# of the Discoverable Partitions Specification
case ${ARCH-} in
aarch64) root_type=b921b045-1df0-41c3-af44-4c6f280d3fae ;;
*) root_type=4f68bce3-e8cd-4db1-96e7-fbcaf984b709 ;;
esac
fs_uuid=11111111-2222-4333-8444-555555555555

make_tree()
{
	root_tree "$tree" guest/boot.sh
	echo '#!/bin/sh' >"$tree/sbin/unexecutable"
	echo '#!/bin/nothing' >"$tree/sbin/broken"
	chmod 755 "$tree/sbin/broken"
}

# ext4_image FILE MARKER
ext4_image()
{
	echo "$2" >"$tree/etc/marker"
	ext4_of "$tree" "$1" -L rootlabel -U "$fs_uuid"
}

# boot WORDS: boots from the server on $port, and waits for the machine's end
boot()
{
	vm_start "$work/initramfs" \
		"root=nbd://$host:$port/ ip=$guest_ip loglevel=4 $*"
}

# failed_with SENTENCE PATTERN: the console has the message, and then what the
# machine does next; the kernel does not panic.
failed_with()
{
	sentence=$1 pattern=$2
	vm_wait '*nbdboot: *next try in*' '*nbdboot: rebooting in*' \
		'*nbdboot: this cannot pass*' || true
	if ! said "nbdboot: FAILED: .*$pattern"; then
		not_ok "$sentence"
		show "$work/log"
	elif said 'Kernel panic'; then
		not_ok "$sentence, before a panic"
		show "$work/log"
	else
		ok "$sentence"
		grep 'nbdboot: FAILED' "$work/log" | sed 's/^/# /'
	fi
}

find_kernel
make_tree
packed=gzip initramfs "$work/initramfs" \
	'nbd virtio_net virtio_pci e1000 ext4 squashfs' | sed 's/^/# /'

# ---- roots ----

ext4_image "$ext4" plain
serve 0 file "$ext4"
boot rw
booted 'a root on ext4, rw' '/dev/nbd0 ext4 rw' plain
if [ "$(debugfs -R 'cat /tmp/written' "$ext4" 2>/dev/null)" = written ]; then
	ok 'what the machine wrote is on the server'
else
	not_ok 'what the machine wrote is on the server'
fi

if said '^guest: disks nbd0$'; then
	ok 'there is no nbd device but the one of the root'
else
	not_ok 'there is no nbd device but the one of the root'
fi

vm_pcap=$work/pcap
in_qemu boot 'ro nbdboot.connections=4 rootfstype=ext4 rootflags=noatime nbd.nbds_max=3 nbdboot.tune=read_ahead_kb=512,tcp_rmem=67108864'
vm_pcap=
booted 'a root on ext4, ro, 4 connections' '/dev/nbd0 ext4 ro' plain
if said '^guest: reads ahead 512 KiB$'; then
	ok 'nbdboot.tune= changed a setting'
else
	not_ok 'nbdboot.tune= changed a setting'
fi
# Linux takes this scale for a buffer of 64 MiB, and a smaller one by default.
scales=$(tshark -r "$work/pcap" -Y "tcp.dstport == $port && tcp.flags.syn == 1" \
	-T fields -e tcp.options.wscale.shift 2>/dev/null | sort -u)
if [ "$scales" = 11 ]; then
	ok 'and the buffers of TCP, before the first connection'
else
	not_ok "and the buffers of TCP, before the first connection: $scales"
fi
if said '^guest: disks nbd0 nbd1 nbd2$'; then
	ok 'a module has the parameters of the kernel command line'
else
	not_ok 'a module has the parameters of the kernel command line'
fi

vm_nic=e1000,romfile=
in_qemu boot rw
booted 'a root through another network card' '/dev/nbd0 ext4 rw' plain
vm_nic=
unserve

rm -f "$tree/etc/marker"
echo squashed >"$tree/etc/marker"
mksquashfs "$tree" "$squashfs" -quiet -no-progress -all-root >/dev/null
serve 0 -r file "$squashfs"
boot ro
booted 'a root on squashfs' '/dev/nbd0 squashfs ro' squashed
unserve

# ---- partitions ----

ext4_image "$work/part" partition
disk_of "$work/part" "$disk" "$part_uuid"
serve 0 file "$disk"
for part in 2 LABEL=rootlabel "UUID=$fs_uuid" "PARTUUID=$part_uuid"; do
	boot "rw nbdboot.part=$part"
	booted "a root on a partition, nbdboot.part=$part" \
		'/dev/nbd0p2 ext4 rw' partition
done
boot rw
failed_with 'of two partitions for Linux none is chosen' \
	'nbdboot.part= names it'
check 'and a list names each' said 'nbdboot.part=2: ext4, type Linux'
vm_stop
sfdisk -q --part-type "$disk" 2 "$root_type"
boot rw
booted 'a root that the table marks, without a word' '/dev/nbd0p2 ext4 rw' \
	partition
boot nbdboot.part=LABEL=nosuch
failed_with 'a partition that is not there is named' 'nosuch'
vm_stop
unserve

# ---- a server that comes late ----

port=$(free_port)
boot rw
failed_with 'a server that is not up is named' "$host.*$port"
serve "$port" file "$ext4"
booted 'and the machine boots when it comes up' '/dev/nbd0 ext4 rw' plain
unserve

# ---- a server that drops its first connections ----

# drops SENTENCE WORDS: the machine boots with the sixth connection, and the
# driver never waits for a request that is lost.
drops()
{
	serve_dropping "$ext4" 5
	boot "rw ${2-}"
	booted "$1" '/dev/nbd0 ext4 rw' plain
	check "and it takes the sixth ($(connections) in all)" \
		[ "$(connections)" = 6 ]
	if said 'onnection timed out'; then
		not_ok 'without a time-out'
		show "$work/log"
	else
		ok 'without a time-out'
	fi
	unserve
}
drops 'a root whose first five connections end at their first read'
# here it is the kernel that reads
drops 'a root whose first five connections end before the device is ready' \
	nbdboot.identity=0

# ---- mistakes ----

serve 0 --filter=exportname file "$ext4" exportname=right \
	exportname-strict=true
vm_start "$work/initramfs" \
	"root=nbd://$host:$port/wrong ip=$guest_ip loglevel=4"
failed_with 'an export that is not there is named' 'wrong'
vm_stop
unserve

serve 0 file "$ext4"
for init in /sbin/missing /sbin/unexecutable /sbin/broken; do
	boot "rw init=$init"
	failed_with "an init that cannot run is named, init=$init" "$init"
	while vm_wait '*Kernel panic*'; do
		not_ok "and the kernel does not panic, init=$init"
		show "$work/log"
	done
	vm_stop
done
unserve

vm_start "$work/initramfs" 'loglevel=4'
failed_with 'a command line without a root is refused' 'root='
vm_stop

# ---- an initramfs with a script ----

add_busybox "$work/own"
rm -f "$work/own/bin/init" "$work/own/bin/modprobe"
cp "$here/guest/own-initramfs.sh" "$work/own/own"
chmod 755 "$work/own/own"
in_qemu initramfs "$work/own.gz" 'nbd virtio_net virtio_pci ext4' "$work/own" |
	sed 's/^/# /'
serve 0 file "$ext4"
in_qemu vm_start "$work/own.gz" "rdinit=/own root=nbd://$host:$port/ loglevel=4"
booted 'a script boots with modprobe, connect and switch-root' \
	'/dev/nbd0 ext4 rw' plain
if said '^guest: refused with'; then
	ok 'and switch-root refuses what is no root before that'
else
	not_ok 'and switch-root refuses what is no root before that'
fi

finish
