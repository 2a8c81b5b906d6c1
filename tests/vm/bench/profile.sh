#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Where time goes: fio's jobs on 1 and 4 connections, plain and with TLS, each
# for SECONDS_EACH (default 1); the kernel meanwhile; and nbdboot copy on this
# machine.  BUILD/profile keeps fio's JSON and the flame graphs.
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"

VM_LIMIT=1800
out=$O/profile

measure()
{
	find_kernel
	make_guest "$work/tree" guest/bench-profile.sh fio perf
	pki "$work/tree/tls"
	pki_server "$work/tree/tls" server rsa
	initramfs "$work/initramfs" 'nbd virtio_blk virtio_pci' "$work/tree" \
		"$work/tree/tls" >/dev/null
	truncate -s 64M "$work/disk"
	vm_memory=1536
	vm_start "$work/initramfs" \
		"rdinit=/test test.seconds=${SECONDS_EACH:-1}" \
		-drive "file=$work/disk,format=raw,if=virtio" \
		-serial "file:$work/kernel.log"
	vm_ended
	rm -rf "$out"
	tar -xf "$work/disk" -C "$O" profile
}

table()
{
	echo "fio at depth 8: requests/s, and ms that 99 % of them take at most"
	echo "(nbdkit memory in a machine of QEMU, $ACCEL, 2 CPUs, Linux $version)"
	echo
	echo '| | plain-1 | plain-4 | tls-1 | tls-4 |'
	echo '|---|---|---|---|---|'
	jq -rs 'map(.jobs) | transpose[] | [.[0].jobname] +
		map([.read, .write, .trim] | max_by(.total_ios) |
		"\(.iops | round), " +
		"\(.clat_ns.percentile["99.000000"] / 1e5 | round / 10)") |
		"| " + join(" | ") + " |"' \
		"$out/plain-1.json" "$out/plain-4.json" "$out/tls-1.json" \
		"$out/tls-4.json"
}

# draw NAME TITLE: from what perf report printed as folded lines
draw()
{
	# a CPU that is idle is not where time goes
	awk '$1 ~ /%$/ { program = $2 }
		/^[0-9]/ && !/(idle|halt)[^;]*$/ {
			n = $1
			sub(/^[0-9]+ /, "")
			print program ";" $0, n
		}' "$out/$1.report" |
		perl /usr/share/perl5/Devel/NYTProf/flamegraph.pl \
			--hash --title "$2" >"$out/$1.svg"
	xmllint --noout --nonet "$out/$1.svg"
	echo "$out/$1.svg"
}

graphs()
{
	serve_at -U "$work/socket" pattern 1G
	perf record -q -g -F 999 -e cpu-clock -o "$work/data" -- \
		"$nbdboot.debug" copy "nbd+unix:///?socket=$work/socket" \
		"$work/copy"
	perf report --stdio --no-children -s comm -g folded,0,caller,count \
		-i "$work/data" >"$out/copy.report"
	draw copy 'nbdboot copy of 1 GiB'
	for kind in plain-1 plain-4 tls-1 tls-4; do
		draw $kind "The kernel while fio runs: $kind"
	done
}

measure
table
graphs
