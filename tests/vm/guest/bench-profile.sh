# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The part of bench/profile.sh in the machine, sourced by guest/init.sh.  Leaves
# an archive on /dev/vda: fio's JSON, and the kernel's stacks.

# serve_on PORT ARGUMENT...
serve_on()
{
	port=$1
	shift
	nbdkit -i 127.0.0.1 -p "$port" -P /tmp/pid "$@" memory 256M
	read -r _ </tmp/pid
}

# Six jobs at each of four sizes, one after the other.
jobs()
{
	cat <<-END
		[global]
		filename=/dev/nbd0
		size=256M
		allow_file_create=0
		direct=1
		ioengine=libaio
		iodepth=8
		thread
		stonewall
		time_based
		runtime=$(word seconds)
	END
	for size in 512 4k 64k 1M; do
		for rw in read randread write randwrite trim randtrim; do
			printf '%s\n' "[$rw $size]" rw=$rw bs=$size
		done
	done
}

# measure NAME CONNECTIONS URI: the jobs, and the kernel's stacks meanwhile.  The
# programs here have no frame pointers, but the kernel has tables of its own.
measure()
{
	must nbdboot connect -d nbd0 -c "$2" "$3"
	must perf record -q -a -g --kernel-callchains -e cpu-clock:k -F 199 \
		-o data -- fio --output-format=json \
		--output="profile/$1-$2.json" job.fio
	perf report --stdio --no-children -s comm -g folded,0,caller,count \
		-i data >"profile/$1-$2.report"
	must nbdboot disconnect nbd0
}

ip link set lo up
echo '127.0.0.1 localhost' >/etc/hosts
modprobe virtio_pci
modprobe virtio_blk
until [ -b /dev/vda ]; do :; done
nbdboot load
mkdir profile
mkfifo /tmp/pid
serve_on 10809
serve_on 10810 --tls=require --tls-certificates=/tls
jobs >job.fio
for connections in 1 4; do
	measure plain $connections nbd://localhost/
	measure tls $connections \
		'nbds://localhost:10810/?tls-certificates=/tls'
done
must tar -cf /dev/vda profile
