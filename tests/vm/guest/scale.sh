# shellcheck shell=sh disable=SC2154,SC2034,SC2016,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# The part of test_scale.sh in the machine, sourced by guest/init.sh.

# shellcheck source=tests/vm/guest/outage.sh
. /outage
with_tls=''

# ---- connections that come and go ----

# nbdkit 1.32 may fail an assertion when a connection ends with requests in
# flight.
modprobe -a virtio_pci virtio_net
ip addr add 10.0.2.15/24 dev eth0
ip link set eth0 up
uri=nbd://10.0.2.2:$(word port)/
check 'connect without -m' nbdboot connect -t $timeout -d nbd0 $uri
check 'has no room for more connections' same "$(field slots)" 1
nbdboot disconnect nbd0
check 'connect -m 4 -c 1' nbdboot connect -t $timeout -m 4 -d nbd0 $uri
check 'status counts live and dead connections' sh -c \
	'nbdboot status nbd0 | grep "^nbd0: 1 live, 3 dead, 1 wanted$"'
check 'and shows the peer of each' sh -c \
	"nbdboot status | grep 'live *10.0.2.2 port .* from port .*RTT'"
refused 'more than there is room for is refused' 1 'connect it with -m 5' \
	nbdboot scale -c 5 nbd0
refused 'a device that is not connected has nothing to scale' 1 \
	'not connected' nbdboot scale -c 2 nbd7
check 'reconnect has nothing to do' sh -c \
	'nbdboot reconnect nbd0 | grep "0 of 1 connections were dead"'
watch_start
verify_start
i=0
while [ $i -lt $rounds ]; do
	for n in 4 2 4 1; do
		flows
		nbdboot scale -c $n nbd0 || break 2
		await live $n
	done
	i=$((i + 1))
done
check "scale 1 to 4 to 2 to 4 to 1, $rounds times" same $i $rounds
check 'rotate replaces each connection' nbdboot rotate nbd0
check 'and the watcher keeps what scale wanted' live 1
worst=
verified 'fio saw no error and no mismatch'
kill $watch
wait $watch
check 'the watcher stops, the device does not' sh -c \
	'nbdboot list nbd0 | grep "State: *connected"'
nbdboot disconnect nbd0

# ---- watchers ----

# children N PID: it has N watching processes
children()
{
	same "$(wc -w <"/proc/$2/task/$2/children")" "$1"
}

# lives N: nbdN has a live connection
lives()
{
	same "$(field live nbd"$1")" 1
}

file_server
nbdboot connect -t $timeout -d nbd0 $uri >/dev/null
nbdboot watch &
first=$!
await watched 0
nbdboot connect -t $timeout -d nbd1 $uri >/dev/null
await watched 1
ok 'a watcher of all devices watches those that come later'
nbdboot watch &
second=$!
wait $first
check 'a second one takes over from the first' same $? 143
# a child sets its name some time after it was started
await children 2 $second
await watched 0
await watched 1
ok 'and watches both devices'
nbdboot watch nbd0 &
third=$!
await children 1 $second
# a uevent, and the reaction of the second watcher
nbdboot connect -t $timeout -d nbd2 $uri >/dev/null
await watched 2
check 'one for a device takes over, and keeps it' kill -0 $third
await children 2 $second
ok 'and the one for all has the others'
kill -9 $server
file_server
for n in 0 1 2; do
	await lives $n
done
ok 'all of them come back'
kill $second
wait $second
nbdboot disconnect nbd0
wait $third
check 'one for a device ends with it' same $? 0
nbdboot disconnect nbd1
nbdboot disconnect nbd2
kill -9 $server

# ---- requests at once ----

# read_from_each_cpu: each of them has a queue, and each queue a connection if there
# are enough
read_from_each_cpu()
{
	readers=
	for cpu in 0 1 2 3; do
		taskset -c $cpu dd if=/dev/nbd0 of=/dev/null bs=4k count=1 \
			skip=$((cpu * 1024)) iflag=direct 2>/dev/null &
		readers="$readers $!"
	done
	wait $readers
}

# The server handles one request of a connection at a time.  It holds all of them
# until as many are there at once as `wanted` says: for ever, if they do not come
# over as many connections.
mkdir /tmp/held
echo 1 >/tmp/wanted
uri=nbd://$address/
server -p 10809 eval thread_model='echo parallel' can_multi_conn='exit 0' \
	get_size='echo 64M' pread='
	mkdir /tmp/held/$$
	count=$(ls /tmp/held | wc -l)
	echo $count >>/tmp/counts
	[ $count -lt $(cat /tmp/wanted) ] || : >/tmp/released
	until [ -e /tmp/released ]; do
		sleep 0.1
	done
	rmdir /tmp/held/$$
	head -c $3 /dev/zero'
