# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The part of soak_tls_bytes.sh in the machine, sourced by guest/init.sh.

gib=$(word gib)
modprobe -a virtio_pci virtio_net 2>/dev/null
ip link set lo up
[ ! -e /sys/class/net/vec0 ] || ip link set vec0 name eth0
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up

# Two at once: one's request is on its way while the other's is decrypted.
# pair GIB START WORD DD-ARGUMENT...: WORD is skip or seek, START its MiB
pair()
{
	count=$(($1 * 512)) start=$2 where=$3
	shift 3
	dd bs=1M count=$count "$where=$start" "$@" 2>err.1 &
	dd bs=1M count=$count "$where=$((start + count))" "$@" 2>err.2
	status=$?
	wait $! && [ $status = 0 ]
}

# moved CIPHER SENTENCE WORD DD-ARGUMENT...: half of the bytes, past the page
# cache; a line for each tenth of them
moved()
{
	cipher=$1 sentence=$2 half=$((gib / 2)) done=0 status=0
	shift 2
	began=$(cut -d. -f1 /proc/uptime)
	while [ $done -lt $half ] && [ $status = 0 ]; do
		part=$(((half + 9) / 10))
		[ $((done + part)) -le $half ] || part=$((half - done))
		pair $part $((done * 1024)) "$@" || status=1
		done=$((done + part))
		took=$(($(cut -d. -f1 /proc/uptime) - began))
		echo "# $cipher: $done of $half GiB $sentence, $took s"
	done
	if [ $status = 0 ]; then
		ok "$cipher: $((half * 1024)) MiB $sentence, in $took s"
	else
		not_ok "$cipher: $((half * 1024)) MiB $sentence" \
			"$(cat err.1 err.2)"
	fi
}

opened()
{
	sed -n 's/^TlsTxSw[[:space:]]*//p' /proc/net/tls_stat
}

# bytes CIPHER URI.  The list has the length of a key in the name: AES-256-GCM.
bytes()
{
	connected "$1: one connection" "$2" $((gib << 30)) -c 1
	before=$(opened)
	check "$1: it has that cipher, and TLS $version" sh -c "nbdboot list |
		grep -q 'TLS $version.*$(echo "$1" | sed 's/-/.*/')'"
	moved "$1" 'read' skip if=/dev/nbd0 of=/dev/null iflag=direct
	moved "$1" 'written' seek if=/dev/zero of=/dev/nbd0 \
		oflag=direct conv=fsync
	check "$1: it is the same connection" same "$(opened)" "$before"
	dmesg | grep -E 'I/O error|nbd0:.*(timed out|failed|error)' >errors
	check "$1: the kernel reports no error" same "$(cat errors)" ''
	ended "$1" nbd0
}

version=$(word version)
for cipher in ChaCha20-Poly1305 AES-GCM; do
	port=$(word $cipher)
	[ ! "$port" ] || bytes $cipher \
		"nbds://10.0.2.2:$port/?tls-certificates=/tls"
done
