# shellcheck shell=sh disable=SC2034
# SPDX-License-Identifier: BSD-2-Clause
# What the VM scripts share beyond tap.sh: kernels and machines.  Sourced, with
# O (the build directory) and optionally ACCEL=kvm in the environment.
#
# ARCH=aarch64 (or another CPU of make ARCH=) is a machine with that CPU, and O
# the build for it.
#
# Nothing sleeps: the scripts read the console of a machine line by line.
# VM_LIMIT (s) ends a machine that hangs, which is always a failure.
#
# Scripts of bench/ set `here` to this directory.
here=${here:-${0%/*}}
# shellcheck source=tests/vm/uml.sh
. "$here/uml.sh"
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"
# shellcheck source=tests/vm/mapped.sh
. "$here/mapped.sh"

# mke2fs, sfdisk and others may be there.
PATH=$PATH:/sbin:/usr/sbin

# One thread for all CPUs of a machine.  With a thread for each, QEMU 7.2 may
# translate code that another CPU is patching (the kernel's static keys), and
# keep the stale translation.  That probably explains a machine with two
# threads where both CPUs once spun for ever.
ACCEL=${ACCEL:-tcg,thread=single}
VM_LIMIT=${VM_LIMIT:-900}
nbdboot=$O/nbdboot
busybox=$(command -v busybox) || busybox=''
cr=$(printf '\r')
vm=''
# the host's loopback, seen from the machine
host=10.0.2.2
guest_ip=10.0.2.15::$host:255.255.255.0::eth0:off

at_exit()
{
	vm_stop
}

# The console up to now.
at_failure()
{
	[ ! -e "$work/log" ] || show "$work/log"
}

# ---- the kernel and initramfs ----

# Sets kernel (image), vmlinux (what QEMU starts), modules (directory) and
# version.  VM_SUITE is the second argument of kernel.sh.
find_kernel()
{
	paths=$(sh "$here/../kernel.sh" "$O/kernel${VM_SUITE:+-$VM_SUITE}" \
		"${VM_SUITE-}" "${ARCH-}") || exit 1
	[ ! "${ARCH-}" ] || busybox=$O/kernel/bin/busybox
	kernel=$(echo "$paths" | sed -n 1p)
	modules=$(echo "$paths" | sed -n 2p)
	version=${modules##*/}
	vmlinux=${kernel%/*}/vmlinux-$version
	[ -s "$vmlinux" ] || vmlinux=$kernel
	[ "$vm_kind" != uml ] || find_uml
}

# existing MODULE...: prints them, but those with a '?' behind only if the kernel
# has them: in newer ones they are a part of something else.  User-mode Linux has
# no drivers for hardware.
existing()
{
	for module; do
		pattern=/$(echo "${module%\?}" | sed 's/_/[-_]/g')\.ko
		case $modules/$module in
		*\? | */uml/*) ! grep -q "$pattern" "$modules/modules.dep" \
			"$modules/modules.builtin" || echo "${module%\?}" ;;
		*) echo "$module" ;;
		esac
	done
}

# initramfs FILE [MODULES [DIR [TLS_DIR]]]: as make initramfs does.  MODULES are
# words of existing.  The one for User-mode Linux is FILE.uml.  Without packed= it
# is not compressed, which takes longer than a machine needs to read it.
initramfs()
{
	initramfs_of "$@"
	[ "$vm_kind" = qemu ] || uml_initramfs "$@" >/dev/null
}

initramfs_of()
{
	# shellcheck disable=SC2086 # words on purpose
	set -- "$1" "$(set -f && existing ${2-} \
		${2:+${MAPPED:+dm_mod dm_mirror loop}})" "${3-}" \
		"${4:-$mapped_tls}"
	sh "$here/../../boot/initramfs/mkinitramfs.sh" -b "$nbdboot" -k "$modules" \
		-z "${packed:-none}" ${2:+-m "$2"} ${3:+-a "$3"} \
		${4:+-t "$4"} "$1"
}

# copy_program TREE PROGRAM...: copies them, and the libraries that they need
copy_program()
{
	tree=$1
	shift
	for program; do
		path=$(command -v "$program") ||
			die "$program is missing (make deps)"
		mkdir -p "$tree/bin"
		cp -L --remove-destination "$path" "$tree/bin/$program"
		copy_libs "$path"
	done
}

# copy_libs FILE: copies the libraries of FILE into $tree
copy_libs()
{
	for lib in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
		mkdir -p "$tree${lib%/*}"
		cp -L "$lib" "$tree$lib"
	done
}

# add_busybox TREE: a static busybox, and a link for each of its commands
add_busybox()
{
	mkdir -p "$1/bin"
	# its own shell, which starts no process for each
	# shellcheck disable=SC2016 # for that shell
	busybox sh -c 'for a in $(busybox --list); do
		ln -sf busybox "$1/bin/$a"
	done' - "$1"
	# the list has its own name too
	rm -f "$1/bin/busybox"
	cp "$busybox" "$1/bin/busybox"
}

# make_guest TREE SCRIPT PROGRAM...: makes an initramfs in which guest/init.sh
# runs SCRIPT, with busybox, nbdkit and the programs.  Boot it with
# rdinit=/test.
make_guest()
{
	tree=$1
	add_busybox "$tree"
	rm -f "$tree/bin/init"
	cp "$here/guest/init.sh" "$tree/test"
	cp "$here/$2" "$tree/tests"
	chmod 755 "$tree/test"
	shift 2
	copy_program "$tree" nbdkit "$@"
	for kind in plugin filter; do
		dir=$(nbdkit --dump-config | sed -n "s/^${kind}dir=//p")
		mkdir -p "$tree$dir"
		for name in memory null eval file blocksize-policy exportname delay nocache fua; do
			file=$dir/nbdkit-$name-$kind.so
			[ -e "$file" ] || continue
			cp "$file" "$tree$file"
			copy_libs "$file"
		done
	done
}

# ---- roots ----

# bare_tree TREE: a root with busybox, and without an init
bare_tree()
{
	add_busybox "$1"
	rm -f "$1/bin/init"
	for entry in sbin etc proc sys dev run tmp; do
		mkdir -p "$1/$entry"
	done
}

# busybox_tree TREE SCRIPT: with busybox's init, and SCRIPT of this directory for it
# as /etc/guest
busybox_tree()
{
	bare_tree "$1"
	ln -s ../bin/busybox "$1/sbin/init"
	install -m 755 "$here/$2" "$1/etc/guest"
}

# root_tree TREE INIT: with INIT of this directory as /sbin/init
root_tree()
{
	bare_tree "$1"
	cp "$here/$2" "$1/sbin/init"
	chmod 755 "$1/sbin/init"
}

# ext4_of TREE FILE [MKE2FS-ARGUMENT...]: 32 MiB with the files of TREE
ext4_of()
{
	from=$1 file=$2
	shift 2
	truncate -s 32M "$file"
	mke2fs -q -t ext4 -E root_owner=0:0 -d "$from" "$@" "$file"
	mapped_ext4 "$file"
}

# disk_of PART FILE [UUID]: 64 MiB with two partitions, of which the second is
# PART
disk_of()
{
	truncate -s 64M "$2"
	printf '%s\n' 'label: gpt' 'start=2048, size=2048' \
		"start=8192, size=65536${3:+, uuid=$3}" | sfdisk -q "$2"
	dd if="$1" of="$2" bs=1M seek=4 conv=notrunc status=none
}

# is_clean FILE: a file system without a journal to replay
is_clean()
{
	dumpe2fs -h "$1" 2>/dev/null >"$work/super"
	grep -q '^Filesystem state: *clean$' "$work/super" &&
		! grep -q needs_recovery "$work/super"
}

# blob_is_whole FILE: the file that a machine wrote there has its sum
blob_is_whole()
{
	debugfs -R "dump /var/tmp/blob $work/blob" "$1" 2>/dev/null
	debugfs -R "cat /var/tmp/sum" "$1" 2>/dev/null >"$work/sum"
	[ -s "$work/blob" ] && [ -s "$work/sum" ] &&
		[ "$(sha256sum <"$work/blob")" = "$(cat "$work/sum")" ]
}

# ---- servers that fail ----

# serve_dropping FILE [N]: serves FILE on a port of its own, but the first
# connection, or the first N, end at their first request that reads.  Sets port
# and server.
serve_dropping()
{
	rm -rf "$work/drops"
	mkdir "$work/drops"
	cat >"$work/drops/serve" <<-END
		#!/bin/sh
		n=1
		until mkdir "$work/drops/\$n" 2>/dev/null; do
			n=\$((n + 1))
		done
		[ \$n -le ${2:-1} ] || exec nbdkit -s file "$1"
		exec nbdkit -s eval get_size='stat -c %s "$1"' \\
			pread='kill -9 \$PPID' pwrite='cat >/dev/null' \\
			flush='exit 0' trim='exit 0'
	END
	chmod 755 "$work/drops/serve"
	port=$(free_port)
	daemon_at "$port" socat \
		"TCP-LISTEN:$port,bind=127.0.0.1,fork,reuseaddr" \
		"EXEC:$work/drops/serve"
}

# serve_part PORT BYTES FILE [NBDKIT-ARGUMENT...]: serves FILE read-only, but the read
# with which it would have sent more than these has no answer, nor has a later one.
# $work/held is there then.
serve_part()
{
	serving=$1 most=$2 part=$3
	shift 3
	rm -f "$work/sent" "$work/held"
	serve "$serving" -t 1 -r eval get_size="stat -c %s $part" \
		pread="truncate -s +\$3 $work/sent
		[ \$(stat -c %s $work/sent) -le $most ] || {
			: >$work/held
			exec sleep infinity
		}
		dd if=$part skip=\$4 count=\$3 iflag=skip_bytes,count_bytes" "$@"
}

# How many connections serve_dropping has had.
connections()
{
	set -- "$work"/drops/[0-9]*
	[ ! -e "$1" ] || echo $#
}

# ---- machines ----

# The network cards of the machine: one at QEMU's own network (vm_nic: QEMU's
# words for it; vm_pcap: a file for its frames), or those of vm_taps.
vm_cards()
{
	[ "${vm_taps-}" ] || echo "-netdev user,id=net,ipv6=off" \
		"-device ${vm_nic:-virtio-net-pci,romfile=},netdev=net" \
		"${vm_pcap:+-object filter-dump,id=dump,netdev=net,file=$vm_pcap}"
	cards=0
	# LACP takes no interface whose speed is unknown
	link=romfile=,speed=1000,duplex=full
	for tap in ${vm_taps-}; do
		echo "-netdev tap,id=$tap,ifname=$tap,script=no,downscript=no" \
			"-device virtio-net-pci,netdev=$tap,$link,mac=${vm_mac-}$cards"
		cards=$((cards + 1))
	done
}

# QEMU and the kind of machine.  vm_emulator is another QEMU than this system's.
# Without ERMS and FSRM, Linux and the C library copy by words: QEMU's translation
# of a copy by bytes, which they choose for a CPU that is fast at that, takes a step
# for each byte.  A Debian is up in 8.8 s, and in 10.05 with them.
vm_cpu=max,-erms,-fsrm
machine()
{
	case ${ARCH-} in
	'') echo "${vm_emulator:-qemu-system-x86_64}" -cpu $vm_cpu ;;
	aarch64) echo qemu-system-aarch64 -M virt -cpu cortex-a57 ;;
	armv7) echo qemu-system-arm -M virt,highmem=off ;;
	i386) echo qemu-system-i386 ;;
	riscv64) echo qemu-system-riscv64 -M virt ;;
	s390x) echo qemu-system-s390x ;;
	*) die "no machine for $ARCH" ;;
	esac
}

# Words for a systemd whose console a test reads.  A getty there would reset the
# terminal, and throw away what another process has just written to it.
# shellcheck disable=SC2034 # for those who source this
quiet_systemd='systemd.show_status=0 systemd.getty_auto=no'

case ${ARCH-} in
aarch64) console=ttyAMA0 ;;
# with two CPUs it hangs before process 1: each waits for the other, in the kernel
armv7) console=ttyAMA0 vm_cpus=1 ;;
s390x) console=ttysclp0 vm_nic=virtio-net-ccw ;;
*) console=ttyS0 ;;
esac

# qemu INITRAMFS COMMAND-LINE [QEMU-ARGUMENT...]: becomes the machine, in the
# network namespace of process vm_at if that is set.
#
# Without printk.devkmsg=on the kernel's log takes only ten lines in 5 s from a
# process.  norandmaps lets processes have the same addresses: QEMU 7.2 keeps the
# code that it has translated by address, and walks all that is in a page at each
# store to it.  That probably explains a machine whose kernel was stuck for 40 s
# when it cleared a page.  It also lets the memory of a process be compared,
# whose stack begins at a random place within two pages otherwise.  The kernel's tests
# of its ciphers would be a sixth of its start.
qemu()
{
	initrd=$1 append=$2
	shift 2
	# shellcheck disable=SC2046 # words on purpose
	exec ${vm_limit:+timeout "$vm_limit"} \
		${vm_at:+nsenter -t "$vm_at" -n} $(machine) \
		-accel "$ACCEL" -smp "${vm_cpus:-2}" -m "${vm_memory:-512}" \
		-nodefaults -display none -no-reboot \
		-kernel "$vmlinux" -initrd "$initrd" \
		-append "console=$console panic=1 no_timer_check norandmaps \
cryptomgr.notests printk.devkmsg=on $append" \
		$(vm_cards) "$@"
}

# Milliseconds.
now_ms()
{
	date +%s%3N
}

# Processor time of QEMU, ms.  A neighbour on the machine of the tests stretches
# it less than the clock's time.
vm_worked()
{
	# the child of timeout(1)
	vm_qemu=$(cat "/proc/$vm/task/$vm/children")
	awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, "")
		printf "%d\n", ($12 + $13) * 1000 / hz }' \
		"/proc/${vm_qemu% }/stat"
}

# A function for awk: the median of a[1] to a[n], which it sorts.
median='function median(a, n,    i, j, t) {
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && a[j - 1] > a[j]; j--) {
			t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
		}
	return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
}'

# second_port: what is written to descriptor 4 comes out of the second serial port
# of the machines that start from now on.
second_port()
{
	vm_port=$work/port
	rm -f "$vm_port.in" "$vm_port.out"
	mkfifo "$vm_port.in" "$vm_port.out"
	exec 4<>"$vm_port.in"
}

# vm_start INITRAMFS COMMAND-LINE [QEMU-ARGUMENT...]: starts a machine of vm_kind
# in the background, at vm_began (ms).  vm_wait reads its first serial port, and
# what is written to the FIFO vm_keys, if that is set and open, is typed there.
# With second_port before it, it has that port.
vm_start()
{
	rm -f "$work/console" "$work/log"
	mkfifo "$work/console"
	: >"$work/log"
	vm_limit=$VM_LIMIT
	initrd=$1
	mapped_words "$2"
	shift 2
	if [ "${vm_port-}" ] && [ "$vm_kind" = uml ]; then
		append="$append ssl1=fd:4,null"
	elif [ "${vm_port-}" ]; then
		set -- "$@" -chardev "pipe,id=port,path=$vm_port" \
			-device isa-serial,chardev=port,index=1
	fi
	set -- "$initrd" "$append" "$@"
	vm_began=$(now_ms)
	if [ "$vm_kind" = uml ]; then
		[ ! "${vm_pcap-}" ] || uml_capture "$vm_pcap"
		uml "$@" <"${vm_keys:-/dev/null}" >"$work/console" 2>&1 7<&- &
	else
		qemu "$@" -serial stdio <"${vm_keys:-/dev/null}" \
			>"$work/console" 2>&1 &
	fi
	vm=$!
	exec 3<"$work/console"
}

# vm_wait PATTERN...: reads the console up to a line that matches one of the
# shell patterns, and sets line to it.  Returns 1 if the machine ended before.
# Each line is added to $work/log, and is passed to vm_line if that is set.
vm_wait()
{
	while IFS= read -r line <&3 || [ "$line" ]; do
		line=${line%"$cr"}
		# a prompt of agetty is a line without an end
		case $line in
		*' login: guest: '*) line=${line#*' login: '} ;;
		esac
		printf '%s\n' "$line" >>"$work/log"
		[ -z "${vm_line-}" ] || "$vm_line"
		for vm_pattern; do
			# shellcheck disable=SC2254 # it is a pattern
			case $line in
			$vm_pattern) return 0 ;;
			esac
		done
	done
	return 1
}

# Waits until the machine asks for its end, which it does when it is up.  Sets
# asked (ms).
vm_asks()
{
	vm_wait '*guest: asks for*' || true
	asked=$(now_ms)
}

# vm_came SENTENCE: what it asked for has come now, and took less time than the
# machine took to ask for it.
vm_came()
{
	took=$(($(now_ms) - asked))
	set -- "$1" $((asked - vm_began))
	check "$1 ($took ms, after $2 ms)" [ "$took" -lt "$2" ]
}

# said PATTERN: a line of the console that was read matches
said()
{
	grep -q -e "$1" "$work/log"
}

# shows SENTENCE PATTERN...: the console that was read has a line for each, and
# none for a PATTERN after '!'
shows()
{
	sentence=$1
	shift
	for pattern; do
		case $pattern in
		!*) ! said "${pattern#!}" && continue ;;
		*) said "$pattern" && continue ;;
		esac
		not_ok "$sentence: $pattern"
		show "$work/log"
		return
	done
	ok "$sentence"
}

# ended SENTENCE PATTERN...: shows, of a machine that ran to its end
ended()
{
	shows "$@" '^guest: end$'
}

# booted SENTENCE ROOT MARKER: a machine with guest/boot.sh ended by itself,
# with the right root and without errors.
booted()
{
	vm_end
	if said "^guest: root is $2$" && said "^guest: marker is $3$" &&
		said '^guest: address is 10.0.2.15/24$' &&
		said '^guest: end$' && ! said '^guest: WRONG' &&
		! said 'Kernel panic' &&
		! said 'the watcher did not start'; then
		ok "$1"
	else
		not_ok "$1"
		show "$work/log"
	fi
}

vm_stop()
{
	[ "$vm" ] || return 0
	kill "$vm" 2>/dev/null || true
	wait "$vm" || true
	# What a kernel that was killed has traced stays stopped, in a session of its
	# own, and keeps the console and the disks.  The last to let go of the
	# console has let go of the disks.
	if [ "$vm_kind" = uml ]; then
		while pkill -9 -f "uml_dir=$work umid="; do :; done
		cat <&3 >/dev/null
	fi
	vm=''
	exec 3<&-
	[ ! "${captures-}" ] || uml_capture_end
}

# Waits until the machine ends by itself.
vm_end()
{
	while vm_wait '*'; do :; done
	vm_stop
}

# vm_ended: a machine that measures has come to its end, or this script dies.
vm_ended()
{
	vm_wait 'end of tests' 'failed: *' || line="the machine ended too early"
	if [ "$line" != 'end of tests' ]; then
		while vm_wait '*'; do :; done
		cat "$work/log" >&2
		die 'a command in the machine failed (see above)'
	fi
	vm_stop
}

# guest_tests INITRAMFS WORDS: boots a machine of make_guest, and reports its
# results as ours.  VM_WORDS are more words, as nbd.nbds_max=1.
guest_tests()
{
	if [ "$vm_kind" = uml ]; then
		: >"$work/kernel.log" # the console has it, too
		vm_start "$1" "rdinit=/test test.tty=console loglevel=4 $2"
	else
		vm_start "$1" "rdinit=/test $2 ${VM_WORDS-}" \
			-serial "file:$work/kernel.log"
	fi
	until vm_wait 'ok - *' 'not ok - *' '# *' 'end of tests' &&
		[ "$line" = 'end of tests' ]; do
		case $line in
		'ok - '*) ok "${line#ok - }" ;;
		'not ok - '*) not_ok "${line#not ok - }" ;;
		'# '*) echo "$line" ;;
		*)
			not_ok 'the machine runs to the end of its tests'
			show "$work/log"
			break
			;;
		esac
	done
	vm_stop
	[ "$failed" = 0 ] || show "$work/kernel.log"
}