nbdboot connect -m 4 -d nbd0 $uri >/dev/null
for n in 1 2 3 4; do
	nbdboot scale -c $n nbd0 && echo $n >/tmp/wanted
	rm -f /tmp/counts /tmp/released
	read_from_each_cpu
	check "$n of 4 connections have $n requests at the server at once" \
		same "$(sort -n /tmp/counts | tail -n 1)" $n
done
nbdboot disconnect nbd0
kill -9 $server

# ---- several servers ----

second()
{
	server -p 10810 "$@" file /tmp/disk
}

second
other=$server
file_server
check 'connect to two servers' nbdboot connect -t $timeout -d nbd0 \
	$uri nbd://$address:10810/
first_port()
{
	nbdboot status nbd0 | grep -q "live *$address port $1 "
}
check 'uses the first one' first_port 10809
watch_start
connections=1
verify_start
flows
begin
kill -9 $server
await first_port 10810
end
flows
verified 'the second one takes over when the first is killed'
file_server
kill -9 $other
await first_port 10809
check 'and the first one, when the second is killed' first_port 10809
nbdboot disconnect nbd0
wait $watch
kill -9 $server
wait_for_port 10809
check 'the second server alone will do, too' sh -c "
	/bin/nbdboot connect nbd://$address:9/ $uri 2>&1 | grep 'refused.*refused'"

second -r
other=$server
server -p 10809 -r file /tmp/disk
refused 'spreading over fewer connections than servers' 2 'spread' \
	nbdboot connect -s $uri nbd://$address:10810/
check 'spreading over two servers that are read-only' nbdboot connect -s -c 2 \
	-d nbd0 $uri nbd://$address:10810/
check 'has a connection to each' sh -c 'nbdboot status nbd0 |
	grep -c "live.*port 108[01][90]" | grep -x 2'
nbdboot disconnect nbd0
kill -9 $server $other
second
other=$server
file_server
refused 'spreading what can be written is refused' 2 'read-only' \
	nbdboot connect -s -c 2 $uri nbd://$address:10810/
kill -9 $server
truncate -s 32M /tmp/small
server -p 10809 -r file /tmp/small
refused 'servers with different exports are refused' 1 \
	'do not serve the same' \
	nbdboot connect -R -s -c 2 $uri nbd://$address:10810/
kill -9 $server $other

# ---- a server that comes back with another export ----

blocks()
{
	same "$(cat /sys/block/nbd0/size)" "$1"
}

# comes_back SENTENCE PATTERN NBDKIT-ARGUMENT...: such a server is refused with
# a message that matches, and then the right server is accepted
comes_back()
{
	sentence=$1 pattern=$2
	shift 2
	flows
	kill -9 $server
	server -p 10809 "$@"
	await said "$pattern"
	check "$sentence is refused" live 0
	refused "$sentence is refused by reconnect" 1 "$pattern" \
		nbdboot reconnect -r 0 nbd0
	kill -9 $server
	file_server
	await live 1
}

file_server
nbdboot connect -t $timeout -d nbd0 nbd://$address/x >/dev/null
watch_start
verify_start
comes_back 'a smaller export' 'has 33554432 bytes, the device has 67108864' \
	file /tmp/small
comes_back 'an export that is read-only now' 'is read-only' \
	-r file /tmp/disk
comes_back 'a server with another export' 'no export' \
	--filter=exportname file /tmp/disk exportname=y exportname-strict=true
comes_back 'an export without flush' 'no longer supports flush' \
	--filter=nocache --filter=fua eval get_size='echo 64M' \
	pread='head -c $3 /dev/zero' pwrite='cat >/dev/null' can_write='exit 0'
comes_back 'a server that accepts less at once' 'accepts 65536 bytes at once' \
	--filter=blocksize-policy file /tmp/disk blocksize-minimum=512 \
	blocksize-preferred=4096 blocksize-maximum=65536 \
	blocksize-error-policy=error
flows
truncate -s 96M /tmp/disk
kill -9 $server
file_server
await blocks 196608
check 'a larger export makes the device larger' blocks 196608
worst=
verified 'fio saw no error and no mismatch in all that'
nbdboot disconnect nbd0
wait $watch
kill -9 $server

# ---- a server that comes back with another image of equal size ----

# image FILE BYTE: the same size, filled with another byte
image()
{
	head -c 33554432 /dev/zero | tr '\0' "$2" >$1
}

