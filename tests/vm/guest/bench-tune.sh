# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The part of bench/tune.sh in the machine, sourced by guest/init.sh.
ip link set lo up

now()
{
	awk '{ printf "%d", $1 * 1000 }' /proc/uptime
}

sectors()
{
	awk '{ print $3 }' /sys/block/nbd0/stat
}

# How many MiB of a file are read in one go; the tenths of MiB in a second.
in_order()
{
	echo 3 >/proc/sys/vm/drop_caches
	start=$(now)
	dd if=/dev/nbd0 of=/dev/null bs=1M count="$1" 2>/dev/null
	took=$(($(now) - start))
	rate=$(($1 * 10000 / took))
}

# 64 pages of a mapping, as a program touches them that starts.
pages()
{
	echo 3 >/proc/sys/vm/drop_caches
	before=$(sectors)
	fio --name=m --filename=/dev/nbd0 --readonly --rw=randread --bs=4k \
		--ioengine=mmap --fadvise_hint=0 --io_size=256k --size=256M \
		--thread --randrepeat=1 --output-format=json >result
	took=$(sed -n 's/.*"runtime" : \([1-9][0-9]*\),.*/\1/p' result | head -n 1)
	read_mib=$((($(sectors) - before) / 2048))
}

echo '| delay, ms | read_ahead_kb | max_sectors_kb | in order, MiB/s |' \
	'64 pages, ms | and MiB |'
echo '|---|---|---|---|---|---|'
nbdboot load
for delay in 0 1 10 50; do
	nbdkit -i 127.0.0.1 -P pid --filter=delay memory 256M \
		delay-read=${delay}ms
	until [ -s pid ]; do
		sleep 0.1
	done
	nbdboot connect -d nbd0 nbd://127.0.0.1/ >/dev/null
	for ahead in 128 512 1024 4096; do
		for request in 128 512; do
			nbdboot tune nbd0 read_ahead_kb=$ahead \
				max_sectors_kb=$request
			in_order $((delay > 1 ? 16 : 48))
			pages
			echo "| $delay | $ahead | $request |" \
				"$((rate / 10)).$((rate % 10)) | $took |" \
				"$read_mib |"
		done
	done
	nbdboot disconnect nbd0
	kill -9 "$(cat pid)"
	rm pid
done
