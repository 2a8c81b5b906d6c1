#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Boots during which a server fails: at each of STEPS of the conversation it
# dies, freezes, and so on (../interop/faults.c has the list), alone or with a
# healthy second one.  The machine comes to its end with the right data; only if
# the server never serves again, or is none of NBD, it ends with a message.  TAP
# on standard output.
VM_LIMIT=${VM_LIMIT:-600}
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

find_kernel
gcc -O2 -std=c11 -D_GNU_SOURCE -o "$work/faults" \
	"$here/../interop/faults.c" || die 'faults.c does not compile'
tree=$work/tree
root_tree "$tree" guest/faults.sh
head -c 8388608 /dev/urandom >"$tree/blob"
sum=$(sha256sum <"$tree/blob")
ext4_of "$tree" "$work/root"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4' | sed 's/^/# /'
mkfifo "$work/over"
# a port that was free a moment ago
serve 0 null
unserve
faulty=$port
cp "$work/root" "$work/served"
serve 0 file "$work/served"
both="nbd://$host:$faulty/,nbd://$host:$port/"

# fail FAULT STEP: the server that fails, until something is written to `over`
fail()
{
	daemon_at "$faulty" "$work/faults" "$VM_LIMIT" "$1" "$2" 0 \
		"exec nbdkit -s file '$work/served'" "$faulty" \
		/bin/sh -c "read -r end <'$work/over'"
}

# ends FAULT STEP URIS: boots, and sets outcome
ends()
{
	cp "$work/root" "$work/served"
	fail "$1" "$2"
	vm_start "$work/initramfs" "root=$3 rw ip=$guest_ip loglevel=4 \
nbdboot.io-timeout=3 nbdboot.timeout=120 nbdboot.onfail=reboot \
nbdboot.outage=reboot:60"
	vm_end
	echo >"$work/over"
	wait "$server" || true
	outcome=wrong
	if said "guest: blob is $sum" && said '^guest: copy is whole' &&
		said '^guest: end' && ! said 'I/O error'; then
		outcome=right
	elif said 'nbdboot: .*\(given up: not booted\|no answer for 60 s\)' ||
		said 'nbdboot: FAILED: connect: .*\(not an NBD\|broke the NBD\)'; then
		outcome=message
	fi
	happened=$(sed -n 's/^exit [0-9]* [0-9]* \([a-z]*\) .*/\1/p' \
		"$work/daemon.log")
}

# holds SENTENCE WANTED
holds()
{
	if [ "$outcome" = "$2" ]; then
		ok "$1 ($happened)"
	else
		not_ok "$1: $outcome ($happened)"
		show "$work/log"
	fi
}

seen=0
for step in ${STEPS:-0 2 4 5 6 7 8 10 14 20 40 80}; do
	for fault in ${FAULTS:-die reset freeze drip noise flood lose cut stall}; do
		wanted=right
		ends "$fault" "$step" "$both"
		holds "$fault at step $step, and another server" right
		[ "$happened" != fault ] || seen=$((seen + 1))
		ends "$fault" "$step" "nbd://$host:$faulty/"
		# what is no NBD is a mistake while the boot connects, and an
		# outage later
		case $fault:$outcome in
		reset:* | noise:message | flood:message) wanted=message ;;
		esac
		[ "$happened" = fault ] || wanted=right
		holds "$fault at step $step" "$wanted"
	done
done
check "faults happened in $seen boots" [ "$seen" -gt 0 ]
finish
