#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Boots during which a server fails: at each of STEPS of the conversation it
# dies, freezes, and so on (../interop/faults.c has the list), alone or with a
# healthy second one.  The machine comes to its end with the right data; only if
# the server never serves again, or is none of NBD, it ends with a message.  So
# it is with the server of the root, with TLS, and with that of an overlay.  TAP
# on standard output.
#
# STEPS, FAULTS, TLS_FAULTS and OVERLAY_FAULTS say which; "-" is none.
VM_LIMIT=${VM_LIMIT:-900}
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/faults.sh
. "$here/faults.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

find_kernel
tree=$work/tree
root_tree "$tree" guest/faults.sh
head -c 8388608 /dev/urandom >"$tree/blob"
sum=$(sha256sum <"$tree/blob")
ext4_of "$tree" "$work/root"
pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$work/server"
mkdir "$work/tls"
cp "$work/pki/ca-cert.pem" "$work/tls/"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4 tls aesni_intel gcm
	ctr ghash_generic? overlay' '' "$work/tls" | sed 's/^/# /'
faults_begin
truncate -s 32M "$work/upper"
mke2fs -q -t ext4 -E root_owner=0:0 "$work/upper"
cp "$work/root" "$work/served"

# ends FAULT STEP URIS: boots, and sets outcome
ends()
{
	cp "$image" "$work/served"
	fail "$1" "$2" "$work/served" "$tls"
	vm_start "$work/initramfs" "$word$3 rw ip=$guest_ip loglevel=4 \
nbdboot.io-timeout=3 nbdboot.timeout=120 nbdboot.onfail=reboot \
nbdboot.outage=reboot:60"
	vm_end
	fail_end
	outcome=wrong
	if said "guest: blob is $sum" && said '^guest: copy is whole' &&
		said '^guest: end' && ! has_errors; then
		outcome=right
	elif said 'nbdboot: .*\(given up: not booted\|no answer for 60 s\)' ||
		said 'nbdboot: FAILED: connect: .*\(not an NBD\|broke the NBD\)'; then
		outcome=message
	fi
}

# A connection that dies during the first open lets the device be given up, whose
# reads fail in the kernel's log, and the boot begins anew: only later errors are
# those of a root.
has_errors()
{
	sed '1,/nbdboot: root is/d' "$work/log" | grep -q 'I/O error'
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

# boots FAULT STEP: alone, and with a healthy second server
boots()
{
	what="$1 at step $2$where"
	ends "$1" "$2" "$faulty_uri,$healthy_uri"
	holds "$what, and another server" right
	[ "$happened" != fault ] || seen=$((seen + 1))
	ends "$1" "$2" "$faulty_uri"
	# what is no NBD is a mistake while the boot connects, and an
	# outage later
	wanted=right
	case $1:$outcome in
	reset:* | noise:message | flood:message) wanted=message ;;
	esac
	[ "$happened" = fault ] || wanted=right
	holds "$what" "$wanted"
}

# matrix FAULT...: each at each of the steps
matrix()
{
	serve 0 ${tls:+--tls=require "$tls"} file "$work/served"
	healthy=$server
	healthy_uri="nbd${tls:+s}://$host:$port/$query"
	faulty_uri="nbd${tls:+s}://$host:$faulty/$query"
	for step in ${STEPS:-0 2 4 5 6 7 8 10 14 20 40 80}; do
		for fault; do
			[ "$fault" = - ] || boots "$fault" "$step"
		done
	done
	server=$healthy
	unserve
}

seen=0
image=$work/root word=root= where='' tls='' query=''
# shellcheck disable=SC2086 # words on purpose
matrix ${FAULTS:-die reset freeze drip noise flood error lose cut stall}
where=' with TLS'
tls="--tls-certificates=$work/server" query='?tls-certificates=/etc/nbdboot'
# shellcheck disable=SC2086 # words on purpose
matrix ${TLS_FAULTS:-die reset freeze drip noise lose cut stall}
where=' of an overlay' tls='' query=''
serve 0 -r file "$work/root"
lower=$server
image=$work/upper word="root=nbd://$host:$port/ nbdboot.overlay="
# shellcheck disable=SC2086 # words on purpose
matrix ${OVERLAY_FAULTS:-die reset freeze drip noise flood error lose cut stall}
server=$lower
unserve
check "faults happened in $seen boots" [ "$seen" -gt 0 ]
finish
