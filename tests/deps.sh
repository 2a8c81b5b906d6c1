#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs the Debian packages that the tree needs.  Unless run as root it
# prints the command for that and ends with status 1.
#
#   deps.sh [-l] [build|demo|metal|unit|check|cpus|bench|net|images|ceph ...]
#                                   all but the last five if none is named
#   -l                                      list them, install nothing
set -eu

build='gcc make libc6-dev linux-libc-dev musl-tools kconfig-frontends-nox'

# a kernel, its modules, a root, a server, a machine
demo='busybox-static cpio kmod xz-utils zstd e2fsprogs nbdkit iproute2
	qemu-system-x86'

# boards without an operating system
metal='gcc-arm-none-eabi gcc-aarch64-linux-gnu nbdkit iproute2 qemu-system-arm'

# unit tests of one compiler
unit='libcmocka-dev xz-utils patch'

check="$unit"' nbd-server nbd-client qemu-utils
	clang clang-format clang-tidy lld llvm libclang-rt-dev cppcheck
	shellcheck mandoc squashfs-tools fdisk gdisk fio git procps jq socat time
	debootstrap nftables ethtool dnsmasq-base radvd kea-dhcp6-server
	gnutls-bin openssl tshark
	libnbd-bin valgrind bsdextrautils strace bpftrace bsdutils libxml2-utils
	chromium-headless-shell python3-drgn gdb bpftool
	systemtap-sdt-dev binutils dash mawk
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross
	gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
	gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
	gcc-s390x-linux-gnu libc6-dev-s390x-cross
	gcc-i686-linux-gnu libc6-dev-i386-cross
	xfsprogs btrfs-progs f2fs-tools erofs-utils dosfstools mtools
	cryptsetup-bin lvm2 mdadm hostapd wpasupplicant swtpm
	ovmf qemu-efi-aarch64 u-boot-qemu qemu-system-arm systemd-boot-efi
	ipxe-qemu pxelinux syslinux-common psmisc mmdebstrap ostree attr
	grub-common grub-efi-amd64-bin efitools sbsigntool
	qemu-user-static user-mode-linux gddrescue
	debhelper fakeroot lintian'

# machines of other CPUs than x86 and ARM
cpus='qemu-system-misc'

# flame graphs, which no test draws
bench='linux-perf libdevel-nytprof-perl'

# more servers of DHCP than the checks have
net='kea-dhcp4-server isc-dhcp-server isc-dhcp-relay'

# images that no check makes
images='mkosi'

# a distributed store
ceph='ceph-mon ceph-mgr ceph-osd ceph-common qemu-block-extra'

die()
{
	echo "deps: $*" >&2
	exit 1
}

list_only=
if [ "${1-}" = -l ]; then
	list_only=1
	shift
fi
[ $# -gt 0 ] || set -- build demo metal check
want=
for group; do
	case $group in
	build) want="$want $build" ;;
	demo) want="$want $demo" ;;
	metal) want="$want $metal" ;;
	unit) want="$want $unit" ;;
	check) want="$want $check" ;;
	cpus) want="$want $cpus" ;;
	bench) want="$want $bench" ;;
	net) want="$want $net" ;;
	images) want="$want $images" ;;
	ceph) want="$want $ceph" ;;
	*) die "no group \"$group\" (there are build, demo, metal, unit, check, cpus, bench, net, images, ceph)" ;;
	esac
done
# shellcheck disable=SC2086 # words on purpose
set -- $want

if [ "$list_only" ]; then
	printf '%s\n' "$@"
	exit 0
fi
command -v dpkg-query >/dev/null ||
	die "not a Debian system; install what these packages contain: $*"

# Lines "ii PACKAGE" for installed packages; unknown ones are reported on
# stderr.
have=$(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' "$@" \
	2>/dev/null || true)
missing=
for package; do
	case "
$have
" in
	*"
ii $package
"*) ;;
	*) missing="$missing $package" ;;
	esac
done
[ "$missing" ] || exit 0

if [ "$(id -u)" != 0 ]; then
	echo "deps: these packages are missing; as root:" >&2
	echo "apt-get update && apt-get install --no-install-recommends$missing"
	exit 1
fi

# A machine of CI is thrown away: it needs no manuals, which would be indexed, and
# its files need not outlive a crash.
fast=
[ "${CI-}" != true ] ||
	fast='-o DPkg::Options::=--force-unsafe-io
		-o DPkg::Options::=--path-exclude=/usr/share/man/*'

echo "deps: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Shows the output of a command only if the command fails.
quietly()
{
	DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null && return
	cat "$log" >&2
	die "\"$*\" failed (see above; is the package mirror reachable?)"
}
quietly apt-get -q update
# shellcheck disable=SC2086 # words on purpose
(set -f && quietly apt-get -q -y install --no-install-recommends $fast $missing)
