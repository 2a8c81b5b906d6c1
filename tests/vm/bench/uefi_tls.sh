#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Bulk of nbdboot.efi with TLS and without: a file of MIB (default 64) that is
# loaded from one server.  The machine takes a nanosecond for each instruction, so
# that the time that nbdboot.efi reports counts them.  QEMU emulates AES, but each
# of its instructions is one here, as it is on a CPU that has them.
#
# The firmware asks for frames in a loop, so a server that has to wait for this
# host's CPUs adds instructions: the least of ROUNDS (default 3), in turns, is what
# counts.  A third machine has no AES, and so takes ChaCha20.
VM_LIMIT=${VM_LIMIT:-600}
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/vm/uefi.sh
. "$here/uefi.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"
ACCEL=tcg,thread=single
bulk=${MIB:-64}
rounds=${ROUNDS:-3}

# loaded NAME URI [CPU-WORDS]: adds a line "NAME milliseconds" to $work/figures
loaded()
{
	name=$1 drives='' n=0
	drive_files="$work/pki/ca-cert.pem etc/nbdboot/ca-cert.pem"
	drive "$efi" "root=$2 ip=dhcp" "kernel=$2"
	# shellcheck disable=SC2046,SC2086 # words on purpose
	uefi_start $(user_net '') $drives -cpu "max${3-}" \
		-icount shift=0,sleep=on
	vm_wait '*loaded in *' '*FAILED*' || true
	vm_stop
	ms=${line#*loaded in }
	ms=${ms%% ms*}
	case $ms in
	'' | *[!0-9]*) show "$work/log" >&2 && die "it was not loaded: $line" ;;
	esac
	echo "$name $ms" | tee -a "$work/figures" | sed 's/^/# /'
}

build_efi tls
pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$work/tls"
# a program that the firmware can start, and what it does not look at
mkdir "$work/served"
cp "$efi" "$work/served/bulk"
head -c "${bulk}M" /dev/urandom >>"$work/served/bulk"
truncate -s "${bulk}M" "$work/served/bulk"
serve 0 file dir="$work/served"
plain=nbd://$host:$port/bulk
serve 0 --tls=require --tls-certificates="$work/tls" file dir="$work/served"
secret="nbds://$host:$port/bulk?tls-certificates=/etc/nbdboot"
for _ in $(seq "$rounds"); do
	loaded plain "$plain"
	loaded AES-128-GCM "$secret"
done
loaded ChaCha20-Poly1305 "$secret" ,aes=off
awk -v mib="$bulk" -v rounds="$rounds" '
!($1 in least) { name[n++] = $1 }
!($1 in least) || $2 < least[$1] { least[$1] = $2 }
END {
	print "| nbdboot.efi, " mib " MiB, the least of " rounds \
		" | instructions for a byte | plain / this |"
	print "|---|---|---|"
	for (i = 0; i < n; i++)
		printf "| %s | %.1f | %.2f |\n", name[i],
			least[name[i]] / mib / 1.048576,
			least["plain"] / least[name[i]]
}
' "$work/figures"
