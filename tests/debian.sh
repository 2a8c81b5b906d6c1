#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A Debian 12 root with systemd for the VMs: few packages, made once by
# debootstrap from the mirror that apt uses, in a folder of the build.  Must be
# root.  Prints the folder of the root.
#
#   debian.sh FOLDER
set -eu

dir=${1:?folder}
root=$dir/root
packages=systemd-sysv,udev,dbus,kmod,kexec-tools
# libpam-systemd is what debootstrap would not find by itself
packages=$packages,network-manager,libpam-systemd

die()
{
	echo "debian: $*" >&2
	exit 1
}

if [ -e "$dir/done" ]; then
	echo "$root"
	exit 0
fi
[ "$(id -u)" = 0 ] || die 'debootstrap has to be run by root'
PATH=$PATH:/sbin:/usr/sbin
command -v debootstrap >/dev/null || die 'debootstrap is missing (make deps)'

mkdir -p "$dir"
rm -rf "$root"
# The first mirror of apt that has main for this release.
# shellcheck disable=SC2016 # names of apt
mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(COMPONENT)' \
	'Created-By: Packages' 2>/dev/null |
	awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
mirror=${mirror:-http://deb.debian.org/debian}
echo "debian: bookworm from $mirror" >&2
debootstrap --variant=minbase --include="$packages" bookworm "$root" \
	"$mirror" >"$dir/log" 2>&1 || {
	tail -n 20 "$dir/log" >&2
	die "debootstrap failed (is $mirror reachable?)"
}

# What no boot needs is half of it.
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* \
	"$root"/usr/share/doc/* "$root"/usr/share/man/* \
	"$root"/usr/share/locale/* "$root"/usr/share/zoneinfo/* \
	"$root"/usr/share/i18n/* "$root"/usr/lib/x86_64-linux-gnu/gconv/*
# This is no first boot, and nobody is asked anything.
echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
echo nbdboot-test >"$root/etc/hostname"
# Who is to manage the network is on the kernel command line of a test.
rm "$root"/etc/systemd/system/*.wants/NetworkManager*
# The last step: the file says that all the others are done.
: >"$dir/done"
echo "$root"
