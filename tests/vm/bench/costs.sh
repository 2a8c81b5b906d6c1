#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What each tool costs that watches a null server: latency takes at most 1 % of
# its throughput.  TAP on standard output.
#
# The machine's only CPU takes 1 ns for each instruction, by the machine's own
# clock.  So the figures are counts of instructions, and do not change with the
# load of the host; but such a CPU is slow.
VM_LIMIT=${VM_LIMIT:-3600}
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"

tools='latency nbdlatency-tracefs nbdlatency.bt nbdsnoop.bt nbdslower.bt
	nbderrors.bt'

measure()
{
	find_kernel
	make_guest "$work/costs" guest/costs.sh fio bpftrace
	mkdir -p "$work/costs/trace"
	cp "$here"/../../boot/trace/nbd* "$work/costs/trace"
	initramfs "$work/initramfs" 'nbd tcp_diag unix_diag' "$work/costs" >/dev/null
	vm_memory=1024 vm_cpus=1 ACCEL=tcg,thread=single
	# shellcheck disable=SC2086 # words on purpose
	vm_start "$work/initramfs" "rdinit=/test \
test.seconds=${SECONDS_EACH:-2} test.tools=$(echo $tools | tr ' ' ,)" \
		-icount shift=0,sleep=off -serial "file:$work/kernel.log"
	vm_ended
	grep '^#' "$work/log" || true
}

# cost_of TOOL: what share of the throughput it takes, of 10000
cost_of()
{
	awk -v tool="$1" '$1 == "cost" && $2 == tool && $3 + $5 > 0 {
		printf "%.0f\n", 10000 - 20000 * $4 / ($3 + $5) }' "$work/log"
}

table()
{
	echo "# Requests of 4 KiB in a second, 8 in flight, nbdkit null, one CPU"
	echo "# of a nanosecond for each instruction (Linux $version):"
	echo '#'
	echo '# | tool | before | with it | after | cost |'
	echo '# |---|---|---|---|---|'
	for tool in $tools; do
		awk -v tool="$tool" -v cost="$(cost_of "$tool")" '
			$1 == "cost" && $2 == tool {
				printf "# | %s | %d | %d | %d | %.1f %% |\n",
					tool, $3, $4, $5, cost / 100
				found = 1
			}
			END { exit !found }' "$work/log" ||
			die "$tool was not measured"
	done
}

# costs SENTENCE TOOL OPERATOR SHARE: it takes so much, of 10000
costs()
{
	share=$(cost_of "$2")
	check "$1: $share of 10000" [ "$share" "$3" "$4" ]
}

measure
table
costs 'latency costs at most 1 % of the throughput' latency -le 100
costs 'a tool that traces each request costs more' nbdlatency-tracefs -gt 100
finish
