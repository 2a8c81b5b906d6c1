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
	wait_for_port 10809
	nbdkit_starts -i 127.0.0.1 --filter=delay memory 64M "$@"
}

# load DEVICE KIND: requests one after the other, until load_ends
load()
{
	before=$(awk '{ print $1 + $5 }' /sys/block/$1/stat)
	fio --name=load --filename=/dev/$1 --direct=1 --rw=$2 --bs=4k \
		--size=64M --ioengine=psync --time_based --runtime=9999 \
		--allow_file_create=0 --thread >/tmp/fio.log 2>&1 &
	load=$!
	until [ "$(awk '{ print $1 + $5 }' /sys/block/$1/stat)" -gt \
		$((before + 3)) ]; do
		kill -0 $load || {
			not_ok "load of $1: fio goes on"
			sed 's/^/# /' /tmp/fio.log
			break
		}
		sleep 0.1
	done
}

load_ends()
{
	kill $load
	wait $load
}

# figures DEVICE: what `latency` prints about it, as JSON.  Of five seconds the median
# of each figure: what stops the machine for a moment is in the figures of one.
figures()
{
	nbdboot latency --json -i 1 -n 5 $1 >five
	jq -sc 'def median: sort | .[length / 2 | floor];
		. as $all | $all[0] | reduce paths(scalars) as $p (.;
			setpath($p; [$all[] | getpath($p)] | median))' \
		five >figures
	cp figures figures.$1
	sed 's/^/# /' five figures
}

# is EXPRESSION: true of the figures
is()
{
	jq -e ".devices[0] | $1" <figures
}

# always EXPRESSION: true of those of each second
always()
{
	jq -es "length == 5 and all(.[]; .devices[0] | $1)" <five
}

# shown PATTERN FILE: waits for such a line
shown()
{
	until grep -q -e "$1" $2; do
		sleep 0.1
	done
}

# trace NAME SCRIPT ARGUMENT...: starts a script of boot/trace
trace()
{
	name=$1 script=$2
	shift 2
	bpftrace /trace/$script.bt "$@" >$name 2>&1 &
	eval $name=$!
}

trace_ends()
{
	eval "kill \$$1; wait \$$1"
	sed 's/^/# /' $1
}

