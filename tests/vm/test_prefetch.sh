#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines that fetch at once what their root will be asked for.  TAP on standard
# output.  Those with nbdboot.prefetch=0ms do it however soon the server answers.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
image=$work/image
sectors=65536

uuid=6cfcd8a3-5f02-4f4a-8a3e-4c2b35e3c0c1
fs=squashfs:

# list EXTENT...: a list of the image
list()
{
	printf 'nbdboot-prefetch 1\nimage %s %s\n' $sectors $fs
	[ $# = 0 ] || printf '%s\n' "$@"
	echo "end $#"
}

# image_with FILE: the image, with FILE as its list unless that is ''
image_with()
{
	rm -rf "$image" "${tree:?}/var"
	if [ "$1" ]; then
		install -D -m 644 "$1" "$tree/var/lib/nbdboot/prefetch"
	fi
	mksquashfs "$tree" "$image" -quiet -no-progress -all-root -noD -noF \
		>/dev/null
	truncate -s $((sectors * 512)) "$image"
}

boot()
{
	vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip \
loglevel=4 $*"
	vm_end
}

# The sums of the blob and of the image, before and after.
sums()
{
	for when in first later; do
		echo "guest: $when /etc/blob is $blob"
		echo "guest: $when /dev/dm-0 is $(sha256sum "$image" | cut -d ' ' -f 1)"
	done
}

# read_right SENTENCE PATTERN...: ended, and all that was read is right
read_right()
{
	sentence=$1
	shift
	sums >"$work/sums"
	if [ "$(grep -c -x -F -f "$work/sums" "$work/log")" = 4 ]; then
		ended "$sentence" '!WRONG' '!Kernel panic' \
			'all is unmounted and disconnected' "$@"
	else
		not_ok "$sentence: the sums"
		show "$work/log"
	fi
}

find_kernel
root_tree "$tree" guest/prefetch.sh
install -m 755 "$nbdboot" "$tree/bin/nbdboot"
head -c 4M /dev/urandom >"$tree/etc/blob"
blob=$(sha256sum "$tree/etc/blob" | cut -d ' ' -f 1)
modules_here='nbd virtio_net virtio_pci squashfs overlay loop dm_mod'
initramfs "$work/initramfs" "$modules_here" | sed 's/^/# /'

# ---- a list in the root ----

# all of it, but for holes at the beginning, in the middle, and at the end
list '8 2040' '4096 8192' '12296 40000' >"$work/list"
image_with "$work/list"
serve 0 file "$image"
boot nbdboot.overlay nbdboot.prefetch=0ms
read_right 'what the list of the root names is in RAM while the machine boots' \
	'prefetch: 25116 KiB in 3 extents fetched' \
	'^guest: /run/nbdboot/lower is on /dev/dm-0$' \
	'^guest: while booting /dev/dm-0 is made of loop0 nbd0$' \
	'^guest: [0-9]\{1,3\} sectors of it came from the server$' \
	'^guest: after that /dev/dm-0 is made of nbd0$' \
	'^guest: RAM is given back$' '^guest: loop0 is free$' \
	'^guest: read [0-9]* KiB of its root, [23][0-9]\{4\} of them from RAM' \
	'^guest: list: *[0-9]* of [0-9]* reads came from RAM, ' \
	'^guest: boot-time: [0-9]* of [0-9]* reads came from RAM, ' \
	'^guest: nbdboot_prefetch_ram_kib{device="nbd0"} [23][0-9]\{4\}$' \
	'^guest: report: ram_reads [0-9]*$'

boot nbdboot.overlay nbdboot.prefetch=0ms guest.reroot
sed -n '/the old system has ended/,$p' "$work/log" >"$work/again"
check 'a reroot takes the mapping apart before it disconnects' \
	[ "$(grep -c 'all is unmounted and disconnected' "$work/log")" = 2 ]
mv "$work/again" "$work/log"
read_right 'and fetches for the next root' \
	'prefetch: 25116 KiB in 3 extents fetched' \
	'^guest: while booting /dev/dm-0 is made of loop0 nbd0$' \
	'^guest: after that /dev/dm-0 is made of nbd0$' \
	'^guest: RAM is given back$'

boot nbdboot.overlay
shows 'without the word the root is on the device itself' \
	'^guest: /run/nbdboot/lower is on /dev/nbd0$' '!prefetch'
boot nbdboot.overlay nbdboot.prefetch=0
shows 'and so it is with 0' '^guest: /run/nbdboot/lower is on /dev/nbd0$' \
	'!prefetch'
boot nbdboot.overlay nbdboot.prefetch=60000ms
ended 'and where a server answers so soon that a fetch would take longer' \
	'prefetch: nothing is fetched, as the server answers a read in ' \
	'^guest: /run/nbdboot/lower is on /dev/nbd0$' \
	'^guest: nothing is mapped$' \
	'^guest: boot-time: nothing was fetched, as the server answered a read' \
	'all is unmounted and disconnected' '!WRONG' '!extents fetched'
unserve
serve 0 --filter=delay file "$image" rdelay=10ms
boot nbdboot.overlay nbdboot.prefetch
read_right 'by itself it fetches from a server that is far away' \
	'prefetch: 25116 KiB in 3 extents fetched' \
	'^guest: while booting /dev/dm-0 is made of loop0 nbd0$' \
	'^guest: after that /dev/dm-0 is made of nbd0$'
unserve
serve 0 -r file "$image"
boot nbdboot.prefetch=0ms
read_right 'but not one whose server lets nobody write' \
	'^guest: / is on /dev/dm-0$' \
	'^guest: while booting /dev/dm-0 is made of loop0 nbd0$' \
	'^guest: after that /dev/dm-0 is made of nbd0$'
unserve

# ---- lists that cannot be used, and a server that cannot ----

list '8 16' '16 8' >"$work/list"
image_with "$work/list"
serve 0 file "$image"
boot nbdboot.overlay nbdboot.prefetch=0ms
read_right 'a list that is wrong costs one line' \
	'prefetch: no effect: /var/lib/nbdboot/prefetch: line 4 ' \
	'^guest: while booting /dev/dm-0 is made of nbd0$'
unserve
list '8 16' | sed 's/ squashfs:/0&/' >"$work/list"
image_with "$work/list"
serve 0 file "$image"
boot nbdboot.overlay nbdboot.prefetch=0ms
read_right 'and so does one of another image' \
	'prefetch: no effect: the list is of squashfs: with 655360 sectors' \
	'^guest: while booting /dev/dm-0 is made of nbd0$'

# the list behind the image, and another one in the root
list '8 2040' '4096 8192' '12296 40000' >"$work/list"
cp "$image" "$work/whole"
"$nbdboot" prefetch append "$work/list" "$image"
boot nbdboot.overlay nbdboot.prefetch=0ms
read_right 'a list behind an image is used, and not that of the root' \
	'prefetch: 25116 KiB in 3 extents fetched' \
	'^guest: while booting /dev/dm-0 is made of loop0 nbd0$' \
	'^guest: after that /dev/dm-0 is made of nbd0$'
cp "$work/whole" "$image"

# one list for all machines of that image, whose own is another one
list '8 2040' '4096 8192' '12296 40000' >"$work/list"
its_port=$port its_server=$server
serve 0 file "$work/list"
lists=$port port=$its_port
boot nbdboot.overlay "nbdboot.prefetch=nbd://$host:$lists/"
read_right 'a list that a server has is used, and not that of the root' \
	'prefetch: 25116 KiB in 3 extents fetched' \
	'^guest: while booting /dev/dm-0 is made of loop0 nbd0$' \
	'^guest: after that /dev/dm-0 is made of nbd0$'
unserve
boot nbdboot.overlay "nbdboot.prefetch=nbd://$host:$lists/"
read_right 'and without that server the boot goes on' \
	"prefetch: no effect: nbd://$host:$lists/: " \
	'^guest: while booting /dev/dm-0 is made of nbd0$'
server=$its_server
unserve

# serve_once: the first connection ends at a read behind 20 MiB, where there is
# no file system: only the fetch reads there.  Sets port and server.
serve_once()
{
	cat >"$work/serve" <<-END
		#!/bin/sh
		exec nbdkit -s eval get_size='stat -c %s "$image"' \\
			pread='[ \$4 -lt 20000000 ] || ! mkdir "$work/killed" ||
				kill -9 \$PPID
			dd if="$image" bs=512 skip=\$((\$4 / 512)) \\
				count=\$((\$3 / 512)) status=none'
	END
	chmod 755 "$work/serve"
	port=$(free_port)
	daemon_at "$port" socat \
		"TCP-LISTEN:$port,bind=127.0.0.1,fork,reuseaddr" \
		"EXEC:$work/serve"
}

list '8 2040' '4096 8192' '12296 40000' >"$work/list"
image_with "$work/list"
serve_once
boot nbdboot.overlay nbdboot.prefetch=0ms nbdboot.io-timeout=2
check 'a server was killed during a fetch' [ -d "$work/killed" ]
read_right 'and the fetch went on' \
	'prefetch: 25116 KiB in 3 extents fetched' \
	'^guest: while booting /dev/dm-0 is made of loop0 nbd0$'
unserve

# ---- roots that are written to ----

# whole SENTENCE: the server's file system has what was written
whole()
{
	if e2fsck -fy "$image" >"$work/fsck" 2>&1 || [ $? = 1 ] &&
		e2fsck -fn "$image" >>"$work/fsck" 2>&1 &&
		blob_is_whole "$image"; then
		ok "$1"
	else
		not_ok "$1"
		show "$work/fsck"
	fi
}

fs=ext4:$uuid
mkdir -p "$tree/var/tmp" "$tree/var/lib/nbdboot" "$work/early/etc/nbdboot"
head -c 512k /dev/urandom >"$tree/var/tmp/blob"
list '8 2040' '4096 8192' '12296 40000' >"$tree/var/lib/nbdboot/prefetch"
cp "$tree/var/lib/nbdboot/prefetch" "$work/early/etc/nbdboot/prefetch"
rm -f "$image"
ext4_of "$tree" "$image" -U "$uuid"
serve 0 file "$image"
modules_written='nbd virtio_net virtio_pci ext4 overlay loop dm_mod dm_mirror'
initramfs "$work/written" "$modules_written" | sed 's/^/# /'
initramfs "$work/early.img" "$modules_written" "$work/early" | sed 's/^/# /'

# boot_written INITRAMFS WORD
boot_written()
{
	vm_start "$1" "root=nbd://$host:$port/ ip=$guest_ip loglevel=4 rw \
nbdboot.prefetch=0ms $2"
	vm_end
}

for initramfs in early.img written; do
	boot_written "$work/$initramfs" guest.write
	ended "$initramfs: writes are on the server while reads come from RAM" \
		'prefetch: 25116 KiB in 3 extents fetched' \
		'^guest: / is on /dev/dm-0$' \
		'^guest: while booting /dev/dm-0 is made of dm-1 nbd0$' \
		'^guest: while booting writes yield to reads of more than 0 us$' \
		'^guest: wrote 16 times$' \
		'^guest: after that /dev/dm-0 is made of nbd0$' \
		'^guest: after that writes yield to reads of more than 2000 us$' \
		'^guest: RAM is given back$' '^guest: loop0 is free$' \
		'all is unmounted and disconnected' '!WRONG' '!Kernel panic'
	check 'and the file system is clean' is_clean "$image"
	whole 'and whole'
done

boot_written "$work/early.img" guest.cut
shows 'a machine loses its power while its root is mirrored' \
	'^guest: wrote 6 times$' '!WRONG' \
	'^guest: until the end /dev/dm-0 is made of dm-1 nbd0$'
whole 'and the server has all that it wrote'
unserve

# ---- an image that grows ----

# grow MIB: when the machine is ready for it
grow()
{
	vm_wait 'guest: * it may grow' || true
	unserve
	truncate -s "$1M" "$image"
	daemon_at "$port" nbdkit -t 1 -f -i 127.0.0.1 -p "$port" file "$image"
}

# Is the first block of the blob at each end that the image had?
is_at_each_end()
{
	for mib in 32 40; do
		dd if="$image" bs=1M skip="$mib" count=1 2>/dev/null |
			head -c 4096 | cmp -n 4096 - "$tree/etc/blob" || return
	done
}

cp "$image" "$work/small"
serve 0 file "$image"
vm_start "$work/early.img" "root=nbd://$host:$port/ ip=$guest_ip loglevel=4 rw \
nbdboot.prefetch=0ms guest.grow"
grow 40
grow 48
vm_end
ended 'the mapping of a root grows with its image' \
	'^guest: while booting /dev/dm-0 is made of dm-1 nbd0$' \
	'^guest: while booting it has 81920 sectors' \
	'^guest: after that it has 98304 sectors' \
	'all is unmounted and disconnected' '!WRONG' '!Kernel panic'
check 'and what is written behind its old ends is there' is_at_each_end
check 'the read-ahead stays' [ "$(sed -n \
	's/^guest: .* it has .* sectors, //p' "$work/log" | uniq | wc -l)" = 1 ]
unserve
mv "$work/small" "$image"

# the same of a partition, which the machine itself makes larger
copy_program "$tree" sfdisk partx
rm -f "$work/ext4"
ext4_of "$tree" "$work/ext4" -U "$uuid"
disk_of "$work/ext4" "$work/disk"
serve 0 file "$work/disk"
vm_start "$work/early.img" "root=nbd://$host:$port/ ip=$guest_ip loglevel=4 rw \
nbdboot.part=2 nbdboot.prefetch=0ms guest.part"
vm_end
ended 'the mapping of a partition grows with that' \
	'^guest: while booting /dev/dm-0 is made of dm-1 nbd0p2$' \
	'^guest: too soon: nbdboot: nbd0: its boot is not over' \
	'^guest: the mapping has 98304 sectors$' \
	'all is unmounted and disconnected' '!WRONG' '!Kernel panic'
dd if="$work/disk" bs=512 skip=$((8192 + 65536)) count=8 status=none >"$work/end"
check 'and what is written behind its old end is there' \
	cmp -n 4096 "$work/end" "$tree/etc/blob"
unserve

# ---- errors, and processes that are killed ----

# serve_errors PREAD PWRITE: the first read from 128 KiB to 1 MiB fails, where only
# a fetch reads, and the first write to what replaces /var/tmp/blob, if the
# argument is 1
serve_errors()
{
	first=$(debugfs -R 'blocks /var/tmp/blob' "$image" 2>/dev/null)
	first=$((${first%% *} * 1024))
	rm -rf "$work/pread" "$work/pwrite"
	serve 0 eval get_size="stat -c %s '$image'" can_write='exit 0' \
		can_flush='exit 0' flush='exit 0' pread="
			[ $1 = 0 ] || [ \$4 -lt 131072 ] ||
				[ \$4 -ge 1048576 ] || ! mkdir '$work/pread' ||
				{ echo EIO >&2; exit 1; }
			dd if='$image' bs=512 skip=\$((\$4 / 512)) \
				count=\$((\$3 / 512)) status=none" pwrite="
			[ $2 = 0 ] || [ \$4 -lt $first ] ||
				[ \$4 -ge $((first + 524288)) ] ||
				! mkdir '$work/pwrite' ||
				{ echo EIO >&2; exit 1; }
			dd of='$image' bs=512 seek=\$((\$4 / 512)) \
				conv=notrunc status=none"
}

serve_errors 1 1
boot_written "$work/early.img" guest.write
check 'a read of the fetch fails, and a write to what is mirrored' \
	[ -d "$work/pread" -a -d "$work/pwrite" ]
ended 'the boot knows neither' \
	'prefetch: 24096 KiB in 2 extents fetched .*, and others not in time' \
	'^guest: wrote 16 times$' \
	'^guest: after that /dev/dm-0 is made of nbd0$' \
	'all is unmounted and disconnected' '!WRONG' '!Kernel panic'
whole 'and the file system is whole'
unserve

serve_errors 0 1
boot_written "$work/early.img" guest.leave
ended 'when the process that frees the RAM and its guard are killed, stop does' \
	'^guest: when writes are held /dev/dm-0 is made of dm-1 nbd0$' \
	'it is freed now' '^guest: wrote 4 times$' \
	'^guest: after that /dev/dm-0 is made of nbd0$' \
	'^guest: after that writes yield to reads of more than 2000 us$' \
	'all is unmounted and disconnected' '!WRONG' '!Kernel panic'
whole 'and a write that failed was done again'
unserve

serve 0 file "$image"
boot_written "$work/early.img" guest.kill
ended 'when it alone is killed, its guard does' \
	'^guest: one that lists the reads was killed' \
	'^guest: after a kill /dev/dm-0 is made of nbd0$' \
	'^guest: wrote 2 times$' \
	'all is unmounted and disconnected' '!WRONG' '!Kernel panic'
unserve

# ---- the list of a boot: in QEMU, as User-mode Linux traces nothing ----

image_with ''
serve 0 file "$image"
in_qemu boot nbdboot.overlay nbdboot.prefetch=0ms guest.learn
mkdir -p "$work/add/etc/nbdboot"
sed -n 's/^list: //p' "$work/log" >"$work/add/etc/nbdboot/prefetch"
shows 'a boot is listed' "^guest: first /etc/blob is $blob$" \
	'^image *squashfs:$' '^size *33554432 (32.0M)$' \
	'all is unmounted and disconnected' '!WRONG' '^guest: end$'
initramfs "$work/initramfs" "$modules_here" "$work/add" | sed 's/^/# /'
boot nbdboot.overlay nbdboot.prefetch=/etc/nbdboot/prefetch
read_right 'and the next boot, with that list in its initramfs, has it in RAM' \
	'^guest: while booting /dev/dm-0 is made of loop0 nbd0$' \
	'^guest: [0-9]\{1,2\} sectors of it came from the server$' \
	'^guest: RAM is given back$'
unserve

# nothing is mapped, and the kernel traces the reads of a partition as the disk's
disk_of "$image" "$work/disk"
initramfs "$work/initramfs" "$modules_here" | sed 's/^/# /'
serve 0 file "$work/disk"
in_qemu boot nbdboot.overlay nbdboot.part=2 nbdboot.prefetch=60000ms guest.learn
sed -n 's/^list: //p' "$work/log" >"$work/add/etc/nbdboot/prefetch"
ended 'the boot of a partition is listed without a mapping' \
	'^guest: /run/nbdboot/lower is on /dev/nbd0p2$' \
	"^guest: first /etc/blob is $blob$" '^image *squashfs:$' \
	'^size *33554432 (32.0M)$' 'all is unmounted and disconnected' '!WRONG'
initramfs "$work/initramfs" "$modules_here" "$work/add" | sed 's/^/# /'
boot nbdboot.overlay nbdboot.part=2 nbdboot.prefetch=/etc/nbdboot/prefetch
read_right 'and the next boot has that in RAM' \
	'^guest: while booting /dev/dm-0 is made of loop0 nbd0p2$' \
	'^guest: [0-9]\{1,2\} sectors of it came from the server$' \
	'^guest: RAM is given back$'

finish
