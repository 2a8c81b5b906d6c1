#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines that keep on a disk what they have read of their root.  TAP on standard
# output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/verity.sh
. "$here/verity.sh"

tree=$work/tree
disk=$work/disk
sectors=32768

# image_of FILE: an image that has a hash tree behind it.  But for one file it is
# the same as others, and its superblock is.
image_of()
{
	head -c 4M /dev/urandom >"$tree/etc/blob"
	mksquashfs "$tree" "$1" -quiet -no-progress -all-root -noD -noF -noI \
		-noappend -mkfs-time 0 -all-time 0 >/dev/null
	truncate -s $((sectors * 512)) "$1"
	veritysetup format "$1" "$1" --hash-offset=$((sectors * 512)) \
		--data-blocks=$((sectors / 8)) |
		sed -n 's/^Root hash:[^0-9a-f]*/roothash=/p' >"$1.hash"
	[ -s "$1.hash" ] || die 'veritysetup failed'
	(cd "$tree" && find bin etc sbin -type f | LC_ALL=C sort | xargs cat) |
		sha256sum | cut -d ' ' -f 1 >"$1.sum"
}

# serve_image FILE [-r]: and each read is in $work/reads.  Sets image and hash.
serve_image()
{
	image=$1
	hash=$(cat "$1.hash")
	# shellcheck disable=SC2086 # no word if there is none
	serve 0 ${2-} --filter=log file "$image" logfile="$work/reads"
}

# boot WORD...: Sets read, the bytes that the server has sent for it.
boot()
{
	vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip \
loglevel=4 nbdboot.overlay nbdboot.prefetch=0ms ubd0=$disk $hash $*"
	vm_end
	unserve
	read=0
	# shellcheck disable=SC2013 # a word in each line
	for bytes in $(sed -n 's/.* Read .* count=\(0x[0-9a-f]*\) .*/\1/p' \
		"$work/reads"); do
		read=$((read + bytes))
	done
	echo "# the server has sent $((read / 1024)) KiB"
}

# right SENTENCE PATTERN...: the root is that of the server
right()
{
	sentence=$1
	shift
	ended "$sentence" "^guest: at first the root is $(cat "$image.sum")\$" \
		'!WRONG' '!Kernel panic' 'all is unmounted and disconnected' "$@"
}

# is_cut: half 0 has no head, as it is written last
is_cut()
{
	cmp -s -n 262144 "$disk" /dev/zero 1048576 0
}

find_kernel
root_tree "$tree" guest/cache.sh
install -m 755 "$nbdboot" "$tree/bin/nbdboot"
copy_program "$tree" dmsetup
tree=$work/tree
mkdir -p "$work/add/etc/nbdboot"
image_of "$work/one"
image_of "$work/two"
# all that there is, but for a hole; User-mode Linux cannot trace what is read
size=$(($(stat -c %s "$work/one") / 512))
printf '%s\n' 'nbdboot-prefetch 1' "image $size squashfs:" '0 2040' \
	'2048 20000' "$sectors $((size - sectors))" 'end 3' \
	>"$work/add/etc/nbdboot/prefetch"
initramfs "$work/initramfs" "$verity_modules dm_mirror" "$work/add" |
	sed 's/^/# /'
truncate -s 60M "$disk"

# ---- two boots ----

serve_image "$work/one" -r
boot nbdboot.cache=/dev/ubda
first=$read
right 'what a boot has read is on the disk when it is over' \
	'nothing is read from /dev/ubda: it is no cache yet$' \
	'^guest: the root is on /dev/dm-0 made of loop0 nbd0$' \
	'^guest: log: cache: /dev/ubda has 11[0-9]* KiB in 3 extents for the next'

serve_image "$work/one" -r
boot nbdboot.cache=/dev/ubda
right 'the next one reads it there' \
	'/dev/ubda has 11[0-9]* KiB of this image in 3 extents$' \
	'^guest: the root is on /dev/dm-0 made of dm-2 nbd0$' \
	'^guest: list: *[0-9]* of [0-9]* KiB came from the cache' \
	'^guest: show: half 0 .* 3 extents, write 1, of verity-' \
	'^guest: show: half 1 .* it has nothing yet'
# half of the first was for the disk
check "and a fiftieth of what the first did from the server, or less" \
	[ "$read" -gt 0 -a "$read" -le $((first / 100)) ]

serve_image "$work/one" -r
boot nbdboot.cache=/dev/ubda guest.bad
right 'a disk that fails is no error of the root, which is the server then' \
	'^guest: the local device fails$' \
	"^guest: later the root is $(cat "$work/one.sum")\$"

# ---- another image ----

serve_image "$work/two" -r
boot nbdboot.cache=/dev/ubda
right 'of another image nothing is taken for it' \
	'nothing is read from /dev/ubda: it has nothing of this image yet' \
	'^guest: show: half 1 .* write 2, of verity-'
serve_image "$work/two" -r
boot nbdboot.cache=/dev/ubda
right 'it has the other half' \
	'/dev/ubda has 11[0-9]* KiB of this image' \
	'^guest: the root is on /dev/dm-0 made of dm-2 nbd0$'

# ---- power cuts ----

# half of what is read is for the disk: its filling does not get beyond the middle
image_of "$work/three"
image=$work/three
hash=$(cat "$image.hash")
serve_part 0 $((first * 3 / 4)) "$image"
vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip loglevel=4 \
nbdboot.overlay nbdboot.prefetch=0ms ubd0=$disk $hash nbdboot.cache=/dev/ubda guest.cut"
vm_wait '*guest: the boot is over*' || true
until [ -e "$work/held" ] || ! runs "$vm"; do :; done
vm_stop
unserve
check 'a machine loses its power while its disk is filled' is_cut
serve_image "$work/two" -r
boot nbdboot.cache=/dev/ubda
right 'the other half is whole' '/dev/ubda has 11[0-9]* KiB of this image'
serve_image "$work/three" -r
boot nbdboot.cache=/dev/ubda
right 'and nothing is taken from the one that is not' \
	'nothing is read from /dev/ubda: it has nothing of this image yet' \
	'^guest: show: half 0 .* write 3, of verity-'

