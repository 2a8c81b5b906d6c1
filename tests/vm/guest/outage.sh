# shellcheck shell=sh disable=SC2154,SC2034,SC2016,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Servers that come and go, fio, and the watcher: what guest/reconnect.sh and
# guest/scale.sh share in the machine.

ip link set lo up
# Where servers are: it can be taken away.
address=192.0.2.1
ip addr add $address/32 dev lo
size=$((64 * 1048576))
rounds=$(word rounds)
outage=$(word outage)
storms=$(word storms)
# s, of the device under test
timeout=2
truncate -s $size /tmp/disk

# free PORT: nobody listens there, not even one who is being killed.
free()
{
	! netstat -ltn | grep -q ":$1 "
}

# server -p PORT [NBDKIT-ARGUMENT...]: starts one, waits until it listens.  With
# one thread for each client: with several, nbdkit 1.32 ends by an assertion
# (sock >= 0) when a client has left that it has several answers for.
server()
{
	[ -e /tmp/pid ] || mkfifo /tmp/pid
	until free $2; do
		sleep 0.1
	done
	nbdkit -t 1 -i $address -P /tmp/pid $with_tls "$@" >>/tmp/server.log 2>&1
	read -r server </tmp/pid
}

file_server()
{
	server -p 10809 file /tmp/disk
}

# pause MIN MAX: so many ms, by chance.
pause()
{
	sleep "$(awk -v min="$1" -v max="$2" \
		-v seed="$(od -An -N4 -tu4 /dev/urandom)" 'BEGIN {
		srand(seed)
		printf "%.3f", (min + rand() * (max - min)) / 1000
	}')"
}

now_ms()
{
	awk '{ printf "%d", $1 * 1000 }' /proc/uptime
}

# field NAME [DEVICE]: a number of list --json
field()
{
	nbdboot list --json "${2:-nbd0}" |
		sed -n "s/.*\"$1\": \"*\([a-z0-9]*\).*/\1/p"
}

live()
{
	same "$(field live)" "$1"
}

# await COMMAND...: until it succeeds; the machine's own limit ends it.
await()
{
	until "$@" >/dev/null 2>&1; do
		sleep 0.1
	done
}

# said TEXT: the watcher's latest words in the kernel's log have it.
said()
{
	dmesg | grep 'nbdboot: nbd0' | tail -n 1 | grep -q "$1"
}

# ---- fio in the background, which verifies what it wrote ----

# Stopped (see settles) while it reaps, fio 3.33's libaio may wait for ever for
# more than is left, which is fio's pull request 1556.
verify_start()
{
	fio --name=verify --filename=/dev/nbd0 --direct=1 --rw=randrw \
		--bs=4k --iodepth=8 --ioengine=io_uring --size=32M \
		--verify=crc32c --verify_fatal=1 --verify_backlog=64 \
		--allow_file_create=0 --thread --time_based --runtime=86400 \
		--output-format=json --output=/tmp/fio.json >/tmp/fio.log 2>&1 &
	fio=$!
	worst=0
}

# So many requests were answered so far.
answered()
{
	awk '{ print $1 + $5 }' /sys/block/nbd0/stat
}

more_than()
{
	[ "$(answered)" -gt "$1" ]
}

# I/O goes on: more requests than were in flight are answered.
flows()
{
	await more_than $(($(answered) + 100))
}

idle()
{
	same "$(awk '{ print $1 + $2 }' /sys/block/nbd0/inflight)" 0
}

# What was in flight is answered, which for what was lost is when its time is
# over: nothing comes after it meanwhile.
settles()
{
	kill -STOP $fio
	await idle
	kill -CONT $fio
}

# Ends it; fails if it had an error or a mismatch, or had ended before, or if
# a request took longer than the worst outage, the time-out and a second.  An
# empty $worst is no bound.
verify_end()
{
	kill -INT $fio || return
	wait $fio
	status=$?
	errors=$(sed -n 's/^ *"error" : \([0-9]*\),*/\1/p' /tmp/fio.json)
	longest=$(awk '/"lat_ns"/ { on = 1 } on && /"max"/ {
		gsub(/[^0-9]/, ""); if ($0 + 0 > max) max = $0 + 0; on = 0
	} END { printf "%d", max / 1000000 }' /tmp/fio.json)
	echo "${worst:+longest outage $worst ms, }longest pause $longest ms"
	# 128 is how fio ends when it is interrupted
	if [ "$errors" != 0 ] || [ $status != 128 ]; then
		echo "status $status, error $errors"
		cat /tmp/fio.log
		return 1
	fi
	[ ! "$worst" ] || [ $longest -le $((worst + timeout * 1000 + 1000)) ]
}

verified()
{
	sentence=$1
	check "$sentence" verify_end
	sed 's/^/# /' out
}

# An outage begins.
begin()
{
	began=$(now_ms)
}

# The server can be reached again: how long was it?
end()
{
	took=$(($(now_ms) - began))
	[ $took -le $worst ] || worst=$took
}

# ---- the watcher ----

watch_start()
{
	[ -p ready ] || mkfifo ready
	# where no terminal is, it speaks to the kernel's log
	nbdboot watch nbd0 2>/dev/null &
	watch=$!
	# it takes over, and becomes ready, before anything else is done
	await watch_has_name
}

watch_has_name()
{
	grep -q '@nbdboot/watch/nbd0' /proc/net/unix
}
