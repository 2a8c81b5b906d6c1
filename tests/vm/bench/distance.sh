#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian up to its last unit, from a server that answers each request later
# (DELAYS, ms), of KINDS in turns: without a list of what a boot reads (0), with one
# (auto), with one that is fetched however near the server is (0ms), and by
# dracut and nbd-client.  A table of seconds from the kernel's start, the median
# of ROUNDS.  ROOTS: squashfs and ext4 below an overlay, and ext4-rw, which is
# written to (the server forgets that after each boot), and the only one that
# dracut boots.  RECORD=FILE gets the reads of the last boot, as nbdkit logs
# them.  COUNTED=1: the only CPU of the machine takes a nanosecond for each
# instruction, so that the figures hold on a busy host.  LINK=1: it is the network
# that delays, half of it in each direction (relay.c), so that handshakes and TCP's
# windows take their time, too.  MACHINE=uml: User-mode Linux, whose reads next door
# take less than 0.1 ms, QEMU's about 2; it cannot learn, and QEMU does.
here=${0%/*}/..
[ "${MACHINE:-qemu}" != uml ] || vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
VM_LIMIT=1200
tree=$work/tree
roots=${ROOTS:-squashfs ext4 ext4-rw}
kinds=${KINDS:-0 auto dracut}
counted=${COUNTED:+-icount shift=0,sleep=on}
[ ! "$counted" ] || vm_cpus=1

make_tree()
{
	debian=$(sh "$here/../debian.sh" "$O/debian") || exit 1
	cp -a "$debian" "$tree"
	install -m 755 "$here/guest/distance.sh" "$tree/usr/local/sbin/guest"
	install -m 755 "$nbdboot" "$tree/usr/local/sbin/nbdboot"
	printf '%s\n' '[Service]' 'ExecStart=/usr/local/sbin/guest' \
		'[Install]' 'WantedBy=multi-user.target' \
		>"$tree/etc/systemd/system/guest.service"
	ln -s /etc/systemd/system/guest.service \
		"$tree/etc/systemd/system/multi-user.target.wants/"
}

make_images()
{
	mksquashfs "$tree" "$work/squashfs" -quiet -no-progress -comp zstd \
		-Xcompression-level 1 -no-xattrs >/dev/null
	truncate -s 2G "$work/ext4"
	mke2fs -q -t ext4 -d "$tree" "$work/ext4"
	ln "$work/ext4" "$work/ext4-rw"
}

# link_up: a network with a server, from which the machine may be far
link_up()
{
	# shellcheck source=tests/netns.sh
	. "$here/../netns.sh"
	# shellcheck source=tests/vm/lan.sh
	. "$here/lan.sh"
	lan_up
	lan_dhcpd --no-ping
	host=$root4 vm_taps=t0
	guest_ip=192.0.2.9:::255.255.255.0::eth0:off
}

# serve_link MS NBDKIT-ARGUMENT...: the next machine is MS from the server.  Next
# door is behind the relay, too: it has frames of 1514 bytes, and takes its time.
serve_link()
{
	lan_far $(($1 * 500)) 0
	vm_taps=$tap
	shift
	port=10809
	nsenter -t "$srv" -n nbdkit -f -p $port "$@" >"$work/nbdkit.log" 2>&1 \
		</dev/null &
	server=$!
	servers="$servers $server"
	listens -t $port $server "$work/nbdkit.log"
}

unserve_link()
{
	unserve
	lan_near
	vm_taps=t0
}

# serve_root MS ROOT: the server forgets what is written
serve_root()
{
	if [ "${LINK-}" ]; then
		set -- "serve_link $1" "$2" 0
	else
		set -- 'serve 0' "$2" "$1"
	fi
	# shellcheck disable=SC2086 # words on purpose
	$1 ${RECORD:+--filter=log} --filter=delay --filter=cow \
		file "$work/$2" rdelay="$3ms" wdelay="$3ms" \
		${RECORD:+"logfile=$RECORD"}
}

# words ROOT KIND: of the command line
words()
{
	case $1,$2 in
	*,dracut)
		echo "root=nbd:$host:$port:ext4:rw ip=dhcp rd.neednet=1 rw" \
			'rd.skipfsck nbdboot.prefetch=0'
		;;
	*-rw,*)
		echo "root=nbd://$host:$port/ ip=$guest_ip rw" \
			"nbdboot.prefetch=$2"
		;;
	*)
		echo "root=nbd://$host:$port/ ip=$guest_ip nbdboot.overlay" \
			"nbdboot.prefetch=$2"
		;;
	esac
}

# boot MS ROOT KIND [WORD...]: sets up (s)
boot()
{
	delay=$1 root=$2 kind=$3
	shift 3
	[ ! "${RECORD-}" ] || : >"$RECORD"
	serve_root "$delay" "$root"
	line=$(words "$root" "$kind")
	file=$work/$root.initramfs
	[ "$kind" != dracut ] || file=$distros/dracut
	# shellcheck disable=SC2086 # words on purpose
	vm_memory=1024 vm_start "$file" "$line loglevel=4 \
$quiet_systemd $*" $counted
	vm_end
	if [ "${LINK-}" ]; then unserve_link; else unserve; fi
	up=$(sed -n 's/.*guest: up //p' "$work/log")
	if [ ! "$up" ] || said WRONG; then
		cat "$work/log" >&2
		die 'a machine did not come up'
	fi
}

# learn ROOT: its initramfs gets a list of what a boot reads
learn()
{
	initramfs "$work/$1.initramfs" "$modules_here" >/dev/null
	in_qemu boot 0 "$1" auto guest.learn
	mkdir -p "$work/$1.add/etc/nbdboot"
	sed -n 's/^list: //p' "$work/log" >"$work/$1.add/etc/nbdboot/prefetch"
	sed -n "s/^guest: list /# $1: /p" "$work/log"
	initramfs "$work/$1.initramfs" "$modules_here" "$work/$1.add" \
		>/dev/null
}

# measure ROUND MS ROOT KIND
measure()
{
	boot "$2" "$3" "$4"
	echo "# round $1: $3, $2 ms, $4: $up s" \
		"$(sed -n 's/.*nbdboot: prefetch: /(/p' "$work/log")"
	sed -n 's/.*guest: reads/# reads/p' "$work/log"
	echo "$3,$2 $4 $up" >>"$work/figures"
}

find_kernel
[ ! "${LINK-}" ] || link_up
make_tree
make_images
modules_here='nbd virtio_net virtio_pci squashfs ext4 overlay loop dm_mod dm_mirror'
case $roots,$kinds in
*-rw*dracut*)
	distros=$O/distros
	sh "$here/bench/distros.sh" "$distros" "$kernel" "$modules" || exit 1
	;;
esac
for root in $roots; do
	learn "$root"
done
for round in $(seq "${ROUNDS:-3}"); do
	for ms in ${DELAYS:-0 5 20 80}; do
		for root in $roots; do
			for kind in $kinds; do
				case $root,$kind in
				*-rw,dracut | *,0 | *,auto | *,0ms)
					measure "$round" "$ms" "$root" "$kind"
					;;
				esac
			done
		done
	done
done
awk -v kinds="$kinds" "$median"'
{
	if (!($1 in seen)) { order[++n] = $1; seen[$1] }
	v[$1, $2, ++count[$1, $2]] = $3
}
function of(what, kind,    a, i) {
	if (!count[what, kind])
		return "-"
	for (i = 1; i <= count[what, kind]; i++)
		a[i] = v[what, kind, i]
	return sprintf("%.2f", median(a, count[what, kind]))
}
END {
	name["0"] = "without"
	name["auto"] = "with a list"
	name["0ms"] = "always fetched"
	name["dracut"] = "dracut"
	columns = split(kinds, kind, " ")
	head = "| root | later by, ms |"
	line = "|---|---|"
	for (k = 1; k <= columns; k++) {
		head = head " " name[kind[k]] ", s |"
		line = line "---|"
	}
	print head "\n" line
	for (i = 1; i <= n; i++) {
		split(order[i], a, ",")
		printf "| %s | %s |", a[1], a[2]
		for (k = 1; k <= columns; k++)
			printf " %s |", of(order[i], kind[k])
		print ""
	}
}' "$work/figures"
