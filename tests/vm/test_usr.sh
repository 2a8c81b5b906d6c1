#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines with a /usr of its own: below a root in RAM, or on another partition of
# the export.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/verity.sh
. "$here/verity.sh"

# make_usr: $tree, all that is below /usr, and of it $work/plain
make_usr()
{
	add_busybox "$tree"
	mkdir -p "$tree/sbin" "$tree/share" "$tree/lib"
	install -m 755 "$here/guest/usr.sh" "$tree/sbin/init"
	install -m 755 "$nbdboot" "$tree/bin/nbdboot"
	{
		echo BLOB-BEGINS-HERE
		head -c 2M /dev/urandom
	} >"$tree/share/blob"
	blob=$(sha256sum "$tree/share/blob" | cut -d ' ' -f 1)
	mksquashfs "$tree" "$work/plain" -quiet -no-progress -all-root -noD \
		-noF -noI -noappend >/dev/null
	size=$(stat -c %s "$work/plain")
}

# make_root TREE: a root for it, whose /usr is empty
make_root()
{
	for entry in usr etc proc sys dev run tmp; do
		mkdir -p "$1/$entry"
	done
	for entry in bin sbin lib; do
		ln -s "usr/$entry" "$1/$entry"
	done
	echo guest.root >"$1/etc/mark"
}

# is_clean_part DISK: the root that make_root has made, on it
is_clean_part()
{
	dd if="$1" of="$work/part" bs=1M skip=1 count=32 status=none
	is_clean "$work/part"
}

# start WORDS...: boots it, whatever becomes of that
start()
{
	vm_start "${ramfs:-$work/initramfs}" "ip=$guest_ip loglevel=4 $*"
	vm_end
}

find_kernel
make_usr
initramfs "$work/initramfs" "$verity_modules ext4 dm_mirror" | sed 's/^/# /'

# ---- an export that is /usr ----

with_tree "$image"
good_hash=$roothash
serve 0 file "$image"
start root=tmpfs rootflags=size=64m "netroot=nbd://$host:$port/" \
	"usrhash=$good_hash" mount.usrflags=nosuid guest.reroot
check 'a reroot takes such a root apart, and puts it together again' \
	[ "$(grep -c 'all is unmounted and disconnected' "$work/log") \
$(grep -c "^guest: blob is $blob$" "$work/log")" = '2 2' ]
ended 'a verified /usr is below a root in RAM' '^guest: / is tmpfs rw $' '^guest: / has 65536 KiB$' \
	'^guest: /usr is squashfs ro,nosuid on dm-0$' \
	'^guest: it is nbdboot-verity-nbd0 of nbd0$' \
	'^guest: links bin=usr/bin sbin=usr/sbin lib=usr/lib $' \
	'^guest: systemd has nothing to do for usr$' \
	'^guest: / is written$' '^guest: /usr/ is not written$' \
	'guest: list:.*Backend: *nbd://' 'guest: list:.*Mode: *read-only$' \
	'guest: report:.*the root is in RAM, and its /usr is /dev/dm-0 (nbd://' \
	'!guest: the root of the export' '!not all could be undone'
start "root=nbd://$host:$port/" systemd.volatile=yes rw nbdboot.toram \
	"usrhash=$good_hash" mount.usr=/dev/mapper/usr nbdboot.overlay
ended 'it may be a copy in RAM, and writable by an overlay' \
	'^guest: / is tmpfs rw ' '^guest: /usr is overlay rw' \
	'^guest: /run/nbdboot/lower is squashfs ro.* on dm-0$' \
	'^guest: it is nbdboot-verity-loop0 of loop0$' \
	'^guest: / is written$' '^guest: /usr/ is written$' \
	"^guest: blob is $blob$" '!not all could be undone'
unserve

truncate -s 16M "$work/ubd"
serve 0 file "$image"
start root=tmpfs "netroot=nbd://$host:$port/" "usrhash=$good_hash" \
	"ubd0=$work/ubd" nbdboot.clone=/dev/ubda guest.clone
ended 'it moves to a disk of the machine' '^guest: the server may go$' \
	"^guest: blob is $blob$" 'all is unmounted and disconnected'
