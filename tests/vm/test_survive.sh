#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines whose server is killed, frozen, and gone for long, with TLS and
# without; and a machine that swaps to its server when memory runs out.
# ROUNDS and OUTAGE (s) make it longer.  TAP on standard output.
VM_LIMIT=${VM_LIMIT:-1200}
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/survive.sh
. "$here/survive.sh"

programs=${O%/t/product}/t/survive
rounds=${ROUNDS:-1}
outage=${OUTAGE:-10}

# wait_s SECONDS: the length of the outage
wait_s()
{
	sleep "$1"
}

# answers OUTAGE: the root answers after it
answers()
{
	check "$sentence: the server $1" lives
}

# wrong NBDKIT-ARGUMENT...: serves another export, until the watcher refuses it
wrong()
{
	rm -f "$work/seen"
	serve "$port_of_root" --filter=log "$@" logfile="$work/seen"
	while kill -0 "$vm" && ! grep -q ' Disconnect ' "$work/seen" 2>/dev/null; do
		sleep 0.1
	done
	unserve
}

# Longer than the time-out of requests.
frozen()
{
	unserve
	daemon_at "$port_of_root" qemu-nbd -p "$port_of_root" -b 127.0.0.1 -t -e 8 \
		--shared=8 -f raw "$image"
	answers 'is another program now'
	kill -STOP "$server"
	wait_s 8
	kill -CONT "$server"
	answers 'was frozen for 8 s'
}

# survives SENTENCE WORDS SERVER-ARGUMENT...
survives()
{
	sentence=$1 words=$2
	shift 2
	start_server "$@"
	begins "loglevel=4 $words"
	i=0
	while [ "$i" -lt "$rounds" ]; do
		unserve
		wait_s 1
		start_server "$@"
		answers 'was killed and came back'
		i=$((i + 1))
	done
	unserve
	wrong "$@" --filter=truncate file "$image" truncate=320M
	wrong "$@" -r file "$image"
	start_server "$@"
	answers 'was smaller, then read-only'
	[ $# != 0 ] || frozen
	unserve
	wait_s "$outage"
	start_server "$@"
	answers "was gone for $outage s"
	ends
}

# records VERSION SUITE KIND...: the server sends each of these to the kernel (see
# records.c)
records()
{
	sentence="a root with TLS $1" suite=$2
	shift 2
	serve 0 -t 1 file "$image"
	(cd "$here/../.." && unset MAKEFLAGS MFLAGS MAKEOVERRIDES &&
		make -s -j2 O="$programs" CC=gcc CFLAGS='-O1 -g' STATIC= \
			"$programs/tests/vm/records") >"$work/make" 2>&1 ||
		die "records.c does not compile: $(cat "$work/make")"
	rm -f "$work/kinds" "$work/ready"
	mkfifo "$work/kinds" "$work/ready"
	"$programs/tests/vm/records" "$port_of_root" "$pki/ecdsa-cert.pem" \
		"$pki/ecdsa-key.pem" "$port" ${suite:+"$suite"} \
		<"$work/kinds" >"$work/ready" 2>&1 &
	sender=$!
	servers="$servers $sender"
	exec 5>"$work/kinds"
	read -r line <"$work/ready"
	[ "$line" = ready ] || die "records: $line"
	# its end is the end of this program
	begins "loglevel=4 $root_of_tls" 5>&-
	for kind; do
		echo "$kind" >&5
		check "$sentence: $kind: the kernel ends the connection" \
			vm_wait '*nbd0: Receive control failed*'
		check "$sentence: $kind: the root answers" lives
	done
	ends
	exec 5>&-
	wait "$sender" || true # its port is free now
}

WATCHER_MAX=$watcher_plain
survives 'a root in the clear' "root=nbd://$host:$port_of_root/ rootfstype=ext4"
WATCHER_MAX=$watcher_tls
# whose kernel has the CPU's instructions for AES
in_qemu survives 'a root with TLS, 4 connections' "$root_of_tls nbdboot.connections=4" \
	--tls=require --tls-certificates="$work/ecdsa"

# ---- what is no data, in the kernel's TLS ----

records 1.2 '' hello-request warning close-notify forged garbage
records 1.3 TLS1-3-AES-128-GCM-SHA256 key-update

# ---- out of memory, with swap on the device ----

WATCHER_MAX=$watcher_plain
start_server
vm_memory=200
vm_start "$work/initramfs" "root=nbd://$host:$port_of_root/ rw ip=$guest_ip \
loglevel=4 nbdboot.part=1 nbdboot.swap nbdboot.io-timeout=5 \
test.mode=swap test.rounds=$rounds"
while vm_wait 'guest: round *' 'guest: end'; do
	[ "$line" != 'guest: end' ] || break
	wait_s 3
	unserve
	wait_s 2
	start_server
done
went "swap on the device, $rounds times more than memory, and the server killed"
unserve
finish
