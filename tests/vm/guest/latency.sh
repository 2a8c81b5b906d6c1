# shellcheck shell=sh disable=SC2154,SC2034,SC2016,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# The part of test_latency.sh in the machine, sourced by guest/init.sh.

ip link set lo up
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
mount -t tracefs tracefs /sys/kernel/tracing

# serve_slow ARGUMENT...: a server in the machine, of 64 MiB
serve_slow()
{
	[ -e /tmp/pid ] || mkfifo /tmp/pid
	nbdkit -i 127.0.0.1 -P /tmp/pid --filter=delay memory 64M "$@"
	read -r server </tmp/pid
}

# load KIND: requests one after the other, until load_ends
load()
{
	before=$(awk '{ print $1 + $5 }' /sys/block/nbd0/stat)
	fio --name=load --filename=/dev/nbd0 --direct=1 --rw=$1 --bs=4k \
		--size=64M --ioengine=psync --time_based --runtime=9999 \
		--allow_file_create=0 --thread >/dev/null 2>&1 &
	load=$!
	until [ "$(awk '{ print $1 + $5 }' /sys/block/nbd0/stat)" -gt \
		$((before + 3)) ]; do
		sleep 0.1
	done
}

load_ends()
{
	kill $load
	wait $load
}

# figures ARGUMENT...: what `latency` prints about nbd0, as JSON
figures()
{
	nbdboot latency --json "$@" nbd0 >figures
	sed 's/^/# /' figures
}

# is EXPRESSION: true of the figures
is()
{
	jq -e ".devices[0] | $1" <figures
}

# shown PATTERN FILE: waits for such a line
shown()
{
	until grep -q -e "$1" $2; do
		sleep 0.1
	done
}

# Starts a script of boot/trace, and waits for the line of its columns.
trace()
{
	name=$1
	shift
	bpftrace /trace/$name.bt "$@" >$name 2>&1 &
	eval $name=$!
}

trace_ends()
{
	eval "kill \$$1; wait \$$1"
	sed 's/^/# /' $1
}

