#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian's kernel for the VMs, downloaded as a package and unpacked in a folder
# of the build; nothing is installed.  Prints two lines: the path of the kernel
# image and the path of its modules (.../lib/modules/VERSION).
#
#   kernel.sh FOLDER [backports]
#
# That of the system's sources; or a newer one, of the release's backports, by a
# list of sources of its own.
set -eu

dir=${1:?folder}
suite=${2-}
meta=linux-image-amd64
mirror=${KERNEL_MIRROR:-http://deb.debian.org/debian}

die()
{
	echo "kernel: $*" >&2
	exit 1
}

show()
{
	version=$(cat "$dir/version")
	echo "$dir/boot/vmlinuz-$version"
	echo "$dir/lib/modules/$version"
}

case $dir in
/*) ;;
*) dir=$PWD/$dir ;;
esac

if [ -e "$dir/version" ]; then
	show
	exit 0
fi

mkdir -p "$dir"
cd "$dir"
log=log
set -- -q -o APT::Sandbox::User=root
if [ "$suite" ]; then
	release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	echo "deb $mirror $release-$suite main" >sources.list
	mkdir -p lists/partial
	set -- "$@" -o Dir::Etc::sourcelist="$PWD/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$PWD/lists" \
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
fi

# The metapackage's dependency names the package that holds the files.
real_package()
{
	LC_ALL=C apt-cache "$@" depends --no-recommends --no-suggests "$meta" \
		2>"$log" |
		sed -n 's/^ *Depends: \(linux-image-[0-9].*\)$/\1/p' | head -n 1
}

# As root apt drops to the user _apt, who may not write to the folder, and
# says so; root keeps the work and the peace.
download()
{
	package=$(real_package "$@")
	[ "$package" ] || return 1
	echo "kernel: downloading $package" >&2
	apt-get "$@" download "$package" >"$log" 2>&1
}

rm -rf -- *.deb boot lib
if ! download "$@"; then
	# No lists yet, or lists older than what the mirror still has.
	[ "$(id -u)" = 0 ] && apt-get "$@" update >"$log" 2>&1
	if ! download "$@"; then
		cat "$log" >&2
		die "no $meta from apt (as root: apt-get update, then again)"
	fi
fi

dpkg-deb -x "$package"_*.deb .
rm -rf -- *.deb usr lists sources.list
version=${package#linux-image-}
# The package leaves this to its postinst.
PATH=$PATH:/sbin:/usr/sbin depmod -b "$PWD" "$version"
# The last step: the file says that all the others are done.
echo "$version" >version
rm -f "$log"
show
