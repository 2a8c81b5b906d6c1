#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A bulk read as nbdboot.efi makes it, natively, with TLS and without, in turns:
# lwIP, the engine and mbedTLS as the firmware has them, in nbdboot-lwip, whose
# frames go over a tap device.  tls.sh BUILD [ROUNDS]; BUILD has relay and
# lwip-1024/nbdboot-lwip.  MIB of zeros (default 1024).
#
# Prints a table of medians.  User time is what the program itself computes, as it
# does in the firmware; the time of the system is spent on the tap device.  Its
# instructions are counted by callgrind, and are the same on any load.
O=$(realpath "${1:-build}") # a namespace has another directory
rounds=${2:-5}
mib=${MIB:-1024}
lwip=$O/lwip-1024/nbdboot-lwip
. "${0%/*}/../tap.sh"
# shellcheck source=tests/netns.sh
. "${0%/*}/../netns.sh"
# shellcheck source=tests/pki.sh
. "${0%/*}/../pki.sh"

namespace
srv=$ns
at "$srv" ip tuntap add tap0 mode tap
at "$srv" ip link set tap0 up
at "$srv" ip addr add 10.9.0.1/24 dev tap0
pki "$work/pki"
pki_cert "$work/pki" server ecdsa 'cn = "server"' 'ip_address = "10.9.0.1"' \
	signing_key tls_www_server
pki_use "$work/pki" server "$work/tls"

# export_on PORT MIB OPTION...
export_on()
{
	port=$1 size=$2
	shift 2
	nsenter -t "$srv" -n nbdkit -f -r -p "$port" "$@" memory "${size}M" \
		>"$work/nbdkit.log" 2>&1 </dev/null &
	servers="$servers $!"
	listens -t "$port" $! "$work/nbdkit.log"
}

# read_all KIND PORT COMMAND...: the program reads an export, run by the command
read_all()
{
	kind=$1 port=$2
	shift 2
	case $kind in
	plain) set -- "$@" "$lwip" -f 3 -a 10.9.0.2/24 copy \
		"nbd://10.9.0.1:$port" ;;
	tls) set -- "$@" "$lwip" -f 3 -a 10.9.0.2/24 -c "$work/pki/ca-cert.pem" \
		copy "nbds://10.9.0.1:$port" ;;
	esac
	at "$srv" "$O/relay" tap0 "$@" /dev/null >"$work/out" 2>&1 || {
		cat "$work/out" >&2
		die "port $port was not read"
	}
}

# timed KIND PORT: a line "KIND user system wall", in seconds
timed()
{
	read_all "$1" "$2" /usr/bin/time -f "$1 %U %S %e" -a -o "$work/times"
}

# counted KIND PORT: instructions of the program
counted()
{
	read_all "$1" "$2" valgrind --tool=callgrind \
		--callgrind-out-file="$work/calls"
	sed -n 's/^summary: //p' "$work/calls"
}

# per_byte KIND PORT-OF-16-MIB PORT-OF-48-MIB
per_byte()
{
	few=$(counted "$1" "$2")
	many=$(counted "$1" "$3")
	awk -v n="$((many - few))" 'BEGIN { printf "%.2f\n", n / 32 / 1048576 }'
}

tls="--tls=require --tls-certificates=$work/tls"
export_on 10809 "$mib"
export_on 10819 16
export_on 10829 48
# shellcheck disable=SC2086 # words on purpose
{
	export_on 10810 "$mib" $tls
	export_on 10820 16 $tls
	export_on 10830 48 $tls
}
for _ in $(seq "$rounds"); do
	timed plain 10809
	timed tls 10810
done
plain=$(per_byte plain 10819 10829)
secret=$(per_byte tls 10820 10830)
awk -v mib="$mib" -v plain="$plain" -v secret="$secret" '
{ n[$1]++; user[$1, n[$1]] = $2; all[$1, n[$1]] = $2 + $3; wall[$1, n[$1]] = $4 }
function median(v, kind,    a, i, j, t) {
	for (i = 1; i <= n[kind]; i++) {
		a[i] = v[kind, i]
		for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
			t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
		}
	}
	i = n[kind]
	return i % 2 ? a[(i + 1) / 2] : (a[i / 2] + a[i / 2 + 1]) / 2
}
function row(text, v,    p, t) {
	p = median(v, "plain") * 1000 / mib
	t = median(v, "tls") * 1000 / mib
	printf "| %s | %.2f | %.2f | %.2f |\n", text, p, t, p / t
}
END {
	print "| ms for a MiB, of " mib " MiB | plain | TLS | plain / TLS |"
	print "|---|---|---|---|"
	row("CPU of the program", user)
	row("CPU, with the system'"'"'s for the tap device", all)
	row("by the clock, server and relay on the same CPUs", wall)
	print "| instructions for a byte | " plain " | " secret " | " \
		sprintf("%.2f", plain / secret) " |"
}' "$work/times"