# mostly FILE DEVICE KIND LEAST: half of the requests of that kind waited for LEAST
# ms, or longer.  What a busy host adds is in all figures: that half waited for no
# more than eight times of what `latency` said.
mostly()
{
	awk -v map="@us_3_wait[$2, $3]:" -v least="$4" \
		-v said="$(jq ".devices[0].$3.latency_us" <figures.nbd$2)" '
		function us(n) {
			return n * (n ~ /K/ ? 1024 : n ~ /M/ ? 1048576 : 1)
		}
		{ sub(/[ \t]+$/, "") }
		/^@/ { inside = $0 == map; next }
		inside && /^\[/ {
			split($0, part, ")")
			split(part[2], n, " ")
			split(part[1], edge, /[[,]/)
			from[++buckets] = us(edge[2])
			all += count[buckets] = n[1]
		}
		END {
			for (i = 1; i <= buckets && 2 * sum < all; i++)
				sum += count[i]
			half = from[i - 1]
			print map, half, "us, and latency says", said
			exit !(all && 2 * half > least * 1000 &&
				half < 8 * said)
		}' $1
}

nbdboot load

# ---- a slow server: 18 ms for a read, 36 for a write ----

serve_slow rdelay=18ms wdelay=36ms
nbdboot connect -d nbd0 -c 2 -t 2 nbd://127.0.0.1/ >/dev/null
load nbd0 randrw
figures nbd0
# A delay is the least that a request takes; what a busy host adds is in all
# figures, so that they are compared with each other.
check 'latency: a read takes the delay of the server' \
	is '.read.latency_us >= 18000 and
		.read.latency_us < .write.latency_us'
check 'latency: a write takes its own delay' \
	is '.write.latency_us >= 36000 and
		.write.latency_us < 4 * .read.latency_us'
check 'latency: the server is blamed for it' \
	is '.slow == "server" and .server_us >= 18000'
check 'latency: the network is not, although acknowledgements come late' \
	is '.network_us * 4 < .server_us and
		.links[0].rtt_us > .links[0].min_rtt_us'
nbdboot latency >text
sed 's/^/# /' text
check 'latency: the text says so' awk '
	/^nbd0: server: [0-9.]* ms = [0-9.]* network [+] [0-9.]* server;/ {
		found = $6 * 4 < $9
	}
	END { exit !found }' text
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

check 'and a device that is not there is named' sh -c \
	'! nbdboot list --metrics nbd0 nbd99 2>named >listed && grep nbd99 named &&
	grep "^nbdboot_connections_live.*nbd0" listed'
check 'tune changes the settings of a queue' \
	nbdboot tune nbd0 read_ahead_kb=512,scheduler=none max_sectors_kb=64
check 'and shows them' sh -c 'nbdboot tune nbd0 >tuned &&
	grep -x read_ahead_kb=512 tuned && grep -x max_sectors_kb=64 tuned &&
	grep -x "scheduler=\[none\].*" tuned'
check 'which the kernel has' same "$(cat /sys/block/nbd0/queue/read_ahead_kb)" 512
before=$(cat /proc/sys/net/ipv4/tcp_rmem)
check 'tune changes the largest buffer of TCP, and shows it' sh -c '
	nbdboot tune nbd0 tcp_rmem=8388608 && nbdboot tune nbd0 >tuned &&
	grep -x tcp_rmem=8388608 tuned'
check 'and only that' same "$(cat /proc/sys/net/ipv4/tcp_rmem)" \
	"${before%?"${before##*[!0-9]}"}$(printf '\t8388608')"
refused 'a size that is no number is refused' 1 'tcp_wmem=large' \
	nbdboot tune nbd0 tcp_wmem=large
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
	.words == ["rdinit=/test", "root=nbd://192.0.2.1/disk",
		"nbdboot.debug"] and
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
trace nbdsnoop nbdsnoop 0
trace nbdsnoop1 nbdsnoop 1
trace nbdslower nbdslower 30
trace nbdlatency nbdlatency
shown ' TOTAL' nbdsnoop
shown ' TOTAL' nbdsnoop1
shown ' TOTAL' nbdslower
shown '^@second\[0, write\]' nbdlatency
shown ' write ' nbdsnoop
shown ' read ' nbdsnoop
shown ' write ' nbdslower
sleep 2
trace_ends nbdsnoop
# TOTAL is never less than the delay.  WAIT begins when the sender comes back
# from the socket: on a busy host it is late now and then.
check 'nbdsnoop: WAIT of a read and a write is the delay of the server' awk '
	$4 != "read" && $4 != "write" { next }
	$2 != "nbd0" || $8 > $9 || $9 < 18000 { bad++ }
	$4 == "read" { reads++ }
	$4 == "write" && $6 == 4096 { writes++ }
	$8 < ($4 == "write" && $6 == 4096 ? 36000 : 18000) { late++ }
	END { exit !reads || !writes || bad || late * 4 > reads + writes }' nbdsnoop

sh /trace/nbdlatency-tracefs 3 >tracefs
sed 's/^/# /' tracefs
check 'without BPF: reads wait for the server' \
	mostly tracefs 0 read 18
check 'without BPF: writes wait for it twice as long' \
	mostly tracefs 0 write 36
check 'without BPF: each connection is counted' \
	grep -Ex '@us_total\[0, (read|write), [01]\]:' tracefs
# one that a busy host stopped there is late
check 'without BPF: queue and send are no part of it' awk '
	/^@/ { on = /^@us_[124]_.*read/ }
	on && /^\[/ {
		split($0, part, ")")
		split(part[2], n, " ")
		all += n[1]
		late += /^\[[0-9]*M/ ? n[1] : 0
	}
	END {
		print late + 0, "of", all
		exit !all || late * 4 > all
	}' tracefs

# ---- a server that hangs, and dies ----

trace nbderrors nbderrors
shown ' DETAILS' nbderrors
kill -STOP $server
shown ' time-out ' nbderrors
shown ' dead connection ' nbderrors
shown ' sent again ' nbderrors
kill -9 $server
serve_slow rdelay=18ms wdelay=36ms
nbdboot reconnect nbd0
shown ' reconnect ' nbderrors
load_ends
nbdboot disconnect nbd0
shown ' disconnect ' nbderrors
# the kernel looks for partitions
nbdkit -i 127.0.0.1 -p 10812 eval get_size='echo 1048576' \
	pread='echo EIO >&2; exit 1'
nbdboot connect -d nbd2 nbd://127.0.0.1:10812/ >/dev/null
shown ' I/O error ' nbderrors
trace_ends nbderrors
nbdboot disconnect nbd2
check 'nbderrors: the time-out names the device' \
	grep ' time-out .* of nbd0 at sector' nbderrors
for event in connect reconnect disconnect; do
	check "nbderrors: who: $event" grep " $event  *nbdboot" nbderrors
done
check 'nbderrors: an error that reaches the file system names the device' \
	grep ' I/O error  *43,[0-9]* R.* at sector 0, .* error -5$' nbderrors

# ---- a slow network: 100 ms each way, more than a busy host adds ----

# busybox has another tc
check 'the network becomes slow' sh -c 'modprobe sch_netem &&
	/bin/tc qdisc add dev lo root netem delay 100ms'
kill -9 $server
serve_slow
nbdboot connect -d nbd1 -c 2 nbd://127.0.0.1/ >/dev/null
load nbd1 randread
figures nbd1
check 'latency: a slow network is blamed' \
	is '.slow == "network" and .network_us >= 200000 and
		.server_us < .network_us'
check 'latency: and takes no more than there is' \
	always '.network_us + .server_us == .latency_us'
shown ' read ' nbdsnoop1
shown ' nbd1 .* read ' nbdslower
shown '^@second\[1, read\]' nbdlatency
sleep 2
for name in nbdsnoop1 nbdslower nbdlatency; do
	trace_ends $name
done
# with the shell and the awk of Debian
mkdir debian
ln -s /bin/mawk debian/awk
PATH=/tmp/debian:$PATH dash /trace/nbdlatency-tracefs 3 >tracefs
sed 's/^/# /' tracefs
load_ends
nbdboot disconnect nbd1
check 'nbdsnoop: the network is a part of WAIT' awk '
	$4 != "read" { next }
	$2 != "nbd1" || $8 > $9 || $9 < 200000 { bad++ }
	$8 < 200000 { late++ }
	{ reads++ }
	END { exit !reads || bad || late * 4 > reads }' nbdsnoop1
check 'nbdslower 30 shows the writes' awk '
	$4 == "write" { n++ }
	$9 ~ /^[0-9]+$/ && $9 < 30000 { bad++ }
	END { exit !n || bad }' nbdslower
check 'nbdslower: WAIT is the delay of the server, or that of the network' awk '
	$4 == "write" && $2 == "nbd0" && $9 < 36000 { bad++ }
	$4 == "write" && $2 == "nbd0" && $8 < 36000 { late++ }
	$4 == "read" && $2 == "nbd1" && $9 < 200000 { bad++ }
	$4 == "read" && $2 == "nbd1" && $8 < 200000 { late++ }
	$4 == "read" && $2 == "nbd1" { n++ }
	END { exit !n || bad || late * 4 > n }' nbdslower
check 'nbdlatency: reads wait for the server' \
	mostly nbdlatency 0 read 18
check 'nbdlatency: writes wait for it twice as long' \
	mostly nbdlatency 0 write 36
check 'nbdlatency: each connection is counted' \
	grep -E '^@us_total\[0, (read|write), 1\]' nbdlatency
check 'nbdlatency: reads wait for the network' \
	mostly nbdlatency 1 read 200
check 'without BPF: reads wait for the network' \
	mostly tracefs 1 read 200

# ---- both ----

kill -9 $server
serve_slow rdelay=18ms
nbdboot connect -d nbd1 -c 2 nbd://127.0.0.1/ >/dev/null
load nbd1 randread
figures nbd1
check 'latency: the network has its part, and the server has its own' \
	is '.network_us >= 200000 and .server_us >= 17000 and
		.server_us < .network_us'
load_ends
nbdboot disconnect nbd1
