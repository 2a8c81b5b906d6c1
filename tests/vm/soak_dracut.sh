#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dracut's own test of roots on NBD, TEST-72-NBD, unchanged, with this program as
# nbd-client.  It runs in a Debian testing, with dracut, the kernel, systemd,
# nbd-server and QEMU of that, and is in dracut's source package.  TAP on
# standard output.  A quarter of an hour for each client.
#
# DRACUT is a source tree of dracut whose test is taken instead.  CLIENTS are of
# ours and theirs (Debian's nbd-client, to compare).
# shellcheck source=tests/tap.sh
. "${0%/*}/../tap.sh"

clients=${CLIENTS:-ours}
mirror=http://deb.debian.org/debian
suite=$O/dracut
root=$suite/root
source=${DRACUT:-$root/src}
packages='systemd-sysv udev dracut-core dracut-network dracut-test nbd-client
	nbd-server dnsmasq cryptsetup systemd-cryptsetup lvm2 mdadm dmsetup kmod
	iproute2 procps network-manager curl make zstd busybox file gawk fdisk
	cpio'
PATH=$PATH:/sbin:/usr/sbin

# inside DIR COMMAND...: with DIR as its root; what it leaves running ends
inside()
{
	# shellcheck disable=SC2016,SC2086 # for the inner shell; words
	unshare --mount --pid --fork --kill-child $apart sh -ec '
		root=$1
		shift
		[ ! -e "$root.upper" ] || mount -t overlay overlay "$root" -o \
			"lowerdir=$lower,upperdir=$root.upper,workdir=$root.work"
		ip link set lo up
		mount -t proc proc "$root/proc"
		mount -t sysfs -o ro sysfs "$root/sys"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs tmpfs "$root/run"
		mount -t tmpfs tmpfs "$root/tmp"
		exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			LC_ALL=C HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
		' inside "$@"
}

# apt WORD...: a mirror may be behind, but signatures are checked
apt()
{
	inside "$root" apt-get -q -y -o APT::Sandbox::User=root \
		-o Acquire::Check-Valid-Until=false --no-install-recommends "$@"
}

prepare()
{
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	printf '%s\n' "deb $mirror testing main" "deb-src $mirror testing main" \
		>"$root/etc/apt/sources.list"
	mkdir "$root/src"
}

# Of the source package only the archive of dracut's authors is needed, and it
# comes first.
fetch_test()
{
	apt --download-only source dracut ||
		echo 'not all of the source package is there'
	tar -xf "$root"/dracut_*.orig.tar.*z -C "$root/src" \
		--strip-components=1
}

# Without firmware for UEFI each machine starts in half of the time.
make_root()
{
	apart=''
	rm -rf "$root"
	# shellcheck disable=SC2086 # words on purpose
	debootstrap --variant=minbase testing "$root" "$mirror" && prepare &&
		apt update && apt install $packages && fetch_test &&
		rm -f "$root"/usr/share/OVMF/*CODE* && : >"$suite/done"
}

# run_test CLIENT
run_test()
{
	tree=$work/$1
	mkdir "$tree" "$tree.upper" "$tree.work"
	cp -a "$source" "$tree.upper/dracut"
	if [ "$1" = ours ]; then
		mkdir -p "$tree.upper/usr/sbin"
		cp "$O/nbdboot" "$tree.upper/usr/sbin/nbd-client"
	fi
	lower=$root apart=--net
	export lower
	inside "$tree" env NO_KVM=1 V=1 basedir=/usr/lib/dracut \
		testdir=/dracut/test sh -c \
		'cd /dracut/test/TEST-72-NBD && exec ./test.sh --all' \
		>"$suite/$1.log" 2>&1 </dev/null
}

judge()
{
	sed -n 's/^CLIENT TEST END: //p' "$suite/$1.log" | sed "s/^/# $1: /"
	check "$1: TEST-72-NBD passes" [ "$2" = 0 ]
	check "$1: it has run clients, all with success" eval \
		"grep -q 'CLIENT TEST END.*\[OK\]' '$suite/$1.log' &&
		! grep -q 'CLIENT TEST END.*FAILED' '$suite/$1.log'"
}

at_failure()
{
	show "$suite/$client.log"
}

[ "$(id -u)" = 0 ] || die 'debootstrap has to be run by root'
mkdir -p "$suite"
[ -e "$suite/done" ] || make_root >"$suite/log" 2>&1 || {
	tail -n 20 "$suite/log" >&2
	die "no Debian testing (is $mirror reachable?)"
}
[ -e "$source/test/TEST-72-NBD/test.sh" ] || die "no TEST-72-NBD in $source"
for client in $clients; do
	status=0
	run_test "$client" || status=$?
	judge "$client" "$status"
done
finish
