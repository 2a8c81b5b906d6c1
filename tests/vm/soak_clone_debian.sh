#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian moves to a disk of virtio or NVMe while it runs: to its end, with an outage
# of its server (OUTAGE s), with a disk that is pulled, and with one that has bad
# sectors.  CASES are some of those in the last lines.  ROUNDS boots in turns, with
# a copy and without one, give the ratio of their times.  TAP on standard output.
VM_LIMIT=${VM_LIMIT:-1800}
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
image=$work/image
disk=$work/disk
uuid=6cfcd8a3-5f02-4f4a-8a3e-4c2b35e3c0c1
rounds=${ROUNDS:-3}

find_kernel
debian=$(sh "$here/../debian.sh" "$O/debian") || exit 1
cp -a "$debian" "$tree"
fio=$(command -v fio) || die 'fio is missing (make deps)'
cp "$fio" "$tree/usr/bin/fio"
# but what it has already, partly as links that lead out of it
for lib in $(ldd "$fio" | grep -o '/[^ ]*'); do
	if [ -e "$tree$lib" ] || [ -h "$tree$lib" ]; then continue; fi
	mkdir -p "$tree${lib%/*}"
	cp -L "$lib" "$tree$lib"
done
cp "$here/guest/clone_debian.sh" "$tree/usr/local/sbin/guest"
printf '%s\n' '[Service]' 'ExecStart=/usr/local/sbin/guest' \
	'[Install]' 'WantedBy=multi-user.target' \
	>"$tree/etc/systemd/system/guest.service"
install -m 755 "$nbdboot" "$tree/usr/local/sbin/nbdboot"
ln -s /etc/systemd/system/guest.service \
	"$tree/etc/systemd/system/multi-user.target.wants/"
truncate -s 512M "$work/root"
mke2fs -q -t ext4 -E root_owner=0:0,lazy_itable_init=1 -U "$uuid" -d "$tree" \
	"$work/root"
rm -rf "$tree"
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci virtio_blk nvme ext4
	dm_mod dm_mirror' | sed 's/^/# /'
port=$(free_port)

# serve_image: the one that the machine may have written to
serve_image()
{
	daemon_at "$port" nbdkit -f -i 127.0.0.1 -p "$port" file "$image"
}

# of_kind KIND: the disk of the machines; sets name
of_kind()
{
	kind=$1
	case $kind in
	nvme) drive=nvme,serial=1 name=nvme0n1 ;;
	*) drive=virtio-blk-pci name=vda ;;
	esac
}

# boot WORD...: with the disk, whose writes fail at the sectors of $errors
boot()
{
	file=file.filename=$disk
	[ ! "$errors" ] || file=file.driver=blkdebug,file.config=$work/errors,\
file.image.driver=file,file.image.filename=$disk
	for sector in $errors; do
		printf '%s\n' '[inject-error]' 'event = "write_aio"' \
			"sector = \"$sector\"" 'once = "off"'
	done >"$work/errors"
	vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip rw \
loglevel=6 $quiet_systemd $*" \
		-drive "if=none,id=disk,format=raw,werror=report,$file" \
		-device "$drive,drive=disk,id=local" \
		-qmp "unix:$work/qmp,server=on,wait=off"
}

fresh()
{
	cp --sparse=always "$work/root" "$image"
	rm -f "$disk"
	truncate -s 600M "$disk"
}

# up_after: ms of processor time up to multi-user, or nothing
up_after()
{
	vm_wait 'guest: first system is *' && vm_worked
}

# is_sound FILE: its file system has no error, and all that was written
is_sound()
{
	e2fsck -fn "$1" >"$work/fsck" 2>&1 && blob_is_whole "$1"
}

