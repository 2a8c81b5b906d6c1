# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The part of soak_ceph.sh in the machine, sourced by guest/init.sh: writes with
# fio, which compares what it reads, while the host kills servers.
ip link set eth0 up
ip addr add 10.0.2.15/24 dev eth0
modprobe crc32c_generic

# Writes 4 MiB that the server has answered, and says so.
answered()
{
	dd if=/tmp/new of=/dev/nbd0 bs=64k oflag=direct 2>err
	echo 'guest: answered'
	# the host kills the gateway, and answers
	read -r _ </dev/console
	sync
	blockdev --flushbufs /dev/nbd0
	echo 3 >/proc/sys/vm/drop_caches
	dd if=/dev/nbd0 bs=64k count=64 iflag=direct 2>err | cmp -s - /tmp/new
}

# verify N: a round of fio
verify()
{
	fio --name=verify --filename=/dev/nbd0 --direct=1 --rw=randwrite \
		--bs=4k --iodepth=8 --ioengine=io_uring --size=32M \
		--io_size=24M --rate="$(word rate)" --randseed="$1" \
		--verify=crc32c --verify_fatal=1 --do_verify=1 \
		--allow_file_create=0 --thread
}

check 'two gateways of one image are the servers of a device' \
	nbdboot connect -d nbd0 -t 5 "nbd://10.0.2.2:$(word one)/" \
	"nbd://10.0.2.2:$(word two)/"
nbdboot watch -b nbd0
dd if=/dev/urandom of=/tmp/new bs=64k count=64 2>/dev/null
if [ "$(word kind)" = answered ]; then
	# writes are held back only from the first flush on
	dd if=/dev/zero of=/dev/nbd0 bs=64k count=1 conv=fsync 2>/dev/null
	if answered; then
		echo '# what was answered is there'
	else
		echo '# what was answered is lost'
	fi
else
	round=1
	while [ "$round" -le "$(word rounds)" ]; do
		echo "guest: round $round"
		check "round $round: fio finds what it wrote" verify "$round"
		round=$((round + 1))
	done
fi
check 'no I/O error' eval '! dmesg | grep "I/O error"'
nbdboot disconnect nbd0
