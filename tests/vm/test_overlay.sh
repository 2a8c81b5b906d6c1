#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines that write to an overlay, and leave the export as it is.  TAP on
# standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
squashfs=$work/squashfs
ext4=$work/ext4
upper=$work/upper

make_tree()
{
	root_tree "$tree" guest/overlay.sh
	echo image >"$tree/etc/marker"
	echo + >"$tree/etc/kept"
}

# has SENTENCE PATTERN...: the console has these lines, and the machine ended by
# itself
has()
{
	sentence=$1
	shift
	vm_end
	for pattern in "$@" 'guest: end'; do
		if ! grep -q -e "^$pattern$" "$work/log"; then
			not_ok "$sentence: $pattern"
			show "$work/log"
			return
		fi
	done
	if grep -q 'WRONG\|Kernel panic' "$work/log"; then
		not_ok "$sentence"
		show "$work/log"
	else
		ok "$sentence"
	fi
}

# failed_with SENTENCE STEP PATTERN
failed_with()
{
	vm_wait '*nbdboot: *next try in*' '*nbdboot: this cannot pass*' || true
	vm_stop
	if grep -q "nbdboot: FAILED: $2: .*$3" "$work/log"; then
		ok "$1"
		grep 'nbdboot: FAILED' "$work/log" | sed 's/^/# /'
	else
		not_ok "$1"
		show "$work/log"
	fi
}

boot()
{
	vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip \
loglevel=4 $*"
}

find_kernel
make_tree
initramfs "$work/initramfs" \
	'nbd virtio_net virtio_pci ext4 squashfs vfat nls_ascii overlay' |
	sed 's/^/# /'
mksquashfs "$tree" "$squashfs" -quiet -no-progress -all-root >/dev/null
ext4_of "$tree" "$ext4"
truncate -s 32M "$upper"
mke2fs -q -t ext4 -E root_owner=0:0 "$upper"
changed='guest: marker becomes changed, above changed, below image'

# ---- in RAM ----

serve 0 file "$squashfs"
boot nbdboot.overlay
has 'a squashfs under an overlay in RAM' 'guest: / is overlay rw' \
	'guest: /run/nbdboot/lower is squashfs ro' \
	'guest: /run/nbdboot/upper is tmpfs rw' "$changed" 'guest: nbd0 is 1'
boot nbdboot.overlay=size=3m init=/sbin/init rw
has 'its size is what was asked for' 'guest: / is overlay rw' \
	'guest: size is 4096/768'
unserve

sum=$(sha256sum "$ext4")
serve 0 file "$ext4"
boot rw nbdboot.overlay=tmpfs
has 'an ext4 that could be written under an overlay' 'guest: / is overlay rw' \
	'guest: /run/nbdboot/lower is ext4 ro' "$changed" 'guest: nbd0 is 1'
if [ "$(sha256sum "$ext4")" = "$sum" ]; then
	ok 'the image is what it was, bit by bit'
else
	not_ok 'the image is what it was, bit by bit'
fi

# ---- on an export ----

root=$port
serve 0 file "$upper"
up=nbd://$host:$port/
port=$root
in_qemu boot "nbdboot.overlay=$up"
has 'an overlay on an export of its own' 'guest: / is overlay rw' \
	'guest: /run/nbdboot/upper is ext4 rw' "$changed" 'guest: kept is +' \
	'guest: nbd0 is 1' 'guest: nbd1 is 0' 'guest: watched: nbd0 nbd1' \
	'guest: nbd0 waits 30000 ms' 'guest: nbd1 waits 30000 ms'
boot "nbdboot.overlay=$up nbdboot.io-timeout=7"
has 'and it keeps what was written' 'guest: marker is changed' \
	'guest: kept is ++' 'guest: nbd0 waits 7000 ms' \
	'guest: nbd1 waits 7000 ms'
unserve

serve_dropping "$upper"
boot "nbdboot.overlay=nbd://$host:$port/ root=nbd://$host:$root/"
has 'an export whose first connection ends at its first read' \
	'guest: / is overlay rw' 'guest: kept is +++'
unserve
port=$root

# ---- mistakes ----

boot "nbdboot.overlay=$up"
failed_with 'an export for the upper that is not there is named' overlay \
	"nbdboot.overlay=$up: "
serve 0 -r file "$upper"
boot "nbdboot.overlay=nbd://$host:$port/ root=nbd://$host:$root/"
failed_with 'and one that cannot be written' overlay \
	"nbdboot.overlay=nbd://$host:$port/: .*makes it read-only"
unserve
truncate -s 8M "$work/blank"
serve 0 file "$work/blank"
boot "nbdboot.overlay=nbd://$host:$port/ root=nbd://$host:$root/"
failed_with 'and one without a file system' overlay 'holds none of'
unserve
port=$root
boot nbdboot.overlay=size=lots
failed_with 'a size that is none is refused' 'kernel command line' size=lots

initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4' | sed 's/^/# /'
boot nbdboot.overlay
failed_with 'a missing overlay module is reported' overlay overlay

finish