# move KIND: a root that is writable moves to the disk
move()
{
	of_kind "$1"
	: >"$work/plain"
	: >"$work/clones"
	for _ in $(seq "$rounds"); do
		fresh
		serve_image
		boot
		up_after >>"$work/plain" || :
		vm_end
		boot "nbdboot.clone=/dev/$name" guest.clone
		up_after >>"$work/clones" || :
		vm_end
		unserve
	done
	shows "$kind: a root moves to a disk" \
		'^guest: first system is running' \
		'^guest: first the root is on /dev/dm-0, made of nbd0' \
		'^guest: at last system is running' \
		"^guest: at last the root is on /dev/dm-0, made of $name\$" \
		'^guest: at last there are 0 connections' '!WRONG' \
		'all is unmounted'
	check "$kind: its file system is clean and whole" is_sound "$disk"
	ratio=$(awk "$median"'
		FILENAME == ARGV[1] { a[++n] = $1 }
		FILENAME == ARGV[2] { b[++m] = $1 }
		END { if (n && m) printf "%d, %d plain: %.3f", median(b, m),
			median(a, n), median(b, m) / median(a, n) }' \
		"$work/plain" "$work/clones")
	check "$kind: to multi-user at most 1.1 of a plain boot (ms: $ratio)" \
		awk -v r="${ratio##* }" 'BEGIN { exit !(r > 0 && r <= 1.1) }'
	boot "nbdboot.clone=/dev/$name" nbdboot.local-after=1
	vm_end
	shows "$kind: the next boot is from the disk, without a server" \
		'^guest: first system is running' \
		"^guest: first the root is on /dev/dm-0, made of $name\$" '!WRONG' \
		'all is unmounted'
	check "$kind: and is clean behind it" is_sound "$disk"
}

# copies_with_fio: begins a copy, and returns in the middle of it
copies_with_fio()
{
	of_kind "$1"
	fresh
	serve_image
	boot "nbdboot.clone=/dev/$name,rate=20" guest.fio
	vm_wait '*clone: [3-5]? % *' || :
}

# stays SENTENCE LAST PATTERN...: the machine has gone on, with its root on LAST, whose
# file is $2
stays()
{
	sentence=$1 last=$2 file=$3
	shift 3
	vm_end
	unserve
	shows "$sentence" '^guest: first system is running' \
		'^guest: fio compared [0-9]* times' \
		'^guest: at last system is running' \
		"^guest: at last the root is on /dev/dm-0, made of $last\$" \
		"$@" '!WRONG' 'all is unmounted'
	check "$sentence: the file system is clean and whole" is_sound "$file"
}

# The server is away for a while in the middle of the copy.
outage()
{
	copies_with_fio "$1"
	unserve
	sleep "${OUTAGE:-60}"
	serve_image
	stays "$1, outage: the copy and fio go on behind it" "$name" "$disk" \
		'^guest: at last there are 0 connections'
}

# The disk is pulled in the middle of the copy.
pulled()
{
	copies_with_fio "$1"
	printf '%s\n' '{"execute":"qmp_capabilities"}' \
		'{"execute":"device_del","arguments":{"id":"local"}}' |
		socat -t 1 - "UNIX-CONNECT:$work/qmp" >"$work/answers"
	stays "$1, pulled: fio goes on, on the server" nbd0 "$image" \
		"nbd0: /dev/$name failed"
}

# It does not take what is written to some sectors.
bad()
{
	errors=$(od -An -N20 -tu4 /dev/urandom | awk '{
		for (i = 1; i <= NF; i++)
			printf "%d ", 4096 + $i % (900 * 1024)
	}')
	echo "# bad sectors: $errors"
	of_kind "$1"
	fresh
	serve_image
	boot "nbdboot.clone=/dev/$name,rate=20" guest.fio
	stays "$1, bad sectors: fio goes on, on the server" nbd0 "$image" \
		"nbd0: /dev/$name failed"
	errors=''
}

errors=''
for case in ${CASES:-move/virtio move/nvme outage/virtio pulled/virtio \
	pulled/nvme bad/virtio bad/nvme}; do
	"${case%/*}" "${case#*/}"
done
finish
