#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# An administrator logs in by sshd of Debian 12 and 13 while the server of the root
# is away and nothing is left in the caches but what nbdboot.keep= names, and runs
# a program that it names; the same after a reroot, which systemd carries out as a
# soft reboot if it can.  The root is an overlay in memory: on one that can be
# written the journal of ext4 may hold a login up (nbdboot-watch(8)).  Needs the
# network, for Debian's packages.  TAP on standard output.
#
#	RELEASES='12 13' ROUNDS=1 ROOT=nbdboot.overlay=tmpfs soak_keep.sh
vm_kind=uml
O=${O:-build}
RELEASES=${RELEASES:-12 13}
ROUNDS=${ROUNDS:-1}
ROOT=${ROOT:-nbdboot.overlay=tmpfs}
# what needs the network comes before the machines have theirs
for release in $RELEASES; do
	case $release in
	12) suite='' ;;
	*) suite=trixie- ;;
	esac
	sh "${0%/*}/../debian.sh" "$O/debian-${suite}sshd" "${suite}sshd" \
		>/dev/null || exit 1
done
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

# as nbdboot-watch(8) has it
KEEP=${KEEP:-$(sed -n 's/^nbdboot\.keep=//p' \
	"$here/../../boot/watch/nbdboot-watch.8" | head -n 1)}
[ "$KEEP" ] || die 'the manual has no nbdboot.keep='
# the guest of this test waits with it
KEEP=$KEEP,sleep
find_kernel
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4 overlay' \
	>/dev/null
ssh-keygen -q -t ed25519 -N '' -f "$work/key"

# disks DEBIAN: old and new, with that system
disks()
{
	rm -rf "$work/tree"
	cp -a "$1/root" "$work/tree"
	tree=$work/tree
	install -m 755 "$here/guest/keep_sshd.sh" "$tree/usr/local/sbin/guest"
	install -m 755 "$nbdboot" "$tree/usr/local/sbin/nbdboot"
	printf '%s\n' '[Service]' 'ExecStart=/usr/local/sbin/guest' \
		'[Install]' 'WantedBy=multi-user.target' \
		>"$tree/etc/systemd/system/guest.service"
	ln -s ../guest.service \
		"$tree/etc/systemd/system/multi-user.target.wants/"
	mkdir -p "$tree/root/.ssh"
	cp "$work/key.pub" "$tree/root/.ssh/authorized_keys"
	chmod -R go= "$tree/root/.ssh"
	for name in old new; do
		echo "$name" >"$tree/etc/marker"
		rm -f "$work/$name"
		truncate -s 500M "$work/$name"
		mke2fs -q -t ext4 -E root_owner=0:0,lazy_itable_init=1 \
			-d "$tree" "$work/$name"
	done
}

# log_in COMMAND: by ssh; what it prints is in $work/answer
log_in()
{
	timeout 120 ssh -q -i "$work/key" -o StrictHostKeyChecking=no \
		-o UserKnownHostsFile=/dev/null -o BatchMode=yes \
		root@10.0.2.15 "$1" >"$work/answer" 2>&1
}

answers()
{
	log_in "$1" && grep -q "$2" "$work/answer" && return
	sed 's/^/# /' "$work/answer"
	return 1
}

# outage NAME: of the root with that marker, which is served
outage()
{
	vm_wait '*guest: waits for the end*' || true
	check "$1: what is named is kept, and nothing is missing" eval \
		"said 'guest: keep: [0-9]* files are in memory' &&
			! said WRONG"
	grep 'guest: keep: ' "$work/log" | sed 's/^/# /'
	unserve
	vm_wait '*guest: the caches are empty*' || true
	check "$1: an administrator logs in while the server is away" \
		answers 'echo "it runs"; cat /proc/loadavg' '^it runs$'
	check "$1: and again, with a shell that reads its files" \
		answers 'bash -lc "echo in; cat /proc/loadavg"' '^in$'
}

# one_round: of the disks that were made last
one_round()
{
	port_old=$(free_port) port_new=$(free_port)
	serve "$port_old" file "$work/old"
	vm_start "$work/initramfs" "root=nbd://$host:$port_old/ $ROOT ip=$guest_ip \
loglevel=4 $quiet_systemd nbdboot.keep=$KEEP"
	outage old
	serve "$port_old" file "$work/old"
	check 'a command that is not kept runs when it is back' \
		answers 'systemctl is-system-running' running
	serve "$port_new" file "$work/new"
	: >"$work/log"
	# it may end the connection before the command
	log_in "nbdboot reroot nbd://$host:$port_new/" || true
	outage new
	check 'it was moved before that' said 'guest: root is new'
	serve "$port_new" file "$work/new"
	log_in poweroff || true
	vm_end
	check 'the machine ends' said 'all is unmounted and disconnected'
	[ "$failed" = 0 ] || show "$work/log"
}

vm_memory=1024
for release in $RELEASES; do
	case $release in
	12) disks "$O/debian-sshd" ;;
	*) disks "$O/debian-trixie-sshd" ;;
	esac
	for round in $(seq "$ROUNDS"); do
		echo "# Debian $release, round $round"
		one_round
	done
done
finish