image /tmp/small a
server -p 10809 -r file /tmp/small
nbdboot connect -t 2 -d nbd0 -R $uri >/dev/null
watch_start
kill -9 $server
await live 0
image /tmp/other b
server -p 10809 -r file /tmp/other
await said 'another disk image'
check 'another image of equal size is refused' live 0
dd if=/dev/nbd0 bs=4k skip=7 count=1 iflag=direct of=/tmp/read 2>/dev/null &
read=$!
kill -9 $server
server -p 10809 -r file /tmp/small
wait $read
check 'and I/O waits for the right one' same \
	"$(head -c 1 /tmp/read; wc -c </tmp/read)" a4096
nbdboot disconnect nbd0
wait $watch
kill -9 $server

# ---- an answer that ends in its data ----

cat >/tmp/reads <<'END'
# the one that reads the result of faults must not wait for a case that hangs
exec >/dev/null
nbdboot connect -t 2 -d nbd0 $options $1 || exit
nbdboot watch nbd0 2>/dev/null &
watch=$!
dd if=/dev/nbd0 of=/tmp/read bs=64k count=64 iflag=direct &
dd=$!
${2:-:}
wait $dd
status=$?
nbdboot status nbd0 >/tmp/status
kill $watch
wait # for all that has it open
nbdboot disconnect nbd0
exit $status
END
head -c 4194304 /dev/urandom >/tmp/random

# reads SENTENCE FAULT OTHER-SERVER [COMMAND]: dd reads it all, though the first
# server fails in the middle of its 40th answer, which is a read of dd
served='exec nbdkit -s file /tmp/random'
reads()
{
	rm -f /tmp/read
	result=$(faults 120 $2 40 0 "$served" 10812 \
		/bin/sh /tmp/reads "nbd://$address:10812/ $3" "${4-}" 2>err |
		tail -n 1)
	echo "# $result"
	check "$1: no I/O error" sh -c "[ '${result% * * *}' = 'exit 0' ] &&
		[ '${result#* * * }' = 'fault -' ]"
	check 'and the right data' cmp /tmp/read /tmp/random
	# of a case that hangs
	[ ! -e /sys/block/nbd0/pid ] || nbdboot disconnect -f nbd0
}

# While the only connection is gone, I/O waits: it is no error.
reads 'one connection, cut in the data of an answer' cut ''

# It stays, and nothing more comes: the driver alone would wait for ever.  So a
# server that lives has to be asked.
server -p 10809 file /tmp/random
reads 'a server that stops in the data of an answer' stall nbd://$address/
check 'and another server answers' sh -c \
	"cat /tmp/status; grep 'live .* port 10809 ' /tmp/status"
kill -9 $server

# It is the only one, and then gone for a while: a pause.
cat >/tmp/stuck <<'END'
number()
{
	awk '{ print $1 }' /sys/block/nbd0/$1
}
# nothing was read for a second, and a read waits
until n=$(number stat); sleep 1; [ $(number inflight) -gt 0 ] &&
	[ $(number stat) = $n ]; do
	:
done
END
cat >/tmp/gone <<'END'
ended()
{
	dmesg | grep -c 'ended 1 silent connection$'
}
before=$(ended)
. /tmp/stuck
kill -STOP $PPID
until [ $(ended) -gt $before ]; do
	sleep 0.1
done
sleep 3
kill -CONT $PPID
END
reads 'the only server stops so, and is then away' stall '' '. /tmp/gone'

# The driver has a queue for each connection.  From a CPU of the other one reads go
# on, and none is sent over the connection that is stuck.
cat >/tmp/others <<'END'
. /tmp/stuck
cpu=$(awk '{ print $39 }' /proc/$dd/stat)
for queue in /sys/block/nbd0/mq/*; do
	grep -qw $cpu $queue/cpu_list || other=$(sed 's/,.*//' $queue/cpu_list)
done
(
	while grep -q 'State:.[^Z]' /proc/$dd/status; do
		taskset -c $other dd if=/dev/nbd0 bs=64k iflag=direct
	done
) 2>/dev/null &
END
server -p 10809 file /tmp/random
export options='-c 2' served="exec nc $address 10809"
reads 'one of two connections stops so, and the other one is busy' stall '' \
	'. /tmp/others'
kill -9 $server
unset options

# ---- commands that are interrupted ----

# The first server is not there, until `stopped` plays it.
stopped=nbd://$address:10811/
file_server
nbdboot connect -t 2 -m 4 -c 2 -d nbd0 $stopped $uri >/dev/null

# A process changes the connections of nbd0.
locked()
{
	grep -q "FLOCK .*:$(stat -c %i /run/nbdboot/nbd0.lock) " /proc/locks
}

