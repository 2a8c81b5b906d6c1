#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Several images, and the way back from each kind of bad one.  TAP on standard
# output.  ROUNDS= is how often each kind is booted (make soak-rollout).
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

mac=52:54:00:12:34:56
state=state-$mac
ROUNDS=${ROUNDS:-1}
find_kernel
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4'

# image NAME: an image in $work/disks whose init does what the name says
mkdir "$work/disks"
root_tree "$work/tree" guest/images.sh
image()
{
	echo "$1" >"$work/tree/etc/kind"
	ext4_of "$work/tree" "$work/disks/$1"
}
image old
image good
image panics
image hangs
rm "$work/tree/sbin/init"
image empty
truncate -s 8M "$work/disks/blank"
serve 0 file "dir=$work/disks"
root=nbd://$host:$port

# forget: as a machine that has booted nothing
forget()
{
	rm -f "$work/disks/$state"
	truncate -s 4096 "$work/disks/$state"
}

boot()
{
	vm_start "$work/initramfs" "loglevel=4 ip=$guest_ip \
nbdboot.state=$root/state-%m $*"
}

# kept WORD: the state of the machine has a line that begins so
kept()
{
	tr -d '\0' <"$work/disks/$state" | grep -q "^$1"
}

# ends_in SENTENCE NAME PATTERN...: the machine ends in that image by itself
ends_in()
{
	sentence=$1 kind=$2
	shift 2
	vm_end
	ended "$sentence" "^guest: image $kind\$" "$@"
}

# ---- a new image that is good ----

forget
boot "root=$root/good nbdboot.fallback=$root/old"
ends_in 'a new image is tried, and good when the system is up' good \
	'image .*/good is tried' '^guest: now state good' '^guest: panic 1$'
check 'the machine keeps that on an export' kept 'good '
check 'and has no tries left there' eval '! kept tried'
before=$(cksum <"$work/disks/$state")
boot "root=$root/good nbdboot.fallback=$root/old"
ends_in 'it is booted again' good 'good, which was good before' \
	'!is tried' '^guest: now state good'
check 'without a write' [ "$before" = "$(cksum <"$work/disks/$state")" ]

# ---- bad ones ----

# known: as a machine for which that image is good, and no other was tried
known()
{
	forget
	boot "root=$root/good nbdboot.fallback=$root/old"
	vm_end
}

# bad NAME PATTERN...: in one boot the machine finds that it is bad
bad()
{
	name=$1
	shift
	boot "root=$root/$name nbdboot.fallback=$root/good"
	ends_in "an image that is $name ends in the one before" good \
		"image .*/$name is left: it cannot be booted" \
		'which was good before' "^guest: now left .*/$name" "$@"
	check "it was tried twice, and that is kept" kept 'tried .* 2$'
	boot "root=$root/$name nbdboot.fallback=$root/good"
	ends_in 'the next boot does not try it again' good \
		"image .*/$name is left: it was booted 2 times" '!FAILED'
}
round=0
while [ "$round" -lt "$ROUNDS" ]; do
	round=$((round + 1))
	[ "$round" = 1 ] || known
	bad missing 'FAILED: connect'
	bad blank 'FAILED: partition\|FAILED: mount'
	bad empty 'FAILED: init'
done

# dies NAME PATTERN: a boot of that image ends so, without our help or with it
dies()
{
	boot "root=$root/$1 nbdboot.fallback=$root/good ${3-}"
	if vm_wait "*$2*"; then
		ok "the image that $1 is tried"
	else
		not_ok "the image that $1 is tried"
		show "$work/log"
	fi
	vm_stop
}
round=0
while [ "$round" -lt "$ROUNDS" ]; do
	round=$((round + 1))
	for kind in panics hangs; do
		dies $kind "guest: image $kind"
		dies $kind "guest: image $kind"
		boot "root=$root/$kind nbdboot.fallback=$root/good"
		ends_in "an image that $kind twice ends in the one before" good \
			"image .*/$kind is left: it was booted 2 times"
	done
	# what was good stays so
	check 'the good image is still known' kept 'good '
	known
done

# of a server of its own, which is away when its last try begins
late=$(free_port)
serve "$late" file "dir=$work/disks"
again="root=nbd://$host:$late/hangs nbdboot.fallback=$root/good"
boot "$again"
vm_wait '*guest: image hangs*' || true
vm_stop
unserve
boot "$again"
vm_wait '*FAILED: connect*' || true
serve "$late" file "dir=$work/disks"
vm_wait '*guest: image hangs*' '*guest: image good*' || true
shows 'a server that is away for a moment is no try' '/hangs is tried' \
	'^guest: image hangs'
vm_stop
known
dies hangs 'it was not good in 2 s: rebooting' nbdboot.trial=2

# ---- a list on a server ----

# listed LINE...: the list that the server has
listed()
{
	printf '%s\n' "$@" >"$work/disks/boot.conf"
}
list="root=$root/old nbdboot.images=$root/boot.conf"

forget
listed '# pilot' "$root/panics mac=52:54:00:12:34:57" \
	"$root/good mac=$mac" "$root/old"
boot "$list"
ends_in 'a list gives a machine its image by its MAC address' good
listed "$root/good share=0" "$root/old share=100" "$root/good"
boot "$list"
ends_in 'and by the share of all machines' old 'image .*/old is tried'
listed "$root/good" 'rm -rf /'
boot "$list"
ends_in 'a list with a mistake has no effect' old \
	'list of images has no effect: line 2 '
rm "$work/disks/boot.conf"
boot "$list"
ends_in 'nor has one that is missing' old 'has no effect'

# ---- no place for the tries ----

vm_start "$work/initramfs" "loglevel=4 ip=$guest_ip root=$root/missing \
nbdboot.fallback=$root/good"
ends_in 'without a place for the tries an image that cannot be mounted is left' \
	good 'nothing can be kept' '^guest: now state untracked'

finish
