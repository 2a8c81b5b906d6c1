# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The part of bench/tune.sh in the machine, sourced by guest/init.sh.  Prints
# lines "figure SETTING, WORK, UNIT: DELAY VALUE" and "failed: ...".

# those of busybox can less
ip=/bin/ip
tc=/bin/tc

# A server behind a network with a delay.  Its own buffers are large, so that
# those of this side are what is measured.
make_server()
{
	modprobe veth
	modprobe sch_netem
	must $ip netns add far
	must $ip link add near type veth peer name far netns far
	must $ip addr add 192.0.2.1/24 dev near
	must $ip link set near up
	must $ip -n far addr add 192.0.2.2/24 dev far
	must $ip -n far link set far up
	must $ip netns exec far sh -c '
		cd /proc/sys/net/ipv4 &&
		echo 4096 131072 67108864 >tcp_rmem &&
		echo 4096 131072 67108864 >tcp_wmem'
	mkfifo /tmp/pid
	$ip netns exec far nbdkit -i 192.0.2.2 -P /tmp/pid memory 256M
	read -r _ </tmp/pid
}

# set_delay MS: of the round trip
set_delay()
{
	half=$(($1 * 500))us
	must $tc qdisc replace dev near root netem limit 100000 delay $half
	must $ip netns exec far $tc qdisc replace dev far root netem \
		limit 100000 delay $half
}

# One run of fio has all jobs of a connection, as its start takes long here.
new_jobs()
{
	cat >job.fio <<-'END'
		[global]
		filename=/dev/nbd0
		size=256M
		allow_file_create=0
		thread
		stonewall
		fadvise_hint=0
	END
}

# job SETTING WORK LINE...: a job of that name, which first sets the setting,
# and notes the counters of the device before and after
job()
{
	name=$1@$2
	tune=
	case $1 in
	*=*) tune="nbdboot tune nbd0 $1 && " ;;
	esac
	shift 2
	cat >>job.fio <<-END
		[$name]
		exec_prerun=(${tune}cat /sys/block/nbd0/stat >>/tmp/stat)
		exec_postrun=(cat /sys/block/nbd0/stat >>/tmp/stat)
	END
	printf '%s\n' "$@" >>job.fio
}

# Runs the jobs, and prints the figures of those that have a name for them.
run_jobs()
{
	: >stat
	must fio --minimal job.fio
	awk -v delay="$delay" -F';' '
	function figure(work, value) {
		print "figure " part[1] ", " work ": " delay " " value
	}
	FNR == NR {
		split($0, n, " ")
		sectors[NR] = n[3]
		next
	}
	NF > 100 {
		jobs++
		split($3, part, "@")
		rate = ($6 + $47) * 1000 / 1024 / ($9 + $50)
		pages = (sectors[2 * jobs] - sectors[2 * jobs - 1]) / 2048
		if (part[2] == "order")
			figure("read in order, MiB/s", sprintf("%.1f", rate))
		if (part[2] == "map") {
			figure("50 pages of a mapping, ms", $9)
			figure("50 pages of a mapping, MiB",
				sprintf("%.1f", pages))
		}
		if (part[2] ~ /^small/)
			figure("4 KiB at random, " substr(part[2], 6) \
				" in flight, requests/s", $8)
		if (part[2] ~ /^large/)
			figure(substr(part[2], 6) " 1 MiB, 16 in flight, MiB/s",
				sprintf("%.1f", rate))
	}' stat out
}

queue()
{
	new_jobs
	for ahead in 128 512 1024 4096; do
		job read_ahead_kb=$ahead order rw=read bs=128k io_size=16M
		job read_ahead_kb=$ahead map rw=randread bs=4k io_size=200k \
			ioengine=mmap
	done
	for size in 16 64 128; do
		job nr_requests=$size small128 rw=randread bs=4k io_size=6M \
			direct=1 ioengine=libaio iodepth=128
	done
	for scheduler in none mq-deadline; do
		job scheduler=$scheduler small32 rw=randread bs=4k io_size=6M \
			direct=1 ioengine=libaio iodepth=32
	done
	for size in 128 512 1024; do
		job max_sectors_kb=$size largeread rw=read bs=1M io_size=32M \
			direct=1 ioengine=libaio iodepth=16
	done
	must nbdboot connect -d nbd0 nbd://192.0.2.2/
	run_jobs
	must nbdboot disconnect nbd0
}

# buffers NAME RMEM WMEM: those of a connection of its own, whose window grows
# before it is measured
buffers()
{
	echo "$2" >/proc/sys/net/ipv4/tcp_rmem
	echo "$3" >/proc/sys/net/ipv4/tcp_wmem
	new_jobs
	for rw in read write; do
		job "$1" grow rw=$rw bs=1M io_size=16M direct=1 \
			ioengine=libaio iodepth=16
		job "$1" large$rw rw=$rw bs=1M io_size=24M direct=1 \
			ioengine=libaio iodepth=16
	done
	must nbdboot connect -d nbd0 nbd://192.0.2.2/
	run_jobs
	must nbdboot disconnect nbd0
}

# What the page cache writes beside four reads at a time: the kernel lets it have
# fewer requests while reads take longer than wbt_lat_usec, of which 2000 is its
# default.
beside()
{
	for usec in 2000 0; do
		must nbdboot connect -d nbd0 nbd://192.0.2.2/
		must nbdboot tune nbd0 wbt_lat_usec=$usec
		read -r was _ </sys/block/nbd0/stat
		fio --name=reads --filename=/dev/nbd0 --rw=randread --bs=4k \
			--size=256M --direct=1 --ioengine=libaio --iodepth=4 \
			--time_based --runtime=10000 --thread >out 2>&1 &
		reader=$!
		until read -r reads _ </sys/block/nbd0/stat &&
			[ "$reads" -gt $((was + 100)) ]; do
			sleep 0.1
		done
		read -r began _ </proc/uptime
		must dd if=/dev/zero of=/dev/nbd0 bs=1M count=16 conv=fsync
		read -r ended _ </proc/uptime
		read -r last _ </sys/block/nbd0/stat
		kill $reader
		wait $reader
		echo "$began $ended $((last - reads))" | awk -v delay="$delay" \
			-v name="figure wbt_lat_usec=$usec, " '{
			print name "written beside reads, MiB/s: " delay,
				sprintf("%.1f", 16 / ($2 - $1))
			print name "4 KiB read beside that, 4 in flight, " \
				"requests/s: " delay, int($3 / ($2 - $1)) }'
		must nbdboot disconnect nbd0
	done
}

# The buffers of TCP.
windows()
{
	# what SO_RCVBUF and SO_SNDBUF do: a size that does not change
	for size in 425984 33554432; do
		buffers fixed-$size "4096 $size $size" "4096 $size $size"
	done
	buffers tcp_rmem,tcp_wmem:33554432 "4096 131072 33554432" \
		"4096 16384 33554432"
	buffers kernel "$rmem" "$wmem"
}

nbdboot load
make_server
rmem=$(cat /proc/sys/net/ipv4/tcp_rmem)
wmem=$(cat /proc/sys/net/ipv4/tcp_wmem)
for delay in $(word delays | tr , ' '); do
	set_delay "$delay"
	for work in $(word works | tr , ' '); do
		"$work"
	done
done