# interrupted SENTENCE SIGNAL COMMAND...: the server freezes at the greeting,
# and then at its answer
interrupted()
{
	sentence=$1 signal=$2
	shift 2
	wrong=
	for step in 0 1; do
		result=$(faults 120 freeze $step $signal \
			'exec nbdkit -s file /tmp/disk' 10811 "$@" 2>err |
			tail -n 1)
		case $result in
		"signal $signal "*' fault soon') ;;
		*) wrong="$wrong; step $step: $result" ;;
		esac
		! locked || wrong="$wrong; step $step: locked"
	done
	check "$sentence is ended by signal $signal" same "$wrong" ''
	check 'and leaves no process' nobody_left
}

for signal in 2 15; do
	interrupted scale $signal /bin/nbdboot scale -c 4 nbd0
	check 'nor half a connection' live 2
	interrupted rotate $signal /bin/nbdboot rotate nbd0
	check 'reconnect makes those that scale wanted' nbdboot reconnect -r 0 nbd0
	check 'all of them' live 4
	nbdboot scale -c 2 nbd0
	kill -9 $server
	await live 0
	interrupted reconnect $signal /bin/nbdboot reconnect nbd0
	file_server
	check 'after it, another reconnect works' nbdboot reconnect -r 0 nbd0
	check 'with all connections' live 2
	check 'and I/O goes on' dd if=/dev/nbd0 of=/dev/null bs=4k count=1 \
		iflag=direct
done
nbdboot disconnect nbd0

# Whenever a signal comes, there is a device if and only if connect names it, and
# none after disconnect, unless it was interrupted.
delays='0 .01 .02 .03 .04 .05 .06 .08 .1 .12 .14 .16 .18 .2 .25 .3'
wrong='' ended='' done=''
for delay in $delays; do
	nbdboot connect -d nbd0 $uri >name 2>/dev/null &
	sleep $delay
	kill $! 2>/dev/null
	wait $!
	status=$?
	case $status-$(devices) in
	0-nbd0) done="$done $delay" ;;
	143-nbd0) grep -qx nbd0 name || wrong="$wrong; $delay: no name" ;;
	143-) ended="$ended $delay" ;;
	*) wrong="$wrong; $delay: status $status, devices: $(devices)" ;;
	esac
	[ "$(devices)" ] || continue
	nbdboot disconnect nbd0 2>/dev/null &
	sleep $delay
	kill $! 2>/dev/null
	wait $!
	status=$?
	case $status-$(devices) in
	0- | 143-) ;;
	143-nbd0) nbdboot disconnect nbd0 || wrong="$wrong; $delay: again" ;;
	*) wrong="$wrong; $delay: disconnect $status: $(devices)" ;;
	esac
done
echo "# connect was ended by a signal after$ended s, not after$done s"
check 'a signal at any time leaves no device behind' same "$wrong" ''
check 'nor a process' nobody_left

# blocked PROCESS: it sleeps in write(), or in poll() of two without an end
blocked()
{
	until grep -q '^1 \|^7 0x[0-9a-f]* 0x2 0xffffffff' \
		/proc/$1/syscall 2>/dev/null; do :; done
}

# A pipe that is full, and one that nobody reads.
mkfifo /tmp/full
exec 9<>/tmp/full
# not cat: busybox's calls sendfile(), which newer kernels let it do here
yes >/tmp/full &
blocked $!
kill $!
nbdboot connect -d nbd0 $uri >/tmp/full 2>/dev/null &
until [ "$(devices)" ]; do
	:
done
blocked $!
kill $!
wait $!
check 'connect is ended by a signal while nobody takes the name' same "$?" 143
check 'and leaves no device' same "$(devices)" ''
exec 9<&-
{
	nbdboot connect -d nbd0 $uri 2>/tmp/told
	echo $? >/tmp/status
} | :
check 'connect reports that nobody reads the name' grep -q \
	'nobody reads it' /tmp/told
check 'with status 1' same "$(cat /tmp/status)" 1
check 'and leaves no device either' same "$(devices)" ''
check 'nor a process' nobody_left
kill -9 $server

# shellcheck source=tests/vm/guest/starved.sh
. /starved

# ---- storms ----

dmesg -c >/dev/null
file_server
i=0
while [ $i -lt $storms ]; do
	nbdboot connect -t 1 -c $((i % 4 + 1)) -m 4 $uri >name 2>/dev/null ||
		break
	[ $((i % 5)) != 4 ] || {
		kill -9 $server
		file_server
	}
	nbdboot disconnect "$(cat name)" || break
	i=$((i + 1))
done
check "connected and disconnected $storms times, with kills" same $i $storms
check 'no device is stuck' same "$(devices)" ''
check 'and the kernel gave no warning' sh -c \
	'! dmesg | grep -E "WARNING|BUG|Oops|blocked for more"'
kill -9 $server
