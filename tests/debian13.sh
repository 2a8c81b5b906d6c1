#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The program and its tests in a root of Debian 13, which is made once, with the
# compilers, libraries and servers of that: debian13.sh BUILD [soak].  TAP on
# standard output.
#
# Without "soak" it is a share of the tests.  The source is in /src there, and the
# build in /o, of which the objects stay for the next time.
O=${1:-build}
# shellcheck source=tests/tap.sh
. "${0%/*}/tap.sh"

soak=${2-}
top=$(cd "${0%/*}/.." && pwd)
home=$O/debian-trixie-build
root=$home/root
packages="$(sh "${0%/*}/deps.sh" -l build) libcmocka-dev
	iproute2 procps nbdkit nbd-server nbd-client"
unit_share='tests/core tests/boot/words tests/boot/system'
scripts='nbd_client devices parse_root'
if [ "$soak" ]; then
	packages="$packages qemu-utils libnbd-bin socat jq strace openssl
		gnutls-bin dnsmasq-base radvd kea-dhcp6-server clang libclang-rt-dev llvm
		debhelper fakeroot lintian git bash-completion busybox-static
		zstd bzip2 xz-utils time e2fsprogs xfsprogs btrfs-progs
		erofs-utils squashfs-tools dosfstools fdisk gdisk"
	unit_share=$(cd "$top" && echo tests/*/ tests/boot/*/)
	scripts="$scripts copy info exports tls bad_input interrupt hooks dns
		net dhcp6 certificates packages"
fi

# with NAMESPACES COMMAND...: in the root; what it leaves running ends
with()
{
	apart=$1
	shift
	# shellcheck disable=SC2016,SC2086 # for the inner shells; words
	unshare --mount --pid --fork --kill-child $apart sh -ec '
		root=$1 top=$2
		shift 2
		ip link set lo up
		mount --bind "$root" "$root"
		mount -t proc proc "$root/proc"
		mount -t sysfs -o ro sysfs "$root/sys"
		mount --rbind /dev "$root/dev"
		mount -t tmpfs tmpfs "$root/run"
		mount -t tmpfs tmpfs "$root/tmp"
		mount --bind "$top" "$root/src"
		mount --bind "$root/../../debian-trixie" "$root/o/debian-trixie"
		# nsenter leaves the directory of chroot
		cd "$root"
		pivot_root . mnt
		cd /src
		umount -l /mnt
		exec env -i LC_ALL=C HOME=/root RELEASE=trixie \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			DEBIAN_FRONTEND=noninteractive "$@"
		' with "$root" "$top" "$@"
}

# apt WORD...: half of its time would be waiting for the disk
apt()
{
	with '' apt-get -q -y -o APT::Sandbox::User=root \
		-o Dpkg::Options::=--force-unsafe-io --no-install-recommends "$@"
}

# shellcheck disable=SC2086 # words on purpose
make_root()
{
	debian=$(sh "$top/tests/debian.sh" "$O/debian-trixie" trixie) || return
	rm -rf "$home"
	mkdir -p "$home"
	cp -a "$debian" "$root"
	mkdir -p "$root/src" "$root/o/debian-trixie"
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	# nobody reads them
	printf '%s\n' 'path-exclude=/usr/share/man/*' \
		'path-exclude=/usr/share/locale/*' \
		>"$root/etc/dpkg/dpkg.cfg.d/small"
	apt update && apt install $packages && echo "$packages" >"$home/done"
}

# make_in WORD...: with two jobs
make_in()
{
	with --net make -s -j2 VERSION=trixie BUILT=1 "$@" >"$work/log" 2>&1
}

at_failure()
{
	tail -n 60 "$work/log" | sed 's/^/# /'
}

# Does apt know all that make deps asks for?  It would install none of them.
knows_deps()
{
	# shellcheck disable=SC2046 # words on purpose
	apt -s install $(sh "$top/tests/deps.sh" -l build demo metal check) \
		>"$work/log" 2>&1
}

builds()
{
	# as process 1 it would be the init of a machine
	make_in O=/o all &&
		with --net timeout 9 /o/nbdboot version >"$work/log" 2>&1
}

builds_lwip()
{
	make_in O=/o/lwip lwip_defconfig && make_in O=/o/lwip all
}

# The programs of the share, without that of an option that is off, with gcc and
# Debian's mbedTLS, and what they say.
unit()
{
	sources=$(cd "$top" && for dir in $unit_share; do
		ls "$dir"/test_*.c 2>/dev/null
	done | grep -v records13 | tr '\n' ' ')
	programs=$(echo "$sources" | sed 's|\(tests/[^ ]*\)\.c|/o/unit/\1|g')
	# shellcheck disable=SC2086 # words on purpose
	make_in O=/o/unit CC=gcc CFLAGS=-O0 STATIC= tests="$sources" unit-bin &&
		with --net sh tests/unit.sh /o/unit $programs >"$work/log" 2>&1
}

passes()
{
	with "$1" env O=/o sh "tests/interop/test_$2.sh" /o >"$work/log" 2>&1 ||
		return 1
	grep -q '^ok' "$work/log"
}

[ "$(id -u)" = 0 ] || die 'only root can have a Debian'
[ "$(cat "$home/done" 2>/dev/null)" = "$packages" ] ||
	make_root >"$work/log" 2>&1 || {
	at_failure
	die "no Debian 13 (is the package mirror reachable?)"
}
check 'Debian 13 has all packages of make deps' knows_deps
check 'the program builds there with its default compiler' builds
check 'the unit tests pass there' unit
sed -n 's/^not ok/# &/p' "$work/log"
if [ "$soak" ]; then
	check 'nbdboot-lwip builds there' builds_lwip
	check 'clang compiles all of it there' \
		make_in O=/o/clang CC=clang CFLAGS=-O1 STATIC= objects
fi
for script in $scripts; do
	# it fetches nothing, but has a root of its own
	check "test_$script.sh passes there" passes --net "$script"
done
finish