# mostly FILE MAP BUCKET: that is the bucket with the most requests of the map
mostly()
{
	awk -v map="@us_$2:" -v bucket="$3" '
		{ sub(/[ \t]+$/, "") }
		/^@/ { inside = $0 == map; next }
		inside && /^\[/ {
			split($0, part, ")")
			split(part[2], n, " ")
			if (n[1] > most) {
				most = n[1]
				found = part[1] ")"
			}
		}
		END {
			print map, found, most
			exit found != bucket
		}' $1
}

nbdboot load

# ---- a slow server: 18 ms for a read, 36 for a write ----

serve_slow rdelay=18ms wdelay=36ms
nbdboot connect -d nbd0 -c 2 -t 2 nbd://127.0.0.1/ >/dev/null
load randrw
figures -i 2
check 'latency: a read takes the delay of the server' \
	is '.read.latency_us >= 18000 and .read.latency_us < 36000'
check 'latency: a write takes its own delay' \
	is '.write.latency_us >= 36000 and .write.latency_us < 72000'
check 'latency: the server is blamed for it' \
	is '.slow == "server" and .server_us >= 18000'
check 'latency: the network is not, although acknowledgements come late' \
	is '.network_us < 4000 and .links[0].rtt_us > .links[0].min_rtt_us'
nbdboot latency >text
sed 's/^/# /' text
check 'latency: the text says so' \
	grep '^nbd0: server: [0-9.]* ms = [0-3]\.[0-9]* network + [0-9.]* server;' text
check 'latency: and has a line for each connection' \
	sh -c '[ "$(grep -c "live *127.0.0.1 .*RTT" text)" = 2 ]'

# ---- what is the same for each device ----

nbdboot list --metrics >metrics
sed 's/^/# /' metrics
check 'list --metrics prints the format of Prometheus' \
	awk -f /prometheus.awk metrics
check 'with the requests of the device' sh -c \
	'[ "$(sed -n "s/^nbdboot_requests_total{device=\"nbd0\",op=\"read\"} //p" \
		metrics)" -gt 3 ]'
check 'and its connections' \
	grep -x 'nbdboot_connections_live{device="nbd0"} 2' metrics
check 'and the round trip of its network' \
	grep -Ex 'nbdboot_network_rtt_seconds.device="nbd0". 0\.00[0-3][0-9]{3}' metrics

check 'tune changes the settings of a queue' \
	nbdboot tune nbd0 read_ahead_kb=512,scheduler=none max_sectors_kb=64
check 'and shows them' sh -c 'nbdboot tune nbd0 >tuned &&
	grep -x read_ahead_kb=512 tuned && grep -x max_sectors_kb=64 tuned &&
	grep -x "scheduler=\[none\].*" tuned'
check 'which the kernel has' same "$(cat /sys/block/nbd0/queue/read_ahead_kb)" 512
refused 'a value that the kernel refuses is named' 1 'max_sectors_kb=3' \
	nbdboot tune nbd0 max_sectors_kb=3
refused 'a setting that is none is refused' 2 'is no setting' \
	nbdboot tune nbd0 read_ahead=1
refused 'as is one without a value' 2 'is no setting' \
	nbdboot tune nbd0 read_ahead_kb=
refused 'and a device that is not there' 1 'read_ahead_kb=1' \
	nbdboot tune nbd99 read_ahead_kb=1
nbdboot tune nbd0 read_ahead_kb=128,max_sectors_kb=128

# Paths of keys are no secrets, but what is in them is.
nbdkit -i 127.0.0.1 -p 10810 --tls=require --tls-psk=/etc/nbdboot/keys.psk \
	memory 1M
check 'connect with a key' nbdboot connect -d nbd1 \
	'nbds://desk@127.0.0.1:10810/?tls-psk-file=/etc/nbdboot/keys.psk'
nbdboot report >collected
nbdboot report --json >collected.json
sed 's/^/# /' collected
check 'report: the text has each section' sh -c 'for name in devices versions \
	words queues log boot; do grep -x "== $name ==" collected || exit; done'
check 'report: the JSON has, too' jq -e '.devices[0].name == "nbd0" and
	(.versions[0] | startswith("nbdboot ")) and
	(.queues | index("nbd0 read_ahead_kb=128")) and (.log | length) > 1 and
	.words == ["root=nbd://192.0.2.1/disk", "nbdboot.debug"] and
	.boot == []' collected.json
check 'report: the path of a key is there' grep keys.psk collected collected.json
for secret in "$(word key)" hunter2; do
	check "report: what is secret is not: $secret" sh -c \
		"grep -q $secret /etc/nbdboot/keys.psk /proc/cmdline &&
		! grep $secret collected collected.json"
done
nbdboot disconnect nbd1

: >top
script -qfec 'nbdboot top' top >/dev/null </dev/null &
shown '^nbd0 .* server' top
kill "$(pidof nbdboot)"
wait $!
check 'top shows the device and whose fault it is, and leaves the screen' sh -c \
	'tail -n 2 top | grep "\[?1049l"'

# Their compilers take turns anyway: one start for all.
trace nbdsnoop 0
trace nbdslower 30
trace nbdlatency
shown ' TOTAL' nbdsnoop
shown ' TOTAL' nbdslower
shown '^@second\[0, write\]' nbdlatency
shown ' write ' nbdsnoop
shown ' read ' nbdsnoop
shown ' write ' nbdslower
sleep 2
for name in nbdsnoop nbdslower nbdlatency; do
	trace_ends $name
done
check 'nbdsnoop: WAIT of a read and a write is the delay of the server' awk '
	$4 == "read" && $8 >= 18000 && $8 <= $9 { reads++ }
	$4 == "write" && $8 >= 36000 && $8 <= $9 && $6 == 4096 { writes++ }
	($4 == "read" || $4 == "write") && ($8 < 18000 || $2 != "nbd0") { bad++ }
	END { exit !reads || !writes || bad }' nbdsnoop
check 'nbdslower 30 shows the writes' awk '
	$4 == "write" { n++ }
	$9 ~ /^[0-9]+$/ && $9 < 30000 { bad++ }
	END { exit !n || bad }' nbdslower
check 'nbdlatency: reads wait for the server' \
	mostly nbdlatency '3_wait[0, read]' '[16K, 32K)'
check 'nbdlatency: writes wait for it twice as long' \
	mostly nbdlatency '3_wait[0, write]' '[32K, 64K)'
check 'nbdlatency: each connection is counted' \
	grep -E '^@us_total\[0, (read|write), 1\]' nbdlatency

sh /trace/nbdlatency-tracefs 3 >tracefs
sed 's/^/# /' tracefs
check 'without BPF: reads wait for the server' \
	mostly tracefs '3_wait[0, read]' '[16K, 32K)'
check 'without BPF: writes wait for it twice as long' \
	mostly tracefs '3_wait[0, write]' '[32K, 64K)'
check 'without BPF: queue and send are no part of it' sh -c '
	! grep -A 20 "^@us_[124]_.*read" tracefs | grep "^\[[0-9]*M"'

# ---- a server that hangs, and dies ----

trace nbderrors
shown ' DETAILS' nbderrors
kill -STOP $server
shown ' time-out ' nbderrors
shown ' dead connection ' nbderrors
kill -9 $server
serve_slow
nbdboot reconnect nbd0
shown ' reconnect ' nbderrors
trace_ends nbderrors
check 'nbderrors: the time-out names the device' \
	grep ' time-out .* of nbd0 at sector' nbderrors
check 'nbderrors: who reconnected' grep ' reconnect  *nbdboot' nbderrors
load_ends
nbdboot disconnect nbd0

# ---- a slow network: 15 ms each way ----

# busybox has another tc
check 'the network becomes slow' sh -c 'modprobe sch_netem &&
	/bin/tc qdisc add dev lo root netem delay 15ms'
nbdboot connect -d nbd0 -c 2 nbd://127.0.0.1/ >/dev/null
load randread
figures -i 2
check 'latency: a slow network is blamed' \
	is '.slow == "network" and .network_us >= 28000'
check 'latency: and takes no more than there is' \
	is '.network_us + .server_us == .latency_us'
load_ends
nbdboot disconnect nbd0
