#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines with systemd 254 or later move into other roots by soft-reboot.  TAP
# on standard output.  Takes ten minutes.
VM_LIMIT=${VM_LIMIT:-3600}
# shellcheck source=tests/vm/reroot.sh
. "${0%/*}/reroot.sh"

find_kernel
start_soft

before=$(goodbyes old)
tell "nbdboot reroot $new"
check 'under load it moves to another server' arrives new
check 'by a soft reboot' softly
check 'the lease is renewed as before' said 'guest: process: @nbdbootrenew'
check 'the service writes again' succeeds 'systemctl is-active load'
check 'its old device was disconnected' [ "$(goodbyes old)" -gt "$before" ]

stop new
start new
tell 'echo 3 >/proc/sys/vm/drop_caches; sha256sum /etc/file'
vm_wait 'guest: status *' || true
check 'the watcher revives the connection after that' said "^${sum%% *}"

before=$(goodbyes new)
tell_reroot "nbdboot reroot -o size=64M $old"
check 'into an overlay' arrives old
check 'the root is the overlay' said 'guest: root is overlay overlay rw'
check 'the device from before was disconnected' \
	[ "$(goodbyes new)" -gt "$before" ]
before=$(goodbyes old)
tell_reroot "nbdboot reroot $new"
check 'and out of it' arrives new
check "the overlay's device was disconnected" \
	[ "$(goodbyes old)" -gt "$before" ]
reroot_up=$(($(now_ms) - asked))

tell 'nbdboot reroot local:/dev/vda'
check 'to the disk of the machine, by a shutdown' arrives disk
check 'the root is that disk' said 'guest: root is /dev/vda ext4 rw'
check 'no device is connected' said '^guest: disks $'
tell "nbdboot reroot $new"
check 'and back' arrives new
check 'the disk is free' succeeds 'blockdev --rereadpt /dev/vda'

reroots_quickly
arrives old || true
echo "# up again: reroot $reroot_up ms, reboot $(($(now_ms) - asked)) ms"
vm_stop
check 'the other file system was left clean' is_clean "$work/new"
finish
