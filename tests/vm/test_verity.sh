#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines whose root is verified, from servers that nobody has to trust.  TAP on
# standard output.  soak_verity.sh has more of what may be wrong.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/verity.sh
. "$here/verity.sh"

find_kernel
make_tree
initramfs "$work/initramfs" "$verity_modules dm_mirror" | sed 's/^/# /'

# ---- the tree behind the data ----

with_tree "$image"
good_hash=$roothash
serve 0 file "$image"
boot nbdboot.overlay "roothash=$good_hash" guest.reroot
check 'a reroot takes the mapping apart before it disconnects' \
	[ "$(grep -c 'all is unmounted and disconnected' "$work/log")" = 2 ]
check 'and has a verified root again' \
	[ "$(grep -c "^guest: blob is $blob$" "$work/log")" = 2 ]
ended 'a root is verified, below an overlay' \
	'^guest: /run/nbdboot/lower is on /dev/dm-0 ro' \
	'^guest: it is nbdboot-verity-nbd0 read-only 1 of nbd0$' '!WRONG'

disk=$work/disk
truncate -s 40M "$disk"
boot nbdboot.overlay "roothash=$good_hash" "ubd0=$disk" \
	nbdboot.clone=/dev/ubda guest.clone
ended 'the data below the tree moves to a disk' \
	'guest: clone: nbd0 is disconnected' 'guest: now dm-0 is made of ubda$' \
	"^guest: blob is $blob$" '!WRONG' 'all is unmounted and disconnected'
boot nbdboot.overlay "roothash=$good_hash" "ubd0=$disk" \
	nbdboot.clone=/dev/ubda
ended 'and the next boot verifies what is there' \
	'the server has the image of which ubda is a clone' \
	'^guest: it is nbdboot-verity-ubda read-only 1' \
	"^guest: blob is $blob$" '!WRONG'
unserve

# of two servers one lies, about data and in the tree, which the kernel keeps in
# memory: 128 hashes in a block
cp "$image" "$work/wrong"
spoil "$work/wrong" 64
middle=$(((first + last) / 2))
flip "$work/wrong" $((size + 8192 + middle * 32)) 3
serve_two "$work/wrong" "$image"
in_qemu boot_from "$bad,$good" ro "roothash=$good_hash" guest.liar
ended 'the hash is computed by code for this CPU' \
	'^guest: hashed by .*sha256-\(ni\|avx\|ssse3\)' '!WRONG'
shows 'of two servers the one that sends wrong blocks is named, and left' \
	"verity: block [0-9]* of the .* is wrong from $bad, but not from each" \
	"verity: $bad is left for another server, and asked last" \
	"!is wrong from $good" "!$good is left"
check 'and all is right from the other one' said "^guest: blob is $blob$"
unserve_two

# ---- codes that correct errors ----

# behind the tree, for which there is more room than it needs
codes=$(((size + size / 64 + (1 << 20)) / 4096 * 4096))
cp "$work/plain" "$work/coded"
truncate -s "$codes" "$work/coded"
format "$work/coded" "$work/coded" --hash-offset="$size" \
	--data-blocks=$((size / 4096)) --fec-device="$work/coded" \
	--fec-offset="$codes"
flip "$work/coded" $((middle * 4096)) 5
# The codes are of 253 bytes, one each of blocks that are so far apart, of which
# one can be wrong.  They cover all before them but the superblock.
apart=$(((codes / 4096 - 1 + 252) / 253))
wrong=$(($(offset OTHER-BEGINS-HERE) / 4096 + 1))
[ $(((wrong - middle) % apart)) != 0 ] || wrong=$((wrong + 1))
for i in 0 1 2 3; do
	flip "$work/coded" $(((wrong + i * apart) * 4096)) 1
done
serve 0 file "$work/coded"
coded="ro roothash=$roothash \
systemd.verity_root_options=hash-offset=$size,fec-offset=$codes,fec-device=/dev/nbd0"
in_qemu boot "$coded" loglevel=5 guest.coded
ended 'a wrong block is corrected by the codes of the image' \
	'device-mapper: verity-fec: .*corrected' "^guest: blob is $blob$" '!WRONG'
shows 'the server of a corrected block is no liar, that of another one is' \
	"verity: block $wrong of the data is wrong from nbd://$host:$port/" \
	"!verity: block $middle of"
refused 'a kernel without error correction refuses them' \
	'FAILED: verity: target .* use_fec_from_device' "$coded"
unserve

# ---- the tree in an export of its own ----

format "$work/plain" "$work/hash"
serve 0 file "$work/hash"
tree=$port with_hash=$server
serve 0 file "$work/plain"
with_data=$server
rm "$disk"
truncate -s 40M "$disk"
boot nbdboot.overlay "roothash=$roothash" "ubd0=$disk" guest.clone \
	"systemd.verity_root_hash=nbd://$host:$tree/" nbdboot.clone=/dev/ubda
ended 'no root moves whose tree would stay on a server' \
	'guest: nbd0: the root is on nbd1, too, which is not copied' \
	"^guest: blob is $blob$" '!WRONG'
