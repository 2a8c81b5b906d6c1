#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines with systemd 254 or later move into other roots by soft-reboot.  TAP
# on standard output.  Takes half an hour.
VM_LIMIT=${VM_LIMIT:-7200}
# shellcheck source=tests/vm/reroot.sh
. "${0%/*}/reroot.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

find_kernel
pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$work/server"
# a request that was lost waits that long
debian_words=nbdboot.io-timeout=5
measures=1
start_soft "$work/pki"

check 'a signal ends it when the new root is mounted already' succeeds \
	"nbdboot reroot $new & p=\$!; until mountpoint -q /run/nextroot; do :; \
done; kill \$p; wait \$p; [ \$? = 143 ]"
tell "grep -l . /sys/block/nbd*/pid; mountpoint /run/nextroot; users; \
cat /run/users; ls /run/nbdboot"
vm_wait 'guest: status *' || true
check 'then it is neither mounted, nor connected, nor watched' \
	eval '! said "nbd[1-9]*/pid\|watchnbd[1-9]" &&
		said "nextroot is not a mountpoint"'
check 'and its words are not those of the system' \
	eval 'said "^lease" && ! said "^cmdline"'

# It opens a device for moments, until it is killed seconds after the others.
truncate -s 8M "$work/moment"
start moment
check 'a service opens another device again and again' succeeds \
	"d=\$(nbdboot connect nbd://$host:$port_moment/) && \
systemd-run --unit=moment -p KillSignal=SIGCONT -p TimeoutStopSec=4 \
-p CollectMode=inactive-or-failed sh -c \
\"while sleep 0.05; do head -c 512 /dev/\$d >/dev/null || \
echo 'guest: WRONG: the device is gone' >/dev/console; done\""

before=$(goodbyes old)
tell "nbdboot reroot $new"
check 'under load it moves to another server' arrives new
check 'the device of that service was disconnected in the end' \
	[ "$(goodbyes moment)" -gt 0 ]
stop moment
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

# ---- with TLS: the same image, from another server ----

ln -s old "$work/safe"
start safe --tls=require --tls-certificates="$work/server"
safe="nbds://$host:$port_safe/?tls-certificates=/etc/nbdboot"
tell "nbdboot reroot '$safe'"
check 'with TLS' arrives old
check 'by a soft reboot, too' softly
check 'the kernel has the keys' succeeds \
	"grep 'TlsCurrTx[A-Z][a-z]*[[:space:]]*1\$' /proc/net/tls_stat"
stop safe
start safe --tls=require --tls-certificates="$work/server"
tell 'echo 3 >/proc/sys/vm/drop_caches; sha256sum /etc/file'
vm_wait 'guest: status *' || true
check 'the watcher revives the connection with TLS' said "^${sum%% *}"
check 'and the kernel has the new keys' succeeds \
	"grep 'TlsCurrTx[A-Z][a-z]*[[:space:]]*1\$' /proc/net/tls_stat"
ten_times old "$safe" new "$new"
check 'by soft reboots' softly
before=$(goodbyes safe)
tell "nbdboot reroot $new"
check 'from TLS to a server without it' arrives new
check 'the device with TLS was disconnected' \
	[ "$(goodbyes safe)" -gt "$before" ]
stop safe

# ---- a server that fails: during the checks, the mount, the new system ----

faults_begin
bad=nbd://$host:$faulty/
for step in ${STEPS:-5 25 45 60 100 300}; do
	for fault in ${FAULTS:-die stall freeze error}; do
		moves "$fault" "$step" "$bad,$old" new "$new" old
		ends_as "$fault at step $step, and another server" moved
		moves "$fault" "$step" "$bad" new "$new" old
		ends_as "$fault at step $step" moved refused
	done
done

# ---- a disk of the machine ----

tell 'nbdboot reroot local:/dev/vda'
check 'to the disk of the machine, by a shutdown' arrives disk
check 'the root is that disk' said 'guest: root is /dev/vda ext4 rw'
check 'no device is connected' said '^guest: disks $'
tell "nbdboot reroot $new"
check 'and back' arrives new
check 'the disk is free' succeeds 'blockdev --rereadpt /dev/vda'

tell 'nbdboot reroot local:/dev/vda'
check 'to the disk again' arrives disk
check 'its network is brought up by nbdboot' succeeds 'nbdboot ifup ip=dhcp'
tell "nbdboot reroot $new"
check 'from the disk to a server' arrives new
check 'by a soft reboot' softly
check 'the lease is renewed, as nobody did before' \
	said 'guest: process: @nbdbootrenew'
check 'the disk is free again' succeeds 'blockdev --rereadpt /dev/vda'
tell "nbdboot reroot $old"
check 'and on to another' arrives old
check 'by a soft reboot' softly
check 'one process renews the lease' \
	[ "$(grep -c 'guest: process: @nbdbootrenew' "$work/log")" = 1 ]

reroots_quickly
arrives old || true
echo "# up again: reroot $reroot_up ms, reboot $(($(now_ms) - asked)) ms"
vm_stop
check 'the other file system was left clean' is_clean "$work/new"
finish
