#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures the time from the start of a kernel to the init of a root on NBD, for
# our initramfs, with a few drivers and with all, those of Debian's generators,
# and one of busybox and nbd-client.  Kernel, export and machine are the same,
# with DHCP.  ROUNDS of each in turns (default 5); FULL=1 adds the full images of
# the generators.  An initramfs that fails often waits in a shell.
VM_LIMIT=${VM_LIMIT:-120}
# A thread for each CPU: the measured work runs on both.
ACCEL=${ACCEL:-tcg}
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"

rounds=${ROUNDS:-5}
case $rounds in
'' | *[!0-9]* | 0*) die "ROUNDS=$rounds: not a number from 1" ;;
esac
[ "$(id -u)" = 0 ] || die 'root alone can make the Debians to compare with'
command -v debootstrap >/dev/null || die 'debootstrap is missing (make deps)'

tree=$work/tree
needed='virtio_net virtio_pci ext4'
vm_memory=512

# Its init reports when it was started and the memory that is left, and ends.
make_root()
{
	add_busybox "$tree"
	rm -f "$tree/bin/init"
	for entry in sbin etc proc sys dev run tmp root usr lib; do
		mkdir -p "$tree/$entry"
	done
	cat >"$tree/sbin/init" <<-'END'
		#!/bin/busybox sh
		export PATH=/bin
		[ $$ = 1 ] || exit 2
		mountpoint -q /proc || mount -t proc proc /proc
		read -r uptime rest </proc/uptime
		read -r root rest <<-MOUNT
			$(grep ' / ' /proc/mounts | tail -n 1)
		MOUNT
		free=$(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo)
		echo "bench: $uptime $free $root"
		exec poweroff -f
	END
	chmod 755 "$tree/sbin/init"
	# systemd and dracut take it for a root by this file
	echo 'ID=bench' >"$tree/etc/os-release"
	truncate -s 64M "$work/root"
	mke2fs -q -t ext4 -E root_owner=0:0 -d "$tree" "$work/root"
}

# Only the kernel: the same init in an initramfs.
make_alone()
{
	(cd "$tree" && find . | cpio --quiet -o -H newc -R 0:0) |
		gzip -9n >"$work/alone"
}

make_busybox()
{
	add_busybox "$work/bb"
	rm -f "$work/bb/bin/init" "$work/bb/bin/nbd-client"
	copy_program "$work/bb" nbd-client
	cp "$here/guest/busybox-nbd.sh" "$work/bb/init"
	chmod 755 "$work/bb/init"
	# our modules, without our program
	initramfs "$work/modules.gz" "$needed" >/dev/null
	gzip -dc "$work/modules.gz" | (cd "$work/bb" &&
		cpio --quiet -idm 'lib/*')
	: >"$work/bb/lib/modules/$version/modules.order"
	: >"$work/bb/lib/modules/$version/modules.builtin.modinfo"
	depmod -b "$work/bb" "$version"
	(cd "$work/bb" && find . | cpio --quiet -o -H newc -R 0:0) |
		zstd -19 -q >"$work/busybox"
}

# boot NAME FILE WORDS: adds a line to $work/NAME.results
boot()
{
	name=$1 file=$2
	vm_start "$file" "panic=1 loglevel=3 $3"
	if ! vm_wait 'bench: *'; then
		show "$work/log" >&2
		die "$name does not boot (see above)"
	fi
	line=${line#bench: }
	if [ "$name" != alone ] && [ "${line##*/}" != nbd0 ] &&
		[ "${line##*/}" != root ]; then
		die "$name: the root is not on the server: $line"
	fi
	echo "$(wc -c <"$file") $line" >>"$work/$name.results"
	echo "# $name: $line" >&2
	vm_stop
}

dracut_words()
{
	echo "root=nbd:$host:$port:ext4:ro ip=dhcp rd.neednet=1 ro" \
		rd.skipfsck
}

debian_words()
{
	echo "root=/dev/nbd0 nbdroot=$host:$port/root ip=dhcp ro" \
		'fsck.mode=skip rootfstype=ext4'
}

round()
{
	boot alone "$work/alone" 'rdinit=/sbin/init'
	boot nbdboot "$work/ours" "root=nbd://$host:$port/root ip=dhcp ro"
	boot nbdboot-all "$work/all" "root=nbd://$host:$port/root ip=dhcp ro"
	boot busybox "$work/busybox" \
		"bench.server=$host bench.port=$port"
	boot initramfs-tools "$distros/initramfs-tools" "$(debian_words)"
	boot dracut "$distros/dracut" "$(dracut_words)"
	[ "${FULL-}" ] || return 0
	boot initramfs-tools-full "$distros/initramfs-tools-full" \
		"$(debian_words)"
	boot dracut-full "$distros/dracut-full" "$(dracut_words)"
}

# row NAME: its size in MB, the median, least and most s, the median of MiB
row()
{
	[ -e "$work/$1.results" ] || return 0
	awk -v name="$1" '
	function median(a, n,    i, j, t) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
				t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
			}
		return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
	}
	{ size = $1; time[NR] = $2; free[NR] = $3 / 1024 }
	END {
		printf "%-22s %8.2f %8.2f", name, size / 1e6, median(time, NR)
		printf " %8.2f %8.2f %8.1f\n", time[1], time[NR],
			median(free, NR)
	}' "$work/$1.results"
}

find_kernel
distros=$O/distros
sh "$here/bench/distros.sh" "$distros" "$kernel" "$modules" || exit 1
make_root
make_alone
make_busybox
sh "$here/../../boot/initramfs/mkinitramfs.sh" -b "$nbdboot" -k "$modules" \
	-z zstd -m "$needed" "$work/ours" >/dev/null
sh "$here/../../boot/initramfs/mkinitramfs.sh" -b "$nbdboot" -k "$modules" \
	-z zstd "$work/all" >/dev/null
serve 0 -r file "$work/root"
i=0
while [ "$i" -lt "$rounds" ]; do
	round
	i=$((i + 1))
done

echo "# make bench-boot ROUNDS=$rounds ($ACCEL, 2 CPUs, $vm_memory MiB, Linux" \
	"$version, virtio, DHCP)"
printf '%-22s %8s %8s %8s %8s %8s\n' initramfs MB 's, median' least most \
	'MiB left'
for name in alone nbdboot nbdboot-all busybox initramfs-tools dracut \
	initramfs-tools-full dracut-full; do
	row "$name"
done
