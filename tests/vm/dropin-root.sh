#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes a Debian root, with the initramfs of Debian's generators in it:
#
#   dropin-root.sh BASE DEBIAN MODULES [TREE [PACKAGE.deb...]]
#
# BASE is the root without our packages, which is made from DEBIAN once; it has
# those of Debian that PACKAGES names, too.  TREE is new: it has the packages, or
# Debian's nbd-client if there are none, and /boot/initrd.img-VERSION.  With
# nbdboot-dracut it also has those of dracut that MAKE names: dracut.img, plain.img
# (without systemd), networkd.img (with systemd-networkd) and module.img (with
# dracut's own module nbd, which calls nbd-client).  With volumes it has those of a
# system whose files in SKELETON name volumes: volumes.img of dracut, with ostree
# and verity, and luks.img of initramfs-tools.  All kernel modules but those of
# few_modules are in these, and in TREE only if MAKE has dep.  If it has ltsp, TREE
# has LTSP's client, and /boot/ltsp.img is its part of the initramfs.
set -eu

base=${1:?base} debian=${2:?Debian} modules=${3:?modules} root=${4-}
shift $(($# < 4 ? 3 : 4))
version=${modules##*/}
PATH=$PATH:/sbin:/usr/sbin

die()
{
	echo "dropin-root: $*" >&2
	exit 1
}

# Shows the output of a command only if the command fails.
quietly()
{
	"$@" >"$base.log" 2>&1 </dev/null && return
	tail -n 40 "$base.log" >&2
	die "\"$*\" failed (see above)"
}

# inside COMMAND...: in the root, with /proc and the kernel modules
inside()
{
	mkdir -p "$root$modules_in"
	# shellcheck disable=SC2016 # for the inner shell
	quietly unshare --mount --pid --fork --kill-child sh -c '
		root=$1 modules=$2
		shift 2
		mount -t proc proc "$root/proc" &&
			mount -t tmpfs tmpfs "$root/run" &&
			mount --bind "$modules" "$root$modules_in" &&
			exec chroot "$root" env -u TMPDIR DEBIAN_FRONTEND=noninteractive \
				LC_ALL=C "$@"' inside "$root" "$modules" "$@"
}
modules_in=/usr/lib/modules/$version
export modules_in

install_inside()
{
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	inside apt-get -q update
	inside apt-get -q -y install --no-install-recommends "$@"
	rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* \
		"$root"/usr/share/doc/* "$root"/usr/share/man/* \
		"$root"/usr/share/locale/*
}

# After Debian 13 there is no dhclient.
dhcp_client()
{
	case $(cat "$root/etc/debian_version") in
	12* | 13*) echo isc-dhcp-client ;;
	*) echo dhcpcd-base ;;
	esac
}

# few_modules: $modules is a copy of it without drivers of hardware that no machine
# here has.  They would be a third of an initramfs, which an emulated CPU is slow to
# load and to unpack.
few_modules()
{
	few=$base.modules/$version
	if [ ! -e "$few" ]; then
		new=$base.new/lib/modules/$version
		rm -rf "$base.new"
		mkdir -p "${new%/*}" "$base.modules"
		cp -a "$modules" "$new"
		(
			cd "$new/kernel"
			rm -rf sound
			cd drivers
			rm -rf gpu media infiniband iio staging comedi isdn \
				bluetooth hwmon net/wireless net/ethernet \
				scsi/[!sv]*
		)
		depmod -b "$base.new" "$version"
		mv "$new" "$few"
		rm -r "$base.new"
	fi
	modules=$few
}

# dracut-core has all of dracut but the hook that replaces initramfs-tools.
make_base()
{
	tree=$root root=$base.new
	rm -rf "$root"
	cp -a "$debian" "$root"
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	# shellcheck disable=SC2046,SC2086 # words on purpose
	install_inside initramfs-tools dracut-core dracut-network \
		$(dhcp_client) busybox zstd e2fsprogs iproute2 procps \
		${PACKAGES-}
	mv "$root" "$base"
	root=$tree
}

# make_dracut NAME ARGUMENT...: stock, but packed for speed, and with the drivers
# of any machine
make_dracut()
{
	name=$1
	shift
	inside dracut --no-hostonly --compress 'zstd -1 -T0' "$@" \
		"/boot/$name.img" "$version"
}

# An empty ltsp.conf is an error to ltsp.
make_ltsp()
{
	printf '%s\n' '[server]' '[clients]' >"$root/etc/ltsp/ltsp.conf"
	mkdir -p "$root/srv/tftp/ltsp"
	inside ltsp initrd
	mv "$root/srv/tftp/ltsp/ltsp.img" "$root/boot/"
}

[ -e "$base" ] || make_base
[ "$root" ] || exit 0
few_modules
cp -a "$base" "$root"
for kind in ${MAKE-}; do
	case $kind in
	dep) cp -a "$modules" "$root/usr/lib/modules/" ;;
	ltsp) install_inside ltsp ;;
	esac
done
printf '%s\n' COMPRESS=zstd COMPRESSLEVEL=1 \
	>"$root/etc/initramfs-tools/conf.d/fast"
printf '%s\n' CONFIG_BLK_DEV_INITRD=y CONFIG_RD_ZSTD=y \
	>"$root/boot/config-$version"
if [ $# = 0 ]; then
	install_inside nbd-client
else
	# a trigger of dpkg makes the image, of which there is one already
	: >"$root/boot/initrd.img-$version"
	mkdir "$root/debs"
	cp "$@" "$root/debs/"
	inside sh -c 'dpkg -i /debs/*.deb'
	rm -r "$root/debs"
fi
[ -s "$root/boot/initrd.img-$version" ] ||
	inside update-initramfs -c -k "$version"
for kind in ${MAKE-}; do
	case $kind in
	dracut)
		cp "${0%/*}/guest/hold.sh" "$root/boot/"
		make_dracut dracut --include /boot/hold.sh \
			/usr/lib/dracut/hooks/pre-trigger/00-hold.sh
		;;
	plain) make_dracut plain --add network-legacy \
		--omit 'systemd network-manager' ;;
	networkd) make_dracut networkd --add systemd-networkd \
		--omit 'network-manager network-legacy' ;;
	volumes)
		cp -a "${SKELETON:?}/." "$root/"
		make_dracut volumes --add 'ostree systemd-veritysetup' \
			--include /etc/keys /etc/keys
		inside mkinitramfs -o /boot/luks.img "$version"
		;;
	module)
		mkdir -p "$root/var/empty"
		make_dracut module --confdir /var/empty --add nbd \
			--omit nbdboot
		;;
	ltsp) make_ltsp ;;
	esac
done
