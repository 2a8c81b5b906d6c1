#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Deployments of ostree, made by its own program and exported unchanged:
# ostree=, with rw, with an overlay, with a read-only /sysroot, and composefs.
# TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/ostree.sh
. "$here/ostree.sh"

image=$work/image

memory=''
at_exit()
{
	vm_stop
	[ ! "$memory" ] || rm -rf "$memory"
}

# boot WORDS: boots what is in $sysroot now; as_disk: on a partition of a disk,
# which the table marks as the root
boot()
{
	rm -f "$image"
	ext4_of "$sysroot" "$image"
	if [ "${as_disk-}" ]; then
		disk_of "$image" "$work/disk"
		sfdisk -q --part-type "$work/disk" 2 \
			4f68bce3-e8cd-4db1-96e7-fbcaf984b709
		mv "$work/disk" "$image"
	fi
	serve 0 file "$image"
	vm_start "$work/initramfs" \
		"root=nbd://$host:$port/ ip=$guest_ip loglevel=4 $*"
}

# ends SENTENCE PATTERN...: and the way down leaves nothing in use
ends()
{
	vm_end
	unserve
	ended "$@" 'nbdboot: all is unmounted and disconnected'
}

find_kernel
make_tree
deploy
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4 overlay erofs loop' |
	sed 's/^/# /'

boot "rw $word"
ends 'a deployment boots, rw' '^guest: mount / ext4 rw$' \
	'^guest: marker is deployed$' '^guest: etc is deployed$' \
	'^guest: can write /etc$' '^guest: can write /var$' \
	'^guest: can write /sysroot$' '^guest: cannot write /usr$' \
	'^guest: state test$' '^guest: var kept$' \
	'^guest: boot /boot/loader ' '^guest: booted 6261636b' '!WRONG'
check 'and /var is that of all deployments' [ "$(debugfs -R \
	'cat /ostree/deploy/test/var/written' "$image" 2>/dev/null)" = written ]

as_disk=1
boot "$word nbdboot.overlay"
as_disk=
ends 'a deployment on a disk boots with an overlay' '^guest: mount / overlay rw$' \
	'^guest: can write /etc$' '^guest: can write /var$' \
	'^guest: cannot write /usr$' '^guest: var kept$' '!WRONG'

ostree config --repo="$sysroot/ostree/repo" set sysroot.readonly true
boot "rw $word"
ends 'the repository says that /sysroot is read-only' \
	'^guest: cannot write /sysroot$' '^guest: can write /etc$' \
	'^guest: can write /var$' '^guest: cannot write /usr$' '!WRONG'

# What ostree admin unlock --hotfix makes, and a deployment with systemd.
mkdir -p "$deployment/.usr-ovl-upper" "$deployment/.usr-ovl-work" \
	"$deployment/usr/lib/systemd/system-generators"
echo hot >"$deployment/.usr-ovl-upper/marker"
touch "$deployment/usr/lib/systemd/system-generators/ostree-system-generator"
boot "rw $word"
ends 'a hotfix is there, and /var is left to systemd' \
	'^guest: mount /usr overlay rw$' '^guest: marker is hot$' \
	'^guest: can write /usr$' '^guest: cannot write /sysroot$' \
	'^guest: mount /sysroot/ostree/deploy/test/var ext4 rw$' \
	'!^guest: mount /var' '!^guest: mount /boot' '!WRONG'
boot "$word nbdboot.overlay"
ends 'a hotfix below an overlay is read-only' \
	'^guest: mount /usr overlay ro$' '^guest: marker is hot$' \
	'^guest: can write /etc$' '!WRONG'
rm -r "$deployment/.usr-ovl-upper" "$deployment/.usr-ovl-work" \
	"$deployment/usr/lib/systemd"

boot "rw ostree=/ostree/boot.1/test/none/0"
vm_wait '*nbdboot: *next try in*' '*nbdboot: this cannot pass*' || true
shows 'a deployment that is not there is named' \
	'nbdboot: FAILED: ostree: ostree=/ostree/boot.1/test/none/0: no such'
vm_stop
unserve

boot "rw $word usrhash=0123"
vm_wait '*nbdboot: *next try in*' '*nbdboot: this cannot pass*' || true
shows 'a /usr of its own is refused beside a deployment' \
	'nbdboot: FAILED: kernel command line: ostree=.*: a deployment has its /usr in it'
vm_stop
unserve

# ---- composefs ----

# make_composefs DIRECTORY: what mkcomposefs makes of the deployment: an erofs
# whose files are empty and name an object of the repository.  DIRECTORY is on a
# file system that stores attributes of overlayfs.
make_composefs()
{
	(cd "$deployment" && find . -mindepth 1 ! -path './.ostree.cfs' \
		! -path './etc/*' | cpio -pdm --quiet "$1")
	objects=$sysroot/ostree/repo/objects
	find "$1" -type f ! -empty >"$work/files"
	while IFS= read -r file; do
		name=${file#"$1"}
		object=$(find "$objects" -samefile "$deployment$name")
		size=$(stat -c %s "$file")
		truncate -s 0 "$file"
		truncate -s "$size" "$file"
		setfattr -n trusted.overlay.metacopy "$file" &&
			setfattr -n trusted.overlay.redirect \
				-v "${object#"$objects"}" "$file" || return 1
	done <"$work/files"
	mkfs.erofs --quiet "$deployment/.ostree.cfs" "$1" >/dev/null
}

if [ "$(id -u)" != 0 ]; then
	ok 'composefs # SKIP allowed: trusted attributes need root'
	finish
	exit
fi
memory=$(mktemp -d -p /dev/shm) || die 'no /dev/shm'
make_composefs "$memory" || die 'no composefs can be made'
rm -rf "$memory"
memory=''
mkdir -p "$deployment/usr/lib/ostree"
printf '[composefs]\nenabled=yes\n' \
	>"$deployment/usr/lib/ostree/prepare-root.conf"
# what a bind of the directory would show
echo directory >"$work/marker"
rm -f "$deployment/usr/marker"
cp "$work/marker" "$deployment/usr/marker"
for words in rw nbdboot.overlay; do
	boot "$words $word"
	ends "composefs boots, $words" '^guest: mount / overlay ro$' \
		'^guest: marker is deployed$' '^guest: cannot write /$' \
		'^guest: cannot write /usr$' '^guest: can write /etc$' \
		'^guest: can write /var$' '^guest: cannot write /sysroot$' \
		'^guest: var kept$' '^guest: disk /dev/block/43:0$' '!WRONG'
done
printf '%s\n' '[composefs]' enabled=yes '[etc]' transient=true \
	'[root]' transient=true \
	>"$deployment/usr/lib/ostree/prepare-root.conf"
boot "nbdboot.overlay $word"
ends 'a transient root and /etc are writable' \
	'^guest: mount / overlay rw$' '^guest: mount /etc overlay rw$' \
	'^guest: can write /$' '^guest: can write /etc$' \
	'^guest: can write /usr$' '!WRONG'
boot "rw $word ostree.prepare-root.composefs=no"
ends 'a word boots without composefs' '^guest: mount / ext4 rw$' \
	'^guest: marker is directory$' '!WRONG'
finish
