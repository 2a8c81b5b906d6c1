#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What it takes to copy an image of 64 MiB to RAM: the data mover of
# nbdboot.toram (nbdboot copy) from an NBD server, and busybox's wget from an HTTP
# server, in turns in one machine.  One image is data in an eighth, the other is
# dense.  ROUNDS of each (default 5); medians.  The copy is to a tmpfs, as in a boot.
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
VM_LIMIT=3600
rounds=${ROUNDS:-5}

find_kernel
make_guest "$work/tree" guest/bench-toram.sh
initramfs "$work/initramfs" 'virtio_net virtio_pci' "$work/tree" >/dev/null
mkdir "$work/www"
head -c 8M /dev/urandom >"$work/www/holes"
truncate -s 64M "$work/www/holes"
head -c 64M /dev/urandom >"$work/www/dense"
words=test.rounds=$rounds
for image in holes dense; do
	serve 0 -r file "$work/www/$image"
	sum=$(sha256sum <"$work/www/$image")
	words="$words test.$image=$port test.$image.sum=${sum%% *}"
done
port=$(free_port)
daemon_at "$port" busybox httpd -f -p "127.0.0.1:$port" -h "$work/www"
vm_memory=512
vm_start "$work/initramfs" "rdinit=/test $words test.http=$port" \
	-serial "file:$work/kernel.log"
vm_ended

echo "# make bench-toram ROUNDS=$rounds ($ACCEL, 2 CPUs, $vm_memory MiB, Linux" \
	"$version, virtio)"
sed -n 's/^figure //p' "$work/log" | awk "$median"'
{
	row = $1 " " $2
	if (!(row in times))
		name[++rows] = row
	n = ++times[row]
	for (f = 3; f <= 5; f++)
		value[row, f, n] = $f
}
END {
	printf "%-16s %8s %12s %14s\n", "image, program", "s", "MiB received",
		"peak MiB of RAM"
	for (r = 1; r <= rows; r++) {
		row = name[r]; n = times[row]
		for (f = 3; f <= 5; f++) {
			for (i = 1; i <= n; i++)
				figures[i] = value[row, f, i]
			m[f] = median(figures, n)
		}
		printf "%-16s %8.2f %12.1f %14.1f\n", row,
			m[3] / 1000, m[4] / 1048576, m[5] / 1024
	}
	exit !rows
}' || die 'nothing was measured'
