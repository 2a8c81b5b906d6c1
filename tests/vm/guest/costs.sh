# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The part of bench/costs.sh in the machine, sourced by guest/init.sh.  For each
# tool of test.tools it prints
#
#	cost TOOL BEFORE WITH AFTER
#
# the requests in a second that a null server answers without it and with it.

seconds=$(word seconds)
tracing=/sys/kernel/tracing

# shown PATTERN FILE: waits for such a line
shown()
{
	until grep -q -e "$1" "$2" 2>/dev/null; do
		sleep 0.1
	done
}

rate()
{
	fio --name=job --filename=/dev/nbd0 --readonly --direct=1 \
		--rw=randread --bs=4k --ioengine=libaio --iodepth=8 --size=64M \
		--time_based --runtime="$seconds" --thread \
		--allow_file_create=0 --minimal >result
	awk -F';' 'NF > 100 { print $8 }' result
}

# start TOOL: in the background, until it is at work; sets tool to its number
start()
{
	: >log
	case $1 in
	latency) nbdboot latency -n 0 >log & ;;
	*-tracefs) sh "/trace/$1" 9999 >log 2>&1 & ;;
	*) bpftrace "/trace/$1" >log 2>&1 & ;;
	esac
	tool=$!
	case $1 in
	*-tracefs) shown 1 $tracing/instances/nbdlatency/events/nbd/enable ;;
	*) shown '^nbd0\|Tracing\|TOTAL\|DETAILS' log ;;
	esac
}

mount -t tracefs tracefs $tracing
ip link set lo up
nbdboot load
mkfifo /tmp/pid
nbdkit -i 127.0.0.1 -P /tmp/pid null 64M
read -r _ </tmp/pid
nbdboot connect -d nbd0 nbd://127.0.0.1/
before=$(rate)
for name in $(word tools | tr , ' '); do
	start "$name"
	with=$(rate)
	kill $tool || echo "failed: $name ended by itself"
	wait $tool
	after=$(rate)
	echo "cost $name $before $with $after"
	before=$after
	grep -i '^lost' log | tail -n 1 | sed "s/^/# $name: /"
done
