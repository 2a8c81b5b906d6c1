#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Downloads Debian's kernel for the VMs as a package and unpacks it in a
# directory of the build; nothing is installed.  Prints two lines: the path of
# the kernel image and the path of its modules (.../lib/modules/VERSION).  For
# x86-64 the kernel itself lies beside the image, as vmlinux-VERSION.
#
#   kernel.sh DIR [SUITE [CPU]]
#
# The kernel comes from the sources of this system, or with the suite
# "backports" from the backports of its release, and with another one, as
# "testing", from that.  CPU is another one ("aarch64"): a static busybox for it
# is unpacked as well, as bin/busybox.
set -eu

dir=${1:?directory}
suite=${2-}
cpu=${3-}

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

# One at a time: what another script fetches now is there afterwards.
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9

if [ -e "$dir/version" ]; then
	show
	exit 0
fi

# depmod is in /sbin.
PATH=$PATH:/sbin:/usr/sbin

# The kernel that is packed in an image of x86-64, whose header has the length of
# the setup in sectors, and where the packed data lies.  QEMU starts it by its
# note of PVH: half of a machine's time up to process 1 would be the unpacking.
unpack()
{
	image=boot/vmlinuz-$1
	setup=$(od -An -tu1 -j 497 -N 1 "$image")
	# shellcheck disable=SC2046 # words on purpose
	set -- "$1" $(od -An -tu4 -j 584 -N 8 "$image")
	tail -c "+$(((setup + 1) * 512 + $2 + 1))" "$image" | head -c "$3" >packed
	case $(od -An -tx1 -N 4 packed) in
	' fd 37 7a 58') unpacker=xz ;;
	' 28 b5 2f fd') unpacker=zstd ;;
	*) return 0 ;;
	esac
	# what follows the packed data is no error
	"$unpacker" -qdc packed >"boot/vmlinux-$1" 2>/dev/null || true
	rm packed
}

# In the package depmod is left to the postinst script.  The last step: the file
# version marks the others as done.
finish()
{
	depmod -b "$PWD" "$1"
	[ "${cpu:-x86_64}" != x86_64 ] || unpack "$1"
	echo "$1" >version
}

if [ "$cpu$suite" ]; then
	busybox=${cpu:+busybox-static}
	case ${cpu:=x86_64} in
	x86_64) meta=linux-image-amd64 ;;
	aarch64) meta=linux-image-arm64 ;;
	armv7) meta=linux-image-armmp ;;
	i386) meta=linux-image-686-pae ;;
	riscv64 | s390x) meta=linux-image-$cpu ;;
	*) die "no kernel for $cpu" ;;
	esac
	if [ "$suite" = backports ]; then
		suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)-backports
	fi
	# shellcheck disable=SC2086 # a word or none
	FETCH_SUITE=$suite sh "${0%/*}/../port/linux/foreign.sh" "$cpu" "$dir" \
		"$meta" $busybox
	cd "$dir"
	# where Debian 14 has it
	if [ -d usr/lib/modules ]; then
		mkdir -p boot lib
		mv usr/lib/modules lib/
		for file in lib/modules/*/vmlinu?; do
			version=${file#lib/modules/}
			mv "$file" "boot/vmlinuz-${version%/*}"
		done
	fi
	if [ -e usr/bin/busybox ]; then
		mkdir -p bin
		mv usr/bin/busybox bin/
	fi
	set -- lib/modules/*
	finish "${1##*/}"
	show
	exit 0
fi

package=$(sh "${0%/*}/package.sh" "$dir" linux-image-amd64 \
	'linux-image-[0-9].*')
cd "$dir"
rm -rf usr
finish "${package#linux-image-}"
show
