# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Machines in User-mode Linux: Debian's kernel as a process of this system, which
# boots in a second where QEMU's take ten.  Sourced by lib.sh, before all else.
#
# A script that sets vm_kind=uml before it sources lib.sh starts such machines,
# and QEMU's in a command of in_qemu.  With MACHINE=qemu, for another CPU or with
# another kernel all of them are QEMU's.
#
# It then runs in a network namespace of its own, whose loopback is 10.0.2.2 to
# the machine, as it is with QEMU's network:
#
#   machine, eth0 --- vm0, 10.0.2.2 --(nftables)--> 127.0.0.1 here
#
# What is missing there: a second CPU, a PCI bus and what is on it, firmware,
# tracing, /proc/PID/syscall and the registers of another process, a cable that can
# be pulled, and a speed of interfaces.  IPv6 is a module there.

vm_kind=${vm_kind:-qemu}
[ "${MACHINE:-uml}${ARCH-}${VM_SUITE-}" = uml ] || vm_kind=qemu

# Options of unshare: others than root need a namespace of users as well.
uml_as()
{
	if [ "$(id -u)" = 0 ]; then printf '%s\n' -n; else printf '%s\n' -rn; fi
}

# Prints why there are no such machines here, or nothing.
uml_lacks()
{
	if ! command -v linux.uml >/dev/null; then
		echo 'linux.uml is missing (make deps)'
	elif ! (exec 3<>/dev/net/tun) 2>/dev/null; then
		echo '/dev/net/tun cannot be opened'
	elif ! unshare "$(uml_as)" true 2>/dev/null; then
		echo 'network namespaces are refused'
	fi
}

uml_network()
{
	ip link set lo up
	printf '%s\n' 'table ip vm {' 'chain in {' \
		'type nat hook prerouting priority -100' \
		'ip daddr 10.0.2.2 dnat to 127.0.0.1' '}' '}' | nft -f -
	ip tuntap add vm0 mode tap
	sysctl -qw net.ipv6.conf.vm0.disable_ipv6=1 \
		net.ipv4.conf.vm0.route_localnet=1
	ip addr add 10.0.2.2/24 dev vm0
	ip link set vm0 up
}

if [ "$vm_kind" = uml ] && [ ! "${UML_INSIDE-}" ]; then
	PATH=$PATH:/sbin:/usr/sbin
	uml_why=$(uml_lacks)
	if [ "$uml_why" ]; then
		echo "# machines of QEMU in place of User-mode Linux: $uml_why"
		vm_kind=qemu
	else
		# there are no downloads from inside
		sh "$here/../kernel.sh" "${O:-build}/kernel" >/dev/null || exit 1
		UML_INSIDE=1 exec unshare "$(uml_as)" sh "$0" "$@"
	fi
fi
vm_default=$vm_kind
[ "$vm_kind" != uml ] || uml_network || exit 1
unset UML_INSIDE

# in_qemu COMMAND...: what it starts are machines of QEMU
in_qemu()
{
	vm_kind=qemu
	"$@"
	vm_kind=$vm_default
}

# Sets uml_modules (directory), and uml_fp, which all of them need.
find_uml()
{
	for uml_modules in /usr/lib/uml/modules/*; do :; done
	uml_fp=$work/uml-fp.so
	gcc -O2 -shared -fPIC -D_GNU_SOURCE -o "$uml_fp" "$here/uml-fp.c" ||
		die 'uml-fp.c does not compile'
}

# uml_initramfs FILE...: as initramfs does, with the modules of that kernel
uml_initramfs()
{
	file=$1.uml
	shift
	(modules=$uml_modules && initramfs_of "$file" "$@")
}

# With vm_vector there are packets of 64 KiB, and the card's name is vec0: a
# third of the time for many bytes.
uml_cards()
{
	if [ "${vm_vector-}" ]; then
		echo vec0:transport=tap,ifname=vm0,mac=52:54:00:12:34:56,depth=128,gro=1
		return
	fi
	[ "${vm_taps-}" ] || echo eth0=tuntap,vm0,52:54:00:12:34:56
	cards=0
	for tap in ${vm_taps-}; do
		echo "eth$cards=tuntap,$tap,${vm_mac-}$cards"
		cards=$((cards + 1))
	done
}

# uml INITRAMFS COMMAND-LINE: becomes the machine, as qemu in lib.sh does.  A
# panic sends SIGTERM to the process group, which timeout makes.  Two thirds of
# the start would be the choice of code for RAID, which nobody needs.  Without an
# argument that begins with root= it would add root=98:0; the kernel takes this
# one as a part of the word uml=.
uml()
{
	initrd=$1.uml append=$2
	shift 2
	[ $# = 0 ] || die "User-mode Linux does not know: $*"
	set -f
	# shellcheck disable=SC2046,SC2086 # words on purpose
	exec timeout "$vm_limit" ${vm_at:+nsenter -t "$vm_at" -n} \
		env LD_PRELOAD="$uml_fp" linux.uml uml_dir="$work" umid=uml \
		mem="${vm_memory:-512}M" noreboot con=null \
		con0="$([ "${vm_keys-}" ] && echo fd:0 || echo null),fd:1" \
		ssl=null initrd="$initrd" panic=1 norandmaps printk.time=1 \
		printk.devkmsg=on \
		initcall_blacklist=raid6_select_algo,calibrate_xor_blocks \
		'uml="' root= '"' $append $(uml_cards)
}

# uml_capture FILE: from now on the frames of vm0 are in FILE.  Sets captures.
uml_capture()
{
	captured=$1
	rm -f "$work/capture"
	mkfifo "$work/capture"
	dumpcap -q -i vm0 -w "$captured" 2>"$work/capture" </dev/null &
	captures=$!
	exec 7<"$work/capture"
	until IFS= read -r line <&7 && [ "${line#File: }" != "$line" ]; do
		kill -0 "$captures" || die "no dumpcap: $line"
	done
}

# At its end dumpcap drops what it has not read yet, so there is a last frame: when
# that is in the file, all before it are.
uml_capture_end()
{
	echo 'here ends the capture, with a frame of more than 60 bytes ...' |
		socat -u - TUN,tun-name=vm0,tun-type=tap,iff-no-pi,iff-up
	tail -n +1 -s 0.1 -f --pid="$captures" "$captured" | {
		grep -q -a 'here ends the capture'
		kill -INT "$captures"
	}
	wait "$captures" || true
	captures=''
	exec 7<&-
}