check 'and nothing is written' cmp -n 41943040 "$disk" /dev/zero
vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip loglevel=4 \
nbdboot.overlay roothash=$roothash systemd.verity_root_hash=nbd://$host:$tree/ \
guest.outage guest.reroot"
if vm_wait '*guest: the tree may go*' '*guest: end*'; then
	server=$with_hash
	unserve
	data=$port
	serve "$tree" file "$work/hash"
	with_hash=$server port=$data server=$with_data
fi
vm_end
check 'a tree in its own export has its own connection in each root' \
	[ "$(grep -c '^guest: it is nbdboot-verity-nbd0 .* of nbd0 nbd1$' \
		"$work/log")" = 2 ]
ended 'and its own watcher, and is disconnected at the end' \
	'^guest: the tree is back' \
	'all is unmounted and disconnected' '!not all could be undone' \
	"^guest: blob is $blob$" '!WRONG'
refused 'such a root is not copied to RAM' \
	'nbdboot.toram: only the image is copied' nbdboot.toram nbdboot.overlay \
	"roothash=$roothash" "nbdboot.verity=nbd://$host:$tree/"
refused 'the tree of another image is refused' 'is wrong for roothash=' \
	nbdboot.overlay "roothash=$good_hash" "nbdboot.verity=nbd://$host:$tree/"
unserve
server=$with_hash
unserve

# ---- what is not the image ----

# an older image, whose tree is right for it
cp "$work/plain" "$work/older"
flip "$work/older" $((first * 4096)) 0
format "$work/older" "$work/older" --hash-offset="$size"
serve 0 file "$work/older"
refused 'another image, with a tree that is right for it, is refused' \
	"is wrong for roothash=$(echo "$good_hash" | cut -c 1-16)...: this is another" \
	nbdboot.overlay "roothash=$good_hash"
unserve

# ---- wrong blocks of a server ----

cp "$image" "$work/wrong"
spoil "$work/wrong" 64
serve 0 file "$work/wrong"
boot ro "roothash=$good_hash" guest.whole
ended 'of 64 wrong blocks each read fails, and all else is right' \
	'^guest: / is on /dev/dm-0 ro' \
	"^guest: all of it is $readable$" '!WRONG' \
	"block [0-9]* of the data is wrong from nbd://$host:$port/, and no other server"
refused 'a copy in RAM is verified before its server is let go' \
	'is wrong for roothash=' nbdboot.overlay nbdboot.toram "roothash=$good_hash"
unserve

# ---- the first of two servers has another image ----

flip "$work/wrong" 1 1
serve_two "$work/wrong" "$image"
boot_from "$bad,$good" ro "roothash=$good_hash"
ended 'a boot goes on with the next server, if the first has another image' \
	'is wrong for roothash=' 'this may pass: next try in ' \
	"^guest: blob is $blob$" '!WRONG'
unserve_two

# ---- a disk, its copy in RAM, and a prefetch ----

# the UUIDs of the partitions are the halves of the root hash
uuid()
{
	echo "$1" | sed 's/\(.\{8\}\)\(.\{4\}\)\(.\{4\}\)\(.\{4\}\)\(.*\)/\1-\2-\3-\4-\5/'
}

format "$work/plain" "$work/hash" --hash=sha512 --salt=-
truncate -s 64M "$work/disk"
printf '%s\n' 'label: gpt' 'start=2048, size=2048' \
	"start=8192, size=65536, uuid=$(uuid "$(echo "$roothash" | cut -c -32)")" \
	"start=81920, size=8192, uuid=$(uuid "$(echo "$roothash" | cut -c 97-)")" |
	sfdisk -q "$work/disk"
dd if="$work/plain" of="$work/disk" bs=1M seek=4 conv=notrunc status=none
dd if="$work/hash" of="$work/disk" bs=1M seek=40 conv=notrunc status=none
serve 0 file "$work/disk"
boot nbdboot.overlay nbdboot.toram "roothash=$roothash"
ended 'partitions are found by the root hash, in a copy in RAM, too' \
	'^guest: it is nbdboot-verity-loop0 read-only 1 of loop0p2 loop0p3$' \
	'all is unmounted and disconnected' '!not all could be undone' \
	"^guest: blob is $blob$" '!WRONG'
mkdir -p "$work/add/etc/nbdboot"
printf '%s\n' 'nbdboot-prefetch 1' 'image 65536 squashfs:' '8 2040' 'end 1' \
	>"$work/add/etc/nbdboot/prefetch"
initramfs "$work/fetching" "$verity_modules" "$work/add" >/dev/null
ramfs=$work/fetching
boot nbdboot.overlay nbdboot.prefetch=0ms "rd.roothash=$roothash"
ended 'a prefetch is below: what it has in RAM is verified, too' \
	'prefetch: 1020 KiB in 1 extents fetched' \
	'^guest: it is nbdboot-verity-nbd0 read-only 1 of dm-0 nbd0p3$' \
	'^guest: dm-0 is made of loop0 nbd0p2$' \
	'all is unmounted and disconnected' \
	"^guest: blob is $blob$" '!WRONG'
unserve

finish
