# shellcheck shell=sh disable=SC2034
# SPDX-License-Identifier: BSD-2-Clause
# What the tests of reroot share: servers, machines that take commands, roots.
# Sourced.
VM_LIMIT=${VM_LIMIT:-1800}
# QEMU 7.2 walks a list of all code that it translated in a page, at each store
# to this page.  After the end of a system that takes seconds a page, as its
# code's memory is used again, unless the list is short.
ACCEL=${ACCEL:-tcg,thread=single,tb-size=64}
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/faults.sh
. "$here/faults.sh"

# The ports of the servers, see start.
port_a='' port_b='' port_safe='' port_dull='' port_empty='' port_slow='' port_old='' port_new='' port_more='' port_moment=''
small=$work/small
tree=$work/tree
# one that all roots have
file=$work/file
head -c 300000 /dev/urandom >"$file"
sum=$(sha256sum <"$file")

at_exit()
{
	vm_stop
	[ ! "${vm_port-}" ] || exec 4>&-
}

# ---- servers: each has a name, a port, and a log ----

# start NAME [NBDKIT-ARGUMENT...]: serves $work/NAME; sets port_NAME, pid_NAME
start()
{
	name=$1
	shift
	eval "port=\${port_$name-}"
	[ "$port" ] || {
		port=$(free_port)
		eval "port_$name=$port"
	}
	daemon_at "$port" nbdkit -t 1 -f -v -i 127.0.0.1 -p "$port" \
		file "$work/$name" "$@"
	mv "$work/daemon.log" "$work/$name.log"
	eval "pid_$name=$server"
}

stop()
{
	eval "server=\$pid_$1"
	unserve
}

# Disconnects that the server NAME has seen.
goodbyes()
{
	grep -c 'client sent NBD_CMD_DISC' "$work/$1.log" || true
}

# Waits until all clients of the server NAME have left, as those of a machine that
# is gone do: what they sent is in its log then.
all_left()
{
	eval "port=\$port_$1"
	while ss -Htn "sport = :$port" | grep -q .; do
		sleep 0.1
	done
}

# image NAME TREE: an ext4 file system whose /etc/marker is NAME
image()
{
	echo "$1" >"$2/etc/marker"
	rm -f "$work/$1"
	truncate -s "${3:-48M}" "$work/$1"
	mke2fs -q -t ext4 -E root_owner=0:0,lazy_itable_init=1 -d "$2" \
		"$work/$1"
	mapped_ext4 "$work/$1"
}

# ---- busybox ----

# Makes $small, a root with busybox.
make_small()
{
	busybox_tree "$small" guest/reroot.sh
	cp "$nbdboot" "$small/bin/nbdboot"
	echo '::once:/etc/guest' >"$small/etc/inittab"
	cp "$file" "$small/etc/file"
}

# rescue_initramfs [CREDENTIALS]: makes $work/initramfs, which is a rescue system,
# too (guest/rescue.sh)
rescue_initramfs()
{
	rescue=$work/rescue
	add_busybox "$rescue"
	cp "$nbdboot" "$rescue/bin/nbdboot"
	cp "$here/guest/rescue.sh" "$rescue/rescue"
	initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4 overlay tls
		aesni_intel gcm ctr ghash_generic? virtio_blk' "$rescue" ${1:+"$1"} |
		sed 's/^/# /'
}

# ---- machines ----

# start_machine INITRAMFS WORDS [QEMU-ARGUMENT...]: one that takes commands
start_machine()
{
	second_port
	rm -f "$work"/monitor.*
	mkfifo "$work/monitor.in" "$work/monitor.out"
	initrd=$1 words=$2
	shift 2
	# the reboot that reroots_quickly measures unpacks the kernel, as any does
	[ ! "${measures-}" ] || vmlinux=$kernel
	vm_start "$initrd" "$words loglevel=3 $quiet_systemd" \
		-chardev "pipe,id=monitor,path=$work/monitor" -mon monitor "$@"
}

# tell COMMAND: the machine runs it
tell()
{
	: >"$work/log"
	echo "$1" >&4
}

# succeeds COMMAND: the machine runs it without an error
succeeds()
{
	tell "$1"
	vm_wait 'guest: status *' || true
	[ "$line" = 'guest: status 0' ]
}

# refuses SENTENCE COMMAND REASON: it fails so, and the machine stays as it is
refuses()
{
	tell "$2"
	vm_wait 'guest: status *' || true
	if [ "$line" != 'guest: status 0' ] && said "$3" &&
		! said 'this system ends now'; then
		ok "refused: $1"
	else
		not_ok "refused: $1"
		show "$work/log"
	fi
}