start root=tmpfs "netroot=nbd://$host:$port/" "usrhash=$good_hash" \
	"ubd0=$work/ubd" nbdboot.clone=/dev/ubda
ended 'and is found there by the next boot' \
	'the server has the image of which ubda is a clone' \
	'^guest: / is tmpfs rw ' '^guest: it is nbdboot-verity-ubda ' \
	"^guest: blob is $blob$"
mkdir -p "$work/add/etc/nbdboot"
printf '%s\n' 'nbdboot-prefetch 1' "image $(($(stat -c %s "$image") / 512)) squashfs:" '8 2040' 'end 1' \
	>"$work/add/etc/nbdboot/prefetch"
ramfs=$work/fetching
initramfs "$ramfs" "$verity_modules" "$work/add" >/dev/null
start root=tmpfs "netroot=nbd://$host:$port/" "usrhash=$good_hash" \
	nbdboot.prefetch=0ms
ramfs=''
ended 'what the boot before has read of it is fetched first' \
	'prefetch: 1020 KiB in 1 extents fetched' \
	'^guest: it is nbdboot-verity-nbd0 of dm-0$' "^guest: blob is $blob$"
unserve

# the tree of an older one is right for it
cp "$work/plain" "$work/older"
flip "$work/older" 1000000 0
format "$work/older" "$work/older" --hash-offset="$size"
serve 0 file "$work/older"
refused 'a /usr with another root hash is refused' \
	"is wrong for usrhash=$(echo "$good_hash" | cut -c 1-16)...: this is another" \
	root=tmpfs "netroot=nbd://$host:$port/" "usrhash=$good_hash"
unserve

# ---- partitions ----

# uuid HEX: 32 digits, as those of a partition
uuid()
{
	echo "$1" | sed 's/\(.\{8\}\)\(.\{4\}\)\(.\{4\}\)\(.\{4\}\)\(.*\)/\1-\2-\3-\4-\5/'
}

# the types for this CPU of the Discoverable Partitions Specification, and the
# halves of the root hash
format "$work/plain" "$work/hash"
make_root "$work/root"
ext4_of "$work/root" "$work/ext4" -L ROOT
truncate -s 64M "$work/disk"
printf '%s\n' 'label: gpt' \
	'start=2048, size=65536, type=4f68bce3-e8cd-4db1-96e7-fbcaf984b709' \
	"start=69632, size=16384, type=8484680c-9521-48c6-9c11-b0720656f69e, \
name=usr_1, uuid=$(uuid "$(echo "$roothash" | cut -c -32)")" \
	"start=86016, size=2048, type=77ff5f63-e7b6-4633-acf4-1565b864c0e6, \
name=usr_1_verity, uuid=$(uuid "$(echo "$roothash" | cut -c 33-)")" \
	'start=90112, size=20480, name=USR-A' |
	sfdisk -q "$work/disk"
for part in ext4:1 plain:34 hash:42 image:44; do
	dd if="$work/${part%:*}" of="$work/disk" bs=1M seek="${part#*:}" \
		conv=notrunc status=none
done
serve 0 file "$work/disk"
start "root=nbd://$host:$port/" rw "usrhash=$roothash" guest.reroot
check 'a reroot takes both partitions apart, and mounts them again' \
	[ "$(grep -c 'all is unmounted and disconnected' "$work/log") \
$(grep -c "^guest: blob is $blob$" "$work/log")" = '2 2' ]
ended 'a verified /usr is beside a root that can be written' \
	'^guest: / is ext4 rw on nbd0p1$' \
	'^guest: /usr is squashfs ro on dm-0$' \
	'^guest: it is nbdboot-verity-nbd0 of nbd0p2 nbd0p3$' \
	'^guest: / is written$' '^guest: /usr/ is not written$' \
	'^guest: the root of the export$' '!not all could be undone'
check 'and the root is clean then' is_clean_part "$work/disk"
start "root=nbd://$host:$port/" nbdboot.overlay nbdboot.toram \
	"usrhash=$roothash" systemd.verity_usr_data=PARTLABEL=usr_1 \
	systemd.verity_usr_hash=PARTLABEL=usr_1_verity
