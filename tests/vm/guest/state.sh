# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The part of test_state.sh in the machine, sourced by guest/init.sh: devices
# whose servers do not answer, and what the kernel says about them.

ip link set lo up
mount -t tracefs tracefs /sys/kernel/tracing
modprobe qemu_fw_cfg

# in_flight DEVICE N: waits until that many requests have no answer
in_flight()
{
	until [ "$(awk '{ print $1 + $2 }' "/sys/block/$1/inflight")" = "$2" ]; do
		sleep 0.1
	done
}

# load DEVICE KIND SIZE ARGUMENT...
load()
{
	device=$1 kind=$2 size=$3
	shift 3
	fio --name=load --filename="/dev/$device" --direct=1 --rw="$kind" \
		--bs="$size" --ioengine=libaio --size=32M --thread \
		--allow_file_create=0 "$@" >/dev/null 2>&1 &
}

nbdkit_starts memory 64M
must nbdkit -U /tmp/socket memory 1M

nbdboot load
nbdboot connect -d nbd0 -c 4 -t 600 nbd://127.0.0.1/
nbdboot connect -d nbd3 -t 600 'nbd://[::1]/'
nbdboot connect -d nbd5 'nbd+unix:///?socket=/tmp/socket'
# udev is not here, but the kernel looks for partitions
in_flight nbd0 0
in_flight nbd3 0
kill -STOP "$server"

dead=$(nbdboot status nbd0 | sed -n 's/.* from port \([0-9]*\),.*/\1/p' |
	sed -n 3p)
ss -K dst 127.0.0.1 sport = "$dead" >/dev/null
echo "dead: $dead"
until nbdboot status nbd0 | grep -q '1 dead'; do
	sleep 0.1
done

# 8 requests on the three others, of which half are two seconds older; and more
# in the queues of a socket than the server's take
echo 1 >/sys/kernel/tracing/events/nbd/nbd_header_sent/enable
load nbd0 randread 4k --iodepth=1 --numjobs=4 --cpus_allowed=0-3 \
	--cpus_allowed_policy=split
in_flight nbd0 4
sleep 2
load nbd0 randwrite 8k --iodepth=1 --numjobs=4 --cpus_allowed=0-3 \
	--cpus_allowed_policy=split
in_flight nbd0 8
until [ "$(grep -c ': nbd_header_sent: ' /sys/kernel/tracing/trace)" = 8 ]; do
	sleep 0.1
done
sed 's/^/trace: /' /sys/kernel/tracing/trace
grep -w -e nbd_index_idr -e jiffies_64 -e tick_nsec /proc/kallsyms |
	sed 's/^/kallsyms: /'

# From here on 15 s are left: then a connection whose server reads nothing dies.
load nbd3 write 128k --iodepth=8
in_flight nbd3 8
# all is sent that will be
until netstat -tn >now && cmp -s now before; do
	mv now before
	sleep 0.1
done
nbdboot status >shown
sed 's/^/netstat: /' now
sed 's/^/status: /' shown
echo ready
sleep 9999