# arrives NAME: the machine is up in that root, with all of its files
arrives()
{
	vm_wait "guest: $1 is ready" '*Kernel panic*' || true
	arrived "$1"
}

# The same, when its console was read already.
arrived()
{
	said "guest: $1: system is running" && said "guest: $1 is ready" &&
		said "guest: file is $sum" && ! said 'WRONG' &&
		! said 'not all could be undone'
}

# The number behind a word of the last counts.
counted()
{
	sed -n "s/.*guest: counts: .*$1 \([0-9]*\).*/\1/p" "$work/log" |
		tail -n 1
}

counts()
{
	echo "$(counted mounts) $(counted cgroups) $(counted processes)" \
		"$(counted sockets)"
}

# ten_times NAME URI OTHER URI: from the root NAME to the root OTHER and back,
# until it was ten times, or twice ROUNDS.  A first time, which is not counted,
# leaves what stays.
ten_times()
{
	first=''
	for round in $(seq 0 "${ROUNDS:-5}"); do
		tell "nbdboot reroot '$4'"
		arrives "$3" || break
		tell "nbdboot reroot '$2'"
		arrives "$1" || break
		[ "$first" ] || first=$(counts) memory=$(counted free)
	done
	check "$((2 * ${ROUNDS:-5})) reroots in a row" arrived "$1"
	last=$(counts)
	check "mounts, groups, processes, sockets do not grow ($first, $last)" \
		[ "$first" = "$last" ]
	used=$((memory - $(counted free)))
	check "nor does the memory in use ($used KiB)" [ "$used" -lt 6000 ]
}

# ---- with another kernel ----

# Prints what each start of a kernel has anew, and its command line.
boot_id()
{
	tell 'cat /proc/sys/kernel/random/boot_id /proc/cmdline'
	vm_wait 'guest: status *' || true
	grep -E '^[0-9a-f]{8}-[0-9a-f-]*$' "$work/log"
}

started_anew()
{
	[ "$first" ] && [ "$last" ] && [ "$first" != "$last" ]
}

same_kernel()
{
	[ "$first" ] && [ "$first" = "$last" ]
}

# ---- Debian ----

# unit NAME TEXT: a service of $tree, wanted by multi-user.target
unit()
{
	printf '%s\n' "$2" '[Install]' 'WantedBy=multi-user.target' \
		>"$tree/etc/systemd/system/$1.service"
	ln -s "/etc/systemd/system/$1.service" \
		"$tree/etc/systemd/system/multi-user.target.wants/"
}

