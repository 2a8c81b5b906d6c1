#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Measures the time from the start of a kernel to the init of a root on NBD, for
# our initramfs, with a few drivers and with all, those of Debian's generators,
# and one of busybox and nbd-client.  Kernel, export and machine are the same,
# with DHCP.  ROUNDS of each in turns (default 5); FULL=1 adds the full images of
# the generators, and KINDS names those to boot.  An initramfs that fails often
# waits in a shell.
#
# QEMU's processor time is from its start to that of the root's init: it has the
# firmware and the load of the initramfs, too.  What is "after init" begins with
# the initramfs's init, and only nbdboot says when that was.
#
# COUNTED=1: the machine has one CPU, which takes a nanosecond for each
# instruction, so that a busy host changes only the time that it is idle.
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
kinds=${KINDS:-alone nbdboot nbdboot-all busybox initramfs-tools dracut${FULL:+
	initramfs-tools-full dracut-full}}

tree=$work/tree
needed='virtio_net virtio_pci ext4'
vm_memory=512
cpus='2 CPUs' icount=''
if [ "${COUNTED-}" ]; then
	vm_cpus=1 ACCEL=tcg,thread=single
	icount=shift=0,sleep=on
	cpus='1 CPU, 1 ns for an instruction'
fi

# Its init reports when it was started, how much of that was before nbdboot (0
# without it), and the memory that is left.
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
		json=/run/nbdboot/boot.json before=0
		[ ! -e $json ] || before=$(sed -n \
			's/.*"kernel","start":0,"end":\([0-9]*\)}.*/\1/p' $json)
		echo "bench: $uptime $before $free $root"
		# idle until its processor time was read
		exec sleep 1000
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
	initramfs "$work/modules.cpio" "$needed" >/dev/null
	(cd "$work/bb" && cpio --quiet -idm 'lib/*') <"$work/modules.cpio"
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
	vm_start "$file" "panic=1 loglevel=3 $3" ${icount:+-icount "$icount"}
	if ! vm_wait 'bench: *'; then
		show "$work/log" >&2
		die "$name does not boot (see above)"
	fi
	worked=$(vm_worked)
	line=${line#bench: }
	if [ "$name" != alone ] && [ "${line##*/}" != nbd0 ] &&
		[ "${line##*/}" != root ]; then
		die "$name: the root is not on the server: $line"
	fi
	echo "$(wc -c <"$file") $worked $line" >>"$work/$name.results"
	echo "# $name: $worked $line" >&2
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

# boot_kind KIND
boot_kind()
{
	case $1 in
	alone) boot alone "$work/alone" 'rdinit=/sbin/init' ;;
	nbdboot | nbdboot-all)
		boot "$1" "$work/$1" "root=nbd://$host:$port/root ip=dhcp ro"
		;;
	busybox)
		boot busybox "$work/busybox" \
			"bench.server=$host bench.port=$port"
		;;
	initramfs-tools*) boot "$1" "$distros/$1" "$(debian_words)" ;;
	dracut*) boot "$1" "$distros/$1" "$(dracut_words)" ;;
	*) die "KINDS: no initramfs \"$1\"" ;;
	esac
}

# row NAME: its size in MB, the median, least and most s, the median of the s
# after init, of the processor time, and of the MiB that are left
row()
{
	awk -v name="$1" "$median"'
	{
		size = $1; work[NR] = $2 / 1000; time[NR] = $3
		after[NR] = $3 - $4 / 1000; free[NR] = $5 / 1024
		ours = $4 != 0
	}
	END {
		printf "%-22s %8.2f %8.2f", name, size / 1e6, median(time, NR)
		printf " %8.2f %8.2f", time[1], time[NR]
		printf ours ? " %8.3f" : " %8s", ours ? median(after, NR) : "-"
		printf " %8.2f %8.1f\n", median(work, NR), median(free, NR)
	}' "$work/$1.results"
}

# ratios: of the medians of nbdboot-all and nbdboot, in $work/rows
ratios()
{
	awk '$1 == "nbdboot" { small = 1; s = $3; a = $6; w = $7 }
	$1 == "nbdboot-all" { all = 1; S = $3; A = $6; W = $7 }
	END {
		if (small && all)
			printf "%-22s %8s %8.2f %8s %8s %8.2f %8.2f\n",
				"nbdboot-all / nbdboot", "", S / s, "", "",
				A / a, W / w
	}' "$work/rows"
}

find_kernel
case $kinds in
*initramfs-tools* | *dracut*)
	[ "$(id -u)" = 0 ] ||
		die 'root alone can make the Debians to compare with'
	command -v debootstrap >/dev/null ||
		die 'debootstrap is missing (make deps)'
	distros=$O/distros
	sh "$here/bench/distros.sh" "$distros" "$kernel" "$modules" || exit 1
	;;
esac
make_root
make_alone
case $kinds in *busybox*) make_busybox ;; esac
packed=zstd initramfs "$work/nbdboot" "$needed" >/dev/null
packed=zstd initramfs "$work/nbdboot-all" >/dev/null
serve 0 -r file "$work/root"
i=0
while [ "$i" -lt "$rounds" ]; do
	for kind in $kinds; do
		boot_kind "$kind"
	done
	i=$((i + 1))
done

echo "# make ${MAKE_TARGET:-bench-boot} ROUNDS=$rounds ($ACCEL, $cpus," \
	"$vm_memory MiB, Linux $version, virtio, DHCP)"
printf '%-22s %8s %8s %8s %8s %8s %8s %8s\n' initramfs MB 's, median' least \
	most 'in init' 'CPU, s' 'MiB left'
for name in $kinds; do
	row "$name"
done | tee "$work/rows"
ratios
