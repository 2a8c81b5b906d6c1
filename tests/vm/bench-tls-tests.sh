# shellcheck shell=sh disable=SC2154,SC3028
# SPDX-License-Identifier: BSD-2-Clause
# What bench-tls.sh measures, read by guest.sh in the machine: lines
#	time WHO MICROSECONDS
#	left WHO PROCESSES
#	job WHO NAME KIB MILLISECONDS TICKS
# TICKS are those of all CPUs, less the server's.  EPOCHREALTIME is busybox's.

rounds=$(word rounds)
seconds=$(word seconds)

must()
{
	"$@" >out 2>err || {
		echo "failed: $*"
		sed 's/^/# /' out err
		poweroff -f
	}
}

open_ours()
{
	must nbdboot connect -c 4 -d nbd0 -A /tls/ca-cert.pem nbds://localhost
}

open_theirs()
{
	# its short forms are not known to itself
	must nbd-client -C 4 -enable-tls -cacertfile /tls/ca-cert.pem \
		-tlshostname localhost localhost /dev/nbd0
	# it returns before the device is there
	while [ "$(cat /sys/block/nbd0/size)" = 0 ]; do :; done
}

close_ours()
{
	must nbdboot disconnect nbd0
}

close_theirs()
{
	must nbd-client -d /dev/nbd0
	while [ -e /sys/block/nbd0/pid ]; do :; done
	while pidof nbd-client >/dev/null; do :; done
}

# Busy ticks of all CPUs, less those of the server.
ticks()
{
	awk -v server="$server" '
	/^cpu / { busy = $2 + $3 + $4 + $7 + $8 }
	END {
		getline line <("/proc/" server "/stat")
		split(line, f, " ")
		print busy - f[14] - f[15]
	}' /proc/stat
}

# job WHO NAME RW BS DEPTH
job()
{
	before=$(ticks)
	must fio --name=job --filename=/dev/nbd0 --direct=1 --rw="$3" \
		--bs="$4" --iodepth="$5" --ioengine=libaio --size=128M \
		--time_based --runtime="$seconds" --allow_file_create=0 \
		--thread --minimal
	after=$(ticks)
	awk -F';' -v head="job $1 $2" -v ticks=$((after - before)) '
		NF > 100 { print head, $6 + $47, $9 + $50, ticks }' out
}

timed()
{
	from=$EPOCHREALTIME
	"open_$1"
	to=$EPOCHREALTIME
	[ "$2" = warm ] ||
		echo "time $1 $(((${to%.*} - ${from%.*}) * 1000000 +
			1${to#*.} - 1${from#*.}))"
}

jobs()
{
	for rw in read write randread randwrite; do
		job "$1" "$rw-4k-32" $rw 4k 32
		job "$1" "$rw-1M-4" $rw 1M 4
	done
}

ip link set lo up
echo '127.0.0.1 localhost' >/etc/hosts
nbdboot load
mkfifo /tmp/pid
nbdkit -i 127.0.0.1 -P /tmp/pid --tls=require \
	--tls-certificates=/tls memory 128M
read -r server </tmp/pid

round=0
while [ $round -le "$rounds" ]; do
	warm=
	[ $round != 0 ] || warm=warm
	for who in ours theirs; do
		timed $who "$warm"
		close_$who
	done
	round=$((round + 1))
done
for who in ours theirs; do
	open_$who
	jobs $who
	left=0
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe") in
		/init | */nbdboot | */nbd-client) left=$((left + 1)) ;;
		esac
	done
	echo "left $who $left"
	close_$who
done
awk '$1 == "driver" && $3 ~ /gcm|rfc7539/ { print "# cipher: " $3 }' /proc/crypto