# copy_debian [VARIANT]: Debian with what the tests need, see debian.sh
copy_debian()
{
	debian=$(sh "$here/../debian.sh" "$O/debian${1:+-$1}" "${1-}") || exit 1
	cp -a "$debian" "$tree"
	install -m 755 "$here/guest/reroot.sh" "$tree/usr/local/sbin/guest"
	install -m 755 "$nbdboot" "$tree/usr/local/sbin/nbdboot"
	cp "$file" "$tree/etc/file"
	mkdir -p "$tree/lib/modules/$version"
	cp "$modules/modules.dep" "$modules/modules.alias" \
		"$tree/lib/modules/$version"
	for dir in fs/overlayfs ${1:+net/tls crypto lib/crypto arch/x86/crypto} \
		${MAPPED:+drivers/md drivers/block}; do
		mkdir -p "$tree/lib/modules/$version/kernel/$dir"
		cp "$modules/kernel/$dir"/*.ko \
			"$tree/lib/modules/$version/kernel/$dir"
	done
}

# Puts the machine's kernel and its initramfs into $tree.
add_kernel()
{
	mkdir -p "$tree/boot"
	cp "$kernel" "$tree/boot/vmlinuz-$version"
	cp "$work/initramfs" "$tree/boot/initrd.img-$version"
}

# make_tree [VARIANT]: one with systemd
make_tree()
{
	copy_debian "${1-}"
	unit guest '[Service]
ExecStart=/usr/local/sbin/guest'
	announce_init
}

# Puts a script in the place of systemd's program, which announces itself as
# process 1: in the kernel's log, as a console that it opens might become its
# terminal.
announce_init()
{
	mkdir "$tree/lib/systemd/real"
	mv "$tree/lib/systemd/systemd" "$tree/lib/systemd/real/"
	cat >"$tree/lib/systemd/systemd" <<-'END'
		#!/bin/sh
		[ $$ != 1 ] || echo '<2>guest: init is executed' >/dev/kmsg
		exec /lib/systemd/real/systemd "$@"
	END
	chmod 755 "$tree/lib/systemd/systemd"
}

# start_debian: a machine with $tree as the images old (its root), new and disk,
# unless they are there.  Sets the URIs old and new.
start_debian()
{
	for name in old new disk; do
		[ -e "$work/$name" ] || image "$name" "$tree" 400M
	done
	start old
	start new
	old="nbd://$host:$port_old/"
	new="nbd://$host:$port_new/"
	vm_memory=512
	start_machine "$work/initramfs" "root=$old ip=dhcp rw ${debian_words-}" \
		-action reboot=reset \
		-drive "file=$work/disk,format=raw,if=virtio"
	check 'Debian boots from a server' arrives old
}

# start_soft [DIR]: a machine with systemd 254, a service that writes, and the
# images old (its root), new and disk, which have the CA of DIR in /etc/nbdboot
start_soft()
{
	make_tree backports
	[ ! "${1-}" ] || install -D -t "$tree/etc/nbdboot" "$1/ca-cert.pem"
	copy_program "$tree/opt/fio" fio
	tree=$work/tree
	libs=/opt/fio/lib/x86_64-linux-gnu:/opt/fio/usr/lib/x86_64-linux-gnu
	unit load "[Service]
ExecStart=/opt/fio/lib64/ld-linux-x86-64.so.2 \\
--library-path $libs:/opt/fio/usr/lib/x86_64-linux-gnu/ceph \\
/opt/fio/bin/fio --name=load --directory=/var/tmp --rw=randrw --bs=4k \\
--size=8M --time_based --runtime=1d --rate=200k --verify=crc32c
SuccessExitStatus=128"
	initramfs "$work/initramfs" \
		'nbd virtio_net virtio_pci ext4 overlay virtio_blk' |
		sed 's/^/# /'
	start_debian
	check 'a service writes' succeeds 'systemctl is-active load'
}

# The other way prints lines.
softly()
{
	! said 'the old system has ended'
}

# ---- servers that fail ----

# moves FAULT STEP URIS [FROM URI TO]: from the root a at $a to b, whose server
# fails, and back if it is there; or between others.  Sets outcome.
moves()
{
	from=${4-a} from_uri=${5-$a} to=${6-b}
	cp "$work/$to" "$work/served"
	fail "$1" "$2" "$work/served"
	tell "nbdboot reroot '$3'"
	vm_wait 'guest: status [1-9]*' "guest: $from is ready" \
		"guest: $to is ready" '*Kernel panic*' || true
	outcome=wrong
	if said 'guest: status [1-9]' && said '^nbdboot: ' &&
		! said 'this system ends now'; then
		outcome=refused
	elif arrived "$from" && said 'the new root failed: back to the old one'; then
		outcome=back
	elif arrived "$to" && ! said 'I/O error'; then
		outcome=moved
	fi
	[ "$outcome" != moved ] || {
		tell "nbdboot reroot '$from_uri'"
		arrives "$from" || outcome=stays
	}
	fail_end
}

# ends_as SENTENCE OUTCOME...: it was one of them
ends_as()
{
	sentence="$1: $outcome ($happened)"
	shift
	for wanted; do
		[ "$outcome" != "$wanted" ] || {
			ok "$sentence"
			return
		}
	done
	not_ok "$sentence"
	show "$work/log"
}

# ---- what a reroot costs ----

# tell_until_init COMMAND: and waits until process 1 is the next init.  Sets
# asked (ms), took and worked (ms of the clock, and of QEMU's processors)
tell_until_init()
{
	asked=$(now_ms)
	worked=$(vm_worked)
	tell "$1"
	vm_wait '*guest: init is executed' '*Kernel panic*' || true
	worked=$(($(vm_worked) - worked))
	took=$(($(now_ms) - asked))
}

# tell_reroot COMMAND: tell_until_init, and keeps the figures of the quickest
quickest='' quickest_took=''
tell_reroot()
{
	tell_until_init "$1"
	[ "$quickest" ] && [ "$quickest" -lt "$worked" ] ||
		quickest=$worked quickest_took=$took
}

# Against a full reboot of the machine, which begins now.  QEMU starts the kernel
# itself: no firmware counts, only the end of the system, which both have, and a
# start of the kernel and its initramfs.
reroots_quickly()
{
	tell_until_init 'systemctl reboot'
	check "a reroot takes at most two thirds of a reboot's work \
($quickest of $worked ms, by the clock $quickest_took of $took)" \
		[ $((quickest * 3)) -le $((worked * 2)) ]
}