# ---- damage ----

# spoil OFFSET: one byte of the disk is another one
spoil()
{
	printf '\377' | dd of="$disk" bs=1 seek="$1" conv=notrunc status=none
}

spoil $((2 * 1048576))
serve_image "$work/three" -r
boot nbdboot.cache=/dev/ubda
right 'data that is damaged is not used' \
	'nothing is read from /dev/ubda: its data is damaged$'
spoil $((1048576 + 30))
spoil $((30 * 1048576 + 30))
serve_image "$work/three" -r
boot nbdboot.cache=/dev/ubda
right 'nor is it with a head that is damaged' \
	'nothing is read from /dev/ubda: its head is damaged'

# ---- a server that lies ----

# the first byte in which images differ is of their file, behind all programs
at=$(cmp "$work/one" "$work/three" | sed 's/.* byte \([0-9]*\),.*/\1/')
cp "$work/three" "$work/lie"
cp "$work/three.hash" "$work/lie.hash"
cp "$work/three.sum" "$work/lie.sum"
printf 'liar' | dd of="$work/lie" bs=1 seek=$((at + 100000)) conv=notrunc \
	status=none
was=$disk disk=$work/fresh
truncate -s 60M "$disk"
serve_image "$work/lie" -r
boot nbdboot.cache=/dev/ubda
shows 'what a server has sent that is wrong is not kept' \
	'^guest: log: cache: /dev/ubda is emptied: a block of the root was not' \
	'^guest: show: half 0 .* it has nothing yet' \
	'^guest: show: half 1 .* it has nothing yet'
serve_image "$work/three" -r
boot nbdboot.cache=/dev/ubda
right 'and the next boot reads all from the servers' \
	'nothing is read from /dev/ubda: it has nothing of this image yet'
disk=$was

# ---- what is refused ----

# all others write there, and may leave the halves as they are
spoil 8000
serve_image "$work/three" -r
boot nbdboot.cache=/dev/ubda
right 'a disk on which somebody has written something is no cache any more' \
	'nothing is read from /dev/ubda: it is no cache yet$' \
	'/dev/ubda is not empty: it holds something unknown; "erase"' \
	'^guest: show: .*/dev/ubda is no cache'

tree=$work/tree
truncate -s 14M "$work/other"
mke2fs -q -t ext4 "$work/other"
cp "$work/other" "$work/kept"
disk=$work/other
serve_image "$work/one" -r
boot nbdboot.cache=/dev/ubda
right 'a disk with a file system is refused' \
	'/dev/ubda is not empty: it holds ext4; "erase" overwrites it'
check 'and stays what it is' cmp -s "$disk" "$work/kept"
serve_image "$work/one" -r
boot nbdboot.cache=/dev/nbd0,erase
right 'and so is one that is in use' '/dev/nbd0 is in use'
serve_image "$work/one" -r
boot nbdboot.cache=/dev/ubda,erase
right 'with erase it is taken' \
	'cache: /dev/ubda, which holds ext4, is erased when the boot is over' \
	'^guest: log: cache: /dev/ubda has 5888 KiB in 3 extents for the next'
serve_image "$work/one" -r
boot nbdboot.cache=/dev/ubda
right 'what has no room is left on the server' \
	'/dev/ubda has 5888 KiB of this image in 3 extents$'
# ---- images without a hash ----

disk=$work/plain
truncate -s 60M "$disk"
echo >"$work/one.hash"
serve_image "$work/one" -r
boot nbdboot.cache=/dev/ubda
right 'an image without a hash or a name is not kept' \
	'nbdboot.cache: no effect: neither roothash= nor "image="' \
	'^guest: show: .*/dev/ubda is no cache'
serve_image "$work/one"
boot nbdboot.cache=/dev/ubda,image=first
right 'with a name it is' '^guest: show: half 0 .* of named-[0-9a-f]*-first$'
serve_image "$work/one"
boot nbdboot.cache=/dev/ubda,image=first guest.more
right 'and is used, also of an export that can be written to' \
	'/dev/ubda has 11[0-9]* KiB of this image' \
	'^guest: the root is on /dev/dm-0 made of dm-2 nbd0$'
check 'its identity is known without a read of its beginning' \
	[ ! "$(grep ' Read .* offset=0x4\{0,1\}0* count=0x20000 ' "$work/reads")" ]
shows 'what this boot has read beside it goes to the other half' \
	'^guest: log: cache: /dev/ubda has 13[0-9]* KiB in 4 extents for the' \
	'^guest: show: half 0 .* 3 extents, write 1, of named-' \
	'^guest: show: half 1 .* 4 extents, write 2, of named-'
serve_image "$work/one"
boot nbdboot.cache=/dev/ubda,image=second
right 'but not by another name' \
	'nothing is read from /dev/ubda: it has nothing of this image yet'

truncate -s 3M "$work/small"
disk=$work/small
serve_image "$work/one" -r
boot nbdboot.cache=/dev/ubda,image=first
right 'a disk without room for anything is refused' \
	'/dev/ubda is too small: it has 3145728 bytes, and 4 MiB are needed'

serve_image "$work/one"
vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip rw loglevel=4 \
nbdboot.cache=/dev/ubda,image=x rootfstype=squashfs ubd0=$disk"
vm_end
unserve
shows 'a root that may be written to has none' \
	'nbdboot.cache: no effect: the root may be written to'

finish
