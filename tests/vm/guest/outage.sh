# shellcheck shell=sh disable=SC2154,SC2034,SC2016,SC2086
# SPDX-License-Identifier: BSD-2-Clause
# Shared by guest/reconnect.sh and guest/scale.sh in the machine: servers that
# come and go, fio, and the watcher.

ip link set lo up
# The address of the servers, which can be removed.
address=192.0.2.1
ip addr add $address/32 dev lo
size=$((64 * 1048576))
rounds=$(word rounds)
outage=$(word outage)
storms=$(word storms)
pauses=$(word pauses)
# s, of the device under test
timeout=2
# reads, and as many writes, per second: each kind of outage needs some requests,
# and more of them would take the processor from what it waits for
rate=300
truncate -s $size /tmp/disk

# server -p PORT [NBDKIT-ARGUMENT...]: starts a server, waits until it listens.
# One thread for each client: with several, nbdkit 1.32 fails an assertion
# (sock >= 0) when a client leaves that it has several answers for.
server()
{
	wait_for_port $2
	nbdkit_starts -t 1 -i $address $with_tls "$@"
}

file_server()
{
	server -p 10809 file /tmp/disk
}

# pause MIN MAX: waits for a random number of ms
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

# field NAME [DEVICE]: prints a number of list --json
field()
{
	nbdboot list --json "${2:-nbd0}" |
		sed -n "s/.*\"$1\": \"*\([a-z0-9]*\).*/\1/p"
}

live()
{
	same "$(field live)" "$1"
}

# await COMMAND...: repeats it until it succeeds, or the machine's limit is over
await()
{
	until "$@" >/dev/null 2>&1; do
		sleep 0.1
	done
}

# said TEXT: the last message of the watcher in the kernel's log has it
said()
{
	dmesg | grep 'nbdboot: nbd0' | tail -n 1 | grep -q "$1"
}

# ---- a mapping of the disk ----

# With test.mapped fio's disk is a mapping, as nbdboot.prefetch makes one of a root
# that is written to: of each 4 MiB one half is a mirror of RAM and the server, and
# the other one the server.
mapped=$(word mapped)
disk=/dev/nbd0
[ ! "$mapped" ] || disk=/dev/dm-0
half=4096

halves()
{
	seq 0 $((2 * half)) $((size / 512 - 1))
}

map()
{
	[ "$mapped" ] || return 0
	modprobe -a loop dm_mod dm_mirror
	dd if=/dev/nbd0 of=/tmp/ram bs=1M iflag=direct \
		count=$((size / 1048576)) 2>/dev/null
	losetup /dev/loop0 /tmp/ram
	for start in $(halves); do
		echo "$start $half mirror core 2 1024 nosync 2" \
			"/dev/loop0 $start /dev/nbd0 $start 1 handle_errors"
		echo "$((start + half)) $half linear" \
			"/dev/nbd0 $((start + half))"
	done | dmsetup --noudevsync create nbdboot-nbd0 || echo 'no mapping'
}

# Fails if RAM has something else than the server.
unmap()
{
	[ "$mapped" ] || return 0
	dmsetup --noudevsync remove nbdboot-nbd0 && losetup -d /dev/loop0 ||
		return
	dd if=/dev/nbd0 of=/tmp/server bs=1M iflag=direct \
		count=$((size / 1048576)) 2>/dev/null
	for start in $(halves); do
		for file in /tmp/ram /tmp/server; do
			dd if=$file bs=512 skip=$start count=$half 2>/dev/null |
				sha256sum
		done | uniq | wc -l
	done | uniq | grep -qx 1 || {
		echo 'RAM has something else than the server'
		return 1
	}
	rm /tmp/server
}

# ---- fio in the background, with verification ----

# If fio 3.33 with libaio is stopped (see settles) while it reaps, it may wait
# for ever for more results than are left (fio's pull request 1556).
verify_start()
{
	map
	fio --name=verify --filename=$disk --direct=1 --rw=randrw \
		--bs=4k --iodepth=8 --ioengine=io_uring --size=32M \
		--rate_iops=$rate \
		--verify=crc32c --verify_fatal=1 --verify_backlog=64 \
		--allow_file_create=0 --thread --time_based --runtime=86400 \
		--output-format=json --output=/tmp/fio.json >/tmp/fio.log 2>&1 &
	fio=$!
	worst=0
}

# Prints how many requests were answered so far.
answered()
{
	awk '{ print $1 + $5 }' /sys/block/nbd0/stat
}

more_than()
{
	[ "$(answered)" -gt "$1" ]
}

# Waits until more requests are answered than were in flight: I/O continues.
flows()
{
	await more_than $(($(answered) + 100))
}

idle()
{
	same "$(awk '{ print $1 + $2 }' /sys/block/nbd0/inflight)" 0
}

# Waits until the requests in flight are answered; lost ones are answered after
# their time-out.  fio sends no others meanwhile.
settles()
{
	kill -STOP $fio
	await idle
	kill -CONT $fio
}

# Ends fio.  Fails if fio had an error or a mismatch, or had ended before.  Where
# pauses counts (make soak), it fails as well if a request took much longer than
# the worst outage, unless $worst is empty.
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
	# fio ends with 128 if interrupted
	if [ "$errors" != 0 ] || [ $status != 128 ]; then
		echo "status $status, error $errors"
		cat /tmp/fio.log
		return 1
	fi
	unmap || return
	[ ! "$pauses" ] || [ ! "$worst" ] ||
		[ $longest -le $((worst * 3 + timeout * 1000 + 1000)) ]
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

# The server can be reached again: computes how long the outage was.
end()
{
	took=$(($(now_ms) - began))
	[ $took -le $worst ] || worst=$took
}

# ---- the watcher ----

# watched N: a process holds the lock of the watcher of nbdN
watched()
{
	grep -q "POSIX .*:$(stat -c %i "/run/nbdboot/nbd$1.watch") " /proc/locks
}

watch_start()
{
	[ -p ready ] || mkfifo ready
	# without a terminal its messages are in the kernel's log
	nbdboot watch nbd0 2>/dev/null &
	watch=$!
	# wait until it took over and is ready
	await watch_has_name
}

watch_has_name()
{
	watched 0
}
