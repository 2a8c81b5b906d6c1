# shellcheck shell=sh disable=SC2154,SC2034,SC2016
# SPDX-License-Identifier: BSD-2-Clause
# The part of test_tls.sh in the machine, sourced by guest/init.sh.

size=$(word size)
modules=/lib/modules/$(uname -r)
modprobe -a virtio_pci virtio_net 2>/dev/null
ip link set lo up
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
dd if=/dev/urandom of=data bs=1M count=16 2>/dev/null
data_sum=$(sha256sum <data)

# nbds SERVER [KEYS]: prints its URI
nbds()
{
	echo "nbds://${3:-}10.0.2.2:$(word "$1")/${2:+?$2}"
}

# Prints the kernel's count of connections with TLS.
in_kernel()
{
	tx=$(sed -n 's/^TlsCurrTxSw[[:space:]]*//p' /proc/net/tls_stat)
	rx=$(sed -n 's/^TlsCurrRxSw[[:space:]]*//p' /proc/net/tls_stat)
	same "$tx $rx" "$1 $1"
}

# listed CIPHER [VERSION]: list shows it in both forms; CIPHER is a pattern
listed()
{
	nbdboot list >listed && nbdboot list --json >>listed || return
	cat listed
	grep -qx "  TLS:         TLS ${2-1.2}, $1" listed &&
		grep -q "\"version\": \"TLS ${2-1.2}\", \"cipher\": \"$1\"}" listed
}

# Linux 7.2 reports version and cipher to everybody, older ones to root only.
listed_to_others()
{
	su nobody -c 'nbdboot list; nbdboot list --json' >listed || return
	cat listed
	case $(uname -r) in
	[1-6].*) grep -qx '  TLS:         yes (.*)' listed &&
		grep -q '"tls": {"version": null, "cipher": null}' listed ;;
	*) grep -qx '  TLS:         TLS 1.2, .*' listed &&
		grep -q '"tls": {"version": "TLS 1.2", "cipher": "' listed ;;
	esac
}
echo 'root:x:0:0::/:/bin/sh
nobody:x:65534:65534::/:/bin/sh' >/etc/passwd

# ---- a kernel without the modules ----

# without PATH... -- COMMAND...: runs it while these of the modules are away, of
# which a kernel for another machine has fewer
without()
{
	away=
	while [ "$1" != -- ]; do
		if [ -e "$modules/$1" ]; then
			away="$away $1"
			mv "$modules/$1" "$modules/$1.away"
		fi
		shift
	done
	shift
	"$@"
	for path in $away; do
		mv "$modules/$path.away" "$modules/$path"
	done
}

without kernel/net/tls -- \
	refused 'a kernel without kernel TLS says so' 1 'tls' \
	nbdboot connect -A /tls/ca-cert.pem "$(nbds rsa)"
for module in aesni_intel gcm; do
	rmmod "$module" 2>/dev/null
done
without kernel/crypto/gcm.ko kernel/arch/x86/crypto/aesni-intel.ko -- \
	connected 'a kernel without AES-GCM: another cipher is used' \
	"$(nbds rsa)" "$size" -A /tls/ca-cert.pem
check 'and it is ChaCha20' grep -q 'rfc7539(chacha20' /proc/crypto
check 'and list says so' listed ChaCha20-Poly1305
check 'list shows other users that there is TLS' listed_to_others
check 'and no AES-GCM is there' \
	sh -c '! grep "gcm(aes)\|gcm_base" /proc/crypto'
ended 'a kernel without AES-GCM' nbd0
refused 'TLS over a UNIX socket is refused, with the reason' 2 'TCP' \
	nbdboot connect 'nbds+unix:///?socket=/tmp/s&tls-hostname=h'
refused 'a server certificate of another CA is refused' 1 'CA' \
	nbdboot connect -A /tls/client-cert.pem "$(nbds rsa)"
refused 'nbd:// to a server that requires TLS names nbds://' 1 'nbds://' \
	nbdboot connect "nbd://10.0.2.2:$(word rsa)"

# secured SENTENCE CONNECTIONS URI [OPTION...]
secured()
{
	what=$1 n=$2 uri=$3
	shift 3
	connected "$what, connections: $n" "$uri" "$size" -c "$n" "$@"
	check "$what: the kernel encrypts both ways" in_kernel "$n"
	case $what in
	AES-256-GCM* | ChaCha20-Poly1305*) cipher=${what%,*} ;;
	*) cipher='[A-Z][A-Za-z0-9-]*' ;;
	esac
	case $what in
	*'TLS 1.3'*) has=1.3 ;;
	*) has=1.2 ;;
	esac
	check "$what: list shows version and cipher" listed "$cipher" $has
	moves_data "$what, connections: $n"
	check "$what: the credentials are not in sysfs" \
		sh -c '! grep -i "key-\|12345678" /sys/block/nbd0/backend'
	ended "$what" nbd0
}

for n in 1 4; do
	secured 'RSA certificate' "$n" "$(nbds rsa)" -A /tls/ca-cert.pem
	secured 'ECDSA certificate, and one of ours' "$n" \
		"$(nbds ecdsa tls-certificates=/tls)"
	secured 'pre-shared key' "$n" "$(nbds psk tls-psk-file=/tls/psk alice@)"
done
refused 'without our certificate such a server refuses' 1 'certificate' \
	nbdboot connect "$(nbds ecdsa tls-certificates=/ca)"
secured AES-256-GCM 1 "$(nbds AES-256-GCM tls-certificates=/ca)"
secured ChaCha20-Poly1305 1 "$(nbds CHACHA20-POLY1305 tls-certificates=/ca)"

# ---- servers that have TLS 1.3 alone ----

secured 'ECDSA certificate, and one of ours, TLS 1.3' 4 \
	"$(nbds ecdsa13 tls-certificates=/tls)"
secured 'pre-shared key, TLS 1.3' 1 "$(nbds psk13 tls-psk-file=/tls/psk alice@)"
secured 'ChaCha20-Poly1305, TLS 1.3' 1 "$(nbds qemu13 tls-certificates=/ca)"
refused 'without our certificate a server of TLS 1.3 refuses' 1 'certificate' \
	nbdboot connect "$(nbds ecdsa13 tls-certificates=/ca)"

grep -h Tls /proc/net/tls_stat | sed 's/^/# /'
