# shellcheck shell=sh disable=SC2154,SC3028
# SPDX-License-Identifier: BSD-2-Clause
# The part of bench/tls.sh in the machine, sourced by guest/init.sh.  Prints
# lines
#	time SIDE MICROSECONDS
#	left SIDE PROCESSES
#	job SIDE NAME KIB MILLISECONDS CPU-MILLISECONDS
# CPU time is the time that all CPUs are not idle, without the server's.
# EPOCHREALTIME is a variable of busybox.

rounds=$(word rounds)
seconds=$(word seconds)
port=10809

open_ours()
{
	must nbdboot connect -c 4 -d nbd0 -A /tls/ca-cert.pem \
		"nbds://localhost:$port"
}

open_theirs()
{
	# its short forms are not known to itself
	must nbd-client -C 4 -enable-tls -cacertfile /tls/ca-cert.pem \
		-tlshostname localhost localhost "$port" /dev/nbd1
	# it returns before the device is there
	while [ "$(cat /sys/block/nbd1/size)" = 0 ]; do :; done
}

close_ours()
{
	must nbdboot disconnect nbd0
}

close_theirs()
{
	must nbd-client -d /dev/nbd1
	while [ -e /sys/block/nbd1/pid ]; do :; done
	while pidof nbd-client >/dev/null; do :; done
}

# Prints the milliseconds that the CPUs were busy, without those of the server.
# /proc/stat counts ticks, which a busy host may lose; the idle times and the
# times of threads come from a clock.
busy()
{
	cat /proc/uptime /proc/stat "/proc/$server/task/"*/schedstat | awk '
	NR == 1 { up = $1 * 1000 }
	$1 == "cpu" { idle = ($5 + $6) * 10 }
	/^cpu[0-9]/ { cpus++ }
	NF == 3 && /^[0-9]/ { served += $1 / 1000000 }
	END { printf "%d\n", cpus * up - idle - served }'
}

# job SIDE NAME RW BS DEPTH
job()
{
	device=/dev/nbd0
	[ "$1" = ours ] || device=/dev/nbd1
	before=$(busy)
	must fio --name=job --filename=$device --direct=1 --rw="$3" \
		--bs="$4" --iodepth="$5" --ioengine=libaio --size=128M \
		--time_based --runtime="$seconds" --allow_file_create=0 \
		--thread --minimal
	after=$(busy)
	awk -F';' -v head="job $1 $2" -v ms=$((after - before)) '
		NF > 100 { print head, $6 + $47, $9 + $50, ms }' out
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

# left SIDE PROGRAM...: prints how many of these processes there are
left()
{
	side=$1 n=0
	shift
	for exe in /proc/[0-9]*/exe; do
		[ -e "$exe" ] || continue # a thread of the kernel
		for program; do
			case $(readlink "$exe") in
			*/"$program") n=$((n + 1)) ;;
			esac
		done
	done
	echo "left $side $n"
}

# cipher SIDE: prints the cipher that the client preferred; the server has no
# preference
cipher()
{
	GNUTLS_DEBUG_LEVEL=4 nbdkit -v -f -i 127.0.0.1 -p 10810 -P /tmp/pid \
		--tls=require --tls-certificates=/tls memory 128M 2>log &
	read -r other </tmp/pid
	port=10810
	"open_$1"
	"close_$1"
	port=10809
	kill "$other"
	wait "$other"
	sed -n "s/.*Selected cipher suite: /# $1: /p" log | sort -u
}

ip link set lo up
echo '127.0.0.1 localhost' >/etc/hosts
nbdboot load
cipher=$(word cipher)
if [ "$cipher" ]; then
	echo '[overrides]' >/tmp/priority
	for other in AES-128-GCM AES-256-GCM CHACHA20-POLY1305 AES-128-CCM \
		AES-256-CCM AES-128-CBC AES-256-CBC; do
		[ $other = "$cipher" ] ||
			echo "tls-disabled-cipher = $other" >>/tmp/priority
	done
	export GNUTLS_SYSTEM_PRIORITY_FILE=/tmp/priority
fi
mkfifo /tmp/pid
nbdkit -i 127.0.0.1 -P /tmp/pid --tls=require \
	--tls-certificates=/tls memory 128M
read -r server </tmp/pid

round=0
while [ $round -le "$rounds" ]; do
	warm=
	[ $round != 0 ] || warm=warm
	for side in ours theirs; do
		timed $side "$warm"
		close_$side
	done
	round=$((round + 1))
done
for side in ours theirs; do
	cipher $side
done

# In turns on both devices, so that load of the host hits both alike.
open_ours
open_theirs
left ours init nbdboot
left theirs nbd-client
for rw in read write randread randwrite; do
	for side in ours theirs; do
		job $side $rw-4k-32 $rw 4k 32
	done
	for side in ours theirs; do
		job $side $rw-1M-4 $rw 1M 4
	done
done
close_ours
close_theirs
awk '$1 == "driver" && $3 ~ /gcm|rfc7539/ { print "# cipher: " $3 }' /proc/crypto
