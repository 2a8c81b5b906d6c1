#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures TLS with 4 connections, beside nbd-client and its proxies on the same
# server in the same machine: connecting (ROUNDS of each in turns, default 10),
# and jobs of SECONDS_EACH (default 4) in turns.  Each side takes the cipher
# that it prefers, or both take CIPHER (AES-256-GCM, for example), the only one
# of the server then.
#
# A thread for each CPU: the measured work runs on both.
ACCEL=${ACCEL:-tcg}
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

rounds=${ROUNDS:-10}
seconds=${SECONDS_EACH:-4}
case $rounds$seconds in
*[!0-9]*) die "ROUNDS=$rounds SECONDS_EACH=$seconds: not numbers" ;;
esac
tree=$work/tree

find_kernel
make_guest "$tree" guest/bench-tls.sh nbd-client fio
pki "$tree/tls"
pki_server "$tree/tls" server "${KIND:-rsa}"

initramfs "$work/initramfs" nbd "$tree" "$tree/tls" >/dev/null
vm_memory=1024
vm_start "$work/initramfs" \
	"rdinit=/test test.rounds=$rounds test.seconds=$seconds test.cipher=${CIPHER-}" \
	-serial "file:$work/kernel.log"
vm_ended

echo "# make bench-tls ROUNDS=$rounds SECONDS_EACH=$seconds ($ACCEL, 2 CPUs," \
	"Linux $version, nbdkit memory on 127.0.0.1, 4 connections)"
grep '^#' "$work/log" || true
sort -n -k3 "$work/log" | awk '
$1 == "time" { t[$2, ++n[$2]] = $3 / 1000 }
$1 == "left" { left[$2] = $3 }
$1 == "job" && $5 {
	if (!($3 in seen)) {
		name[++jobs] = $3
		seen[$3]
	}
	mib[$2, $3] = $4 / 1024
	rate[$2, $3] = $4 / 1024 / ($5 / 1000)
	cpu[$2, $3] = $6 / ($4 / 1024)
}
function median(side,   k) {
	k = n[side]
	return k % 2 ? t[side, (k + 1) / 2] : (t[side, k / 2] + \
		t[side, k / 2 + 1]) / 2
}
function row(what, a, b) {
	printf "%-26s %9.2f %9.2f %7.2f\n", what, a, b, b ? a / b : 0
}
END {
	if (!n["ours"] || !n["theirs"] || jobs != 8)
		exit 1
	printf "%-26s %9s %9s %7s\n", "", "nbdboot", "nbd-client", "ratio"
	row("connect, median, ms", median("ours"), median("theirs"))
	row("processes left", left["ours"], left["theirs"])
	for (i = 1; i <= jobs; i++) {
		row(name[i] " MiB/s", rate["ours", name[i]],
			rate["theirs", name[i]])
		row(name[i] " CPU ms/MiB", cpu["ours", name[i]],
			cpu["theirs", name[i]])
		r += log(rate["ours", name[i]] / rate["theirs", name[i]])
		c += log(cpu["ours", name[i]] / cpu["theirs", name[i]])
	}
	printf "geometric means of the ratios: throughput %.2f, CPU %.2f\n",
		exp(r / jobs), exp(c / jobs)
}' || die 'something was not measured'