ended 'and beside an overlay, in a copy in RAM' '^guest: / is overlay rw' \
	'^guest: /usr is squashfs ro on dm-0$' \
	'^guest: it is nbdboot-verity-loop0 of loop0p2 loop0p3$' \
	"^guest: blob is $blob$" '!not all could be undone'
start root=tmpfs "netroot=nbd://$host:$port/" "usrhash=$roothash"
ended 'or below a root in RAM, though the disk has one' \
	'^guest: / is tmpfs rw ' '!guest: the root of the export' \
	'^guest: it is nbdboot-verity-nbd0 of nbd0p2 nbd0p3$' \
	"^guest: blob is $blob$"
start root=tmpfs "netroot=nbd://$host:$port/"
ended 'without a hash it is the partition that is marked so' \
	'^guest: /usr is squashfs ro on nbd0p2$' "^guest: blob is $blob$"
start "root=nbd://$host:$port/" mount.usr=PARTLABEL=usr_1 \
	mount.usrfstype=squashfs
ended 'or that mount.usr= names' '^guest: / is ext4 ro on nbd0p1$' \
	'^guest: /usr is squashfs ro on nbd0p2$' "^guest: blob is $blob$"
start "root=LABEL=ROOT netroot=nbd://$host:$port/" rw \
	mount.usr=/dev/mapper/usr mount.usrflags=ro verity.usr=PARTLABEL=USR-A \
	"verity.usrhash=$good_hash" \
	"systemd.verity_usr_options=hash-offset=$size"
ended 'or Flatcar'"'"'s words, with the tree in the same partition' \
	'^guest: / is ext4 rw on nbd0p1$' \
	'^guest: it is nbdboot-verity-nbd0 of nbd0p4$' "^guest: blob is $blob$"
refused 'a hash that no partition has is refused' \
	'FAILED: partition: nbd0: its partition table has no entry' \
	"usrhash=$good_hash"
refused 'and so is a partition with another hash' \
	"is wrong for usrhash=$(echo "$good_hash" | cut -c 1-16)" \
	"usrhash=$good_hash" mount.usr=PARTLABEL=usr_1 \
	systemd.verity_usr_hash=PARTLABEL=usr_1_verity
unserve

# one bit of the data, and one of the tree
cp "$work/disk" "$work/wrong"
flip "$work/wrong" $(((34 << 20) + $(offset BLOB-BEGINS-HERE) + 100000)) 3
serve 0 file "$work/wrong"
start "root=nbd://$host:$port/" "usrhash=$roothash" guest.await
ended 'a bit that a server flips is found, and whose it is' \
	"block [0-9]* of the data is wrong from nbd://$host:$port/" \
	'^guest: blob is cut short$'
cp "$work/disk" "$work/wrong"
flip "$work/wrong" $(((42 << 20) + 4096 + 3)) 3
unserve
serve 0 file "$work/wrong"
refused 'a bit in the tree is refused' 'is wrong for usrhash=' \
	"usrhash=$roothash"
unserve

# ---- systemd.volatile=yes ----

mv "$tree" "$work/root/usr.new"
rmdir "$work/root/usr"
mv "$work/root/usr.new" "$work/root/usr"
mksquashfs "$work/root" "$work/plain" -noappend -quiet -no-progress -all-root \
	>/dev/null
size=$(stat -c %s "$work/plain")
with_tree "$image"
serve 0 file "$image"
start "root=nbd://$host:$port/" systemd.volatile=yes rw "roothash=$roothash"
ended 'of a root only its /usr is kept, and the rest is in RAM' \
	'^guest: / is tmpfs rw ' '^guest: /usr is squashfs ro on dm-0$' \
	'^guest: / is written$' '^guest: /usr/ is not written$' \
	'!guest: the root of the export' "^guest: blob is $blob$"
refused 'a root that is verified has its /usr in it' \
	'usrhash=.*: a root that is verified' "roothash=$roothash" \
	"usrhash=$roothash"
unserve

finish
