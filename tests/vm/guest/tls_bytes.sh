# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The part of soak_tls_bytes.sh in the machine, sourced by guest/init.sh.

gib=$(word gib)
modprobe -a virtio_pci virtio_net 2>/dev/null
ip link set lo up
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up

# moved CIPHER SENTENCE DD-ARGUMENT...: half of the bytes, past the page cache;
# the time is in the sentence
moved()
{
	cipher=$1 sentence=$2
	shift 2
	began=$(cut -d. -f1 /proc/uptime)
	if dd bs=1M count=$((gib * 512)) "$@" 2>err; then
		took=$(($(cut -d. -f1 /proc/uptime) - began))
		ok "$cipher: $((gib * 512)) MiB $sentence, in $took s"
	else
		not_ok "$cipher: $((gib * 512)) MiB $sentence" "$(cat err)"
	fi
}

opened()
{
	sed -n 's/^TlsTxSw[[:space:]]*//p' /proc/net/tls_stat
}

# bytes CIPHER URI
bytes()
{
	connected "$1: one connection" "$2" $((gib << 30)) -c 1
	before=$(opened)
	check "$1: it has that cipher" sh -c "nbdboot list | grep -q $3"
	moved "$1" 'read' if=/dev/nbd0 of=/dev/null iflag=direct
	moved "$1" 'written' if=/dev/zero of=/dev/nbd0 oflag=direct conv=fsync
	check "$1: it is the same connection" same "$(opened)" "$before"
	dmesg | grep -E 'I/O error|nbd0:.*(timed out|failed|error)' >errors
	check "$1: the kernel reports no error" same "$(cat errors)" ''
	ended "$1" nbd0
}

port=$(word ChaCha20-Poly1305)
[ ! "$port" ] || bytes ChaCha20-Poly1305 \
	"nbds://alice@10.0.2.2:$port/?tls-psk-file=/tls/psk" ChaCha20-Poly1305
port=$(word AES-GCM)
[ ! "$port" ] || bytes AES-GCM \
	"nbds://10.0.2.2:$port/?tls-certificates=/tls" AES-.*GCM
