#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck disable=SC2016 # awk's fields
# Measures nbdboot copy beside nbdcopy and qemu-img convert, in turns, on the
# same servers and in memory: copy.sh BUILD [ROUNDS].  Prints medians of wall
# time (s), CPU time (s) and peak memory (KiB).  With TLS each program takes the
# first cipher that it likes, but for the rows that name one.
# shellcheck source=tests/tap.sh
O=${1:-build}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/pki.sh
. "${0%/*}/../pki.sh"
nbdboot=$O/nbdboot
rounds=${2:-7}
mem=$(mktemp -d /dev/shm/nbdboot.XXXXXX)
at_exit()
{
	rm -rf "$mem"
}
big=$mem/big
sparse=$mem/sparse
out=$mem/out

head -c 1G /dev/urandom >"$big"
truncate -s 8G "$sparse"
for i in 1 20 300 4000 7000; do
	dd if="$big" of="$sparse" bs=1M seek=$i count=20 conv=notrunc \
		status=none
done
serve_at -U "$work/big" file "$big"
serve_at -U "$work/sparse" file "$sparse"
serve_at -U "$work/to" memory 1G
serve 0 file "$big"
big_tcp=nbd://127.0.0.1:$port
serve 0 memory 1G
to_tcp=nbd://127.0.0.1:$port
big_unix="nbd+unix:///?socket=$work/big"
to_unix="nbd+unix:///?socket=$work/to"
pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$work/tls"
mkdir "$work/ca"
credentials=tls-creds-x509,id=t,dir=$work/ca,endpoint=client
cp "$work/pki/ca-cert.pem" "$work/ca"

# tls_server DISABLED-CIPHER... -- NBDKIT-ARGUMENT...: sets uri
tls_server()
{
	echo '[overrides]' >"$work/priority"
	while [ "$1" != -- ]; do
		echo "tls-disabled-cipher = $1" >>"$work/priority"
		shift
	done
	shift
	GNUTLS_SYSTEM_PRIORITY_FILE=$work/priority
	export GNUTLS_SYSTEM_PRIORITY_FILE
	serve 0 --tls=require --tls-certificates="$work/tls" "$@"
	unset GNUTLS_SYSTEM_PRIORITY_FILE
	uri="nbds://127.0.0.1:$port?tls-certificates=$work/ca"
}
tls_server -- file "$big"
big_tls=$uri
tls_server AES-128-GCM CHACHA20-POLY1305 -- file "$big"
big_aes256=$uri
tls_server AES-256-GCM CHACHA20-POLY1305 AES-256-CCM AES-128-CCM -- \
	file "$big"
big_aes128=$uri
tls_server AES-128-GCM AES-256-GCM -- file "$big"
big_chacha=$uri
tls_server -- memory 1G
to_tls=$uri
# A first round, not measured: the host first has to provide the pages.
cp "$big" "$out"
"$nbdboot" copy "$big" "$to_tcp"
"$nbdboot" copy "$big" "$to_unix"

# qemu-img knows no certificates by URI.
# options URI: an nbds:// one in its words
options()
{
	echo "driver=nbd,server.type=inet,server.host=127.0.0.1,server.port=$(
		echo "$1" | sed 's|.*:\([0-9]*\)?.*|\1|'),tls-creds=t"
}

# qemu_source SRC, and then qemu_target DST: the arguments of qemu-img convert
qemu_source()
{
	case $1 in
	nbds:*) echo "--object $credentials --image-opts $(options "$1")" ;;
	*) echo "-f raw $1" ;;
	esac
}
qemu_target()
{
	case $1 in
	nbds:*) echo "--object $credentials -n --target-image-opts" \
		"$(options "$1")" ;;
	nbd*) echo "-n -O raw $1" ;;
	*) echo "-O raw $1" ;;
	esac
}

# once NAME SRC DST: appends "wall user system KiB" to $work/NAME
once()
{
	case $1 in
	nbdboot) set -- "$1" "$nbdboot" copy "$2" "$3" ;;
	nbdcopy) set -- "$1" nbdcopy "$2" "$3" ;;
	qemu-img)
		source=$(qemu_source "$2") target=$(qemu_target "$3")
		# shellcheck disable=SC2086 # words on purpose
		set -- "$1" qemu-img convert $source $target
		;;
	esac
	name=$1
	shift
	/usr/bin/time -a -o "$work/$name" -f '%e %U %S %M' "$@" ||
		die "$* failed"
}

# column FILE EXPRESSION: its median
column()
{
	awk "{ print $2 }" "$1" | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

programs='nbdboot nbdcopy qemu-img'
# bench SENTENCE SRC DST
bench()
{
	for name in $programs; do
		: >"$work/$name"
	done
	i=0
	while [ $i -lt "$rounds" ]; do
		for name in $programs; do
			once "$name" "$2" "$3"
		done
		i=$((i + 1))
	done
	for name in $programs; do
		printf '| %-28s | %-8s | %5s | %5s | %6s |\n' "$1" "$name" \
			"$(column "$work/$name" '$1')" \
			"$(column "$work/$name" '$2 + $3')" \
			"$(column "$work/$name" '$4')"
	done
	awk -v n="$(column "$work/nbdboot" '$1')" \
		-v c="$(column "$work/nbdcopy" '$1')" \
		-v nc="$(column "$work/nbdboot" '$2 + $3')" \
		-v cc="$(column "$work/nbdcopy" '$2 + $3')" \
		'BEGIN { printf "| nbdboot to nbdcopy | | %.2f | %.2f | |\n",
			n / c, nc / cc }'
}

echo "make bench-copy ROUNDS=$rounds: medians; $(nproc) CPUs, $(nbdcopy --version |
	head -n 1), $(qemu-img --version | head -n 1)"
echo
echo '| 1 GiB, if not given          | program  | s     | CPU s | KiB    |'
echo '|---|---|---|---|---|'
bench 'TCP to file' "$big_tcp" "$out"
bench 'UNIX to file' "$big_unix" "$out"
bench 'file to TCP' "$big" "$to_tcp"
bench 'file to UNIX' "$big" "$to_unix"
# 1 GiB is copied by 4096 requests
awk -v ns="$("${O%/}/t/bench/tests/bench/latency")" \
	-v cpu="$(column "$work/nbdboot" '$2 + $3')" 'BEGIN {
	printf "| the histogram: %d ns a request, of the CPU time %.2f %% |\n",
		ns, 100 * 4096 * ns / (cpu * 1e9) }'
bench 'TCP to TCP' "$big_tcp" "$to_tcp"
bench 'TLS to file' "$big_tls" "$out"
bench 'TLS (AES-256) to file' "$big_aes256" "$out"
bench 'TLS (AES-128) to file' "$big_aes128" "$out"
bench 'TLS (ChaCha20) to file' "$big_chacha" "$out"
bench 'file to TLS' "$big" "$to_tls"
rm "$out"
bench '8 GiB sparse, UNIX to file' "nbd+unix:///?socket=$work/sparse" "$out"
