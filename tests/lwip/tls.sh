#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A bulk read as nbdboot.efi makes it, natively, with TLS and without, in turns:
# lwIP, the engine and mbedTLS as the firmware has them, in nbdboot-lwip, whose
# frames go over a tap device.  tls.sh BUILD [ROUNDS]; BUILD has relay and
# lwip-1024/nbdboot-lwip.  MIB of zeros (default 256).
#
# Prints a table of medians.  User time is what the program itself computes, as it
# does in the firmware; the time of the system is spent on the tap device.
O=${1:-build}
rounds=${2:-5}
mib=${MIB:-256}
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

# export_on PORT OPTION...
export_on()
{
	nsenter -t "$srv" -n nbdkit -f -r -p "$@" memory "${mib}M" \
		>"$work/nbdkit.log" 2>&1 </dev/null &
	servers="$servers $!"
	listens -t "$1" $! "$work/nbdkit.log"
}

# once KIND URI OPTION...: a line "KIND user system wall", in seconds
once()
{
	kind=$1 uri=$2
	shift 2
	at "$srv" "$O/relay" tap0 /usr/bin/time -f "$kind %U %S %e" \
		-a -o "$work/times" "$O/lwip-1024/nbdboot-lwip" -f 3 -a 10.9.0.2/24 \
		"$@" copy "$uri" /dev/null >"$work/out" 2>&1 || {
		cat "$work/out" >&2
		die "$uri was not read"
	}
}

export_on 10809
export_on 10810 --tls=require --tls-certificates="$work/tls"
for _ in $(seq "$rounds"); do
	once plain nbd://10.9.0.1:10809
	once tls nbds://10.9.0.1:10810 -c "$work/pki/ca-cert.pem"
done
awk -v mib="$mib" '
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
}' "$work/times"
