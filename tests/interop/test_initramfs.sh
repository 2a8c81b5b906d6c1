#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# mkinitramfs.sh, with a small kernel made for the test: the contents, and the
# same bytes each time.
O=${1:-build}
. "${0%/*}/../tap.sh"
script=$PWD/boot/initramfs/mkinitramfs.sh
nbdboot=$O/nbdboot
lib=$work/kernel/lib/modules/6.9-test

# module PATH: makes one with unique bytes, compressed as the ending says
module()
{
	mkdir -p "$lib/${1%/*}"
	plain=$lib/${1%.ko*}.ko
	seq 1 500 | sed "s,\$, of $1," >"$plain"
	cp "$plain" "$work/${1##*/}.plain"
	case $1 in
	*.xz) xz "$plain" ;;
	*.zst) zstd -q --rm "$plain" ;;
	*.gz) gzip "$plain" ;;
	esac
}

make_kernel()
{
	for m in drivers/block/nbd.ko drivers/net/virtio_net.ko.xz \
		net/core/failover.ko.zst fs/ext4/ext4.ko.gz fs/mbcache.ko \
		net/8021q/8021q.ko net/ipv4/tcp_diag.ko fs/overlayfs/overlay.ko.xz \
		lib/crc32c_generic.ko.xz crypto/chacha.ko.xz \
		drivers/net/ethernet/acme/acme-net.ko drivers/net/phy/acme_phy.ko \
		drivers/hid/hid-generic.ko drivers/net/wireless/acme_wifi.ko \
		drivers/gpu/gpu.ko; do
		module "kernel/$m"
	done
	# modinfo(8) reads this, too
	printf '\0firmware=acme/one.bin\0firmware=acme/two.bin\0license=GPL\0' \
		>>"$lib/kernel/drivers/net/ethernet/acme/acme-net.ko"
	cat >"$lib/modules.dep" <<-'END'
		kernel/drivers/block/nbd.ko:
		kernel/net/core/failover.ko.zst:
		kernel/net/8021q/8021q.ko:
		kernel/net/ipv4/tcp_diag.ko:
		kernel/drivers/net/virtio_net.ko.xz: kernel/net/core/failover.ko.zst
		kernel/fs/mbcache.ko:
		kernel/fs/ext4/ext4.ko.gz: kernel/fs/mbcache.ko
		kernel/fs/overlayfs/overlay.ko.xz:
		kernel/lib/crc32c_generic.ko.xz:
		kernel/crypto/chacha.ko.xz:
		kernel/drivers/net/ethernet/acme/acme-net.ko:
		kernel/drivers/net/phy/acme_phy.ko:
		kernel/drivers/hid/hid-generic.ko:
		kernel/drivers/net/wireless/acme_wifi.ko:
		kernel/drivers/gpu/gpu.ko:
	END
	cat >"$lib/modules.alias" <<-'END'
		alias virtio:d00000001v* virtio_net
		alias crypto-crc32c crc32c_generic
		alias fs-ext4 ext4
		alias pci:v00000001d00000002sv*sd*bc*sc*i* gpu
		alias pci:v0000ACE1d0000000?sv*sd*bc*sc*i* acme_net
	END
	echo 'softdep ext4 pre: crypto-crc32c' >"$lib/modules.softdep"
	echo 'weakdep acme_net acme_phy' >"$lib/modules.weakdep"
	echo kernel/net/packet/af_packet.ko >"$lib/modules.builtin"
}

# build FILE ARGUMENT...
build()
{
	file=$1
	shift
	run sh "$script" -b "$nbdboot" -k "$work/kernel" "$@" "$file"
}

# unpack FILE: into $work/root
unpack()
{
	rm -rf "$work/root"
	mkdir "$work/root"
	case $1 in
	*.gz) gzip -dc "$1" ;;
	*.zst) zstd -dcq "$1" ;;
	*) cat "$1" ;;
	esac | (cd "$work/root" && cpio --quiet -idm)
	root=$work/root/lib/modules/6.9-test
}

# has SENTENCE FILE...: these modules, and no others
has()
{
	sentence=$1
	shift
	(cd "$root" && find . -name '*.ko*' | sed 's,.*/,,' | sort) \
		>"$work/got"
	printf '%s\n' "$@" | sort >"$work/want"
	if cmp -s "$work/got" "$work/want"; then
		ok "$sentence"
	else
		not_ok "$sentence"
		diff "$work/got" "$work/want" | sed 's/^/# /'
	fi
}

make_kernel

# ---- where it is written ----

mkdir "$work/small"
# shellcheck disable=SC2016 # expanded by the inner shell
run unshare -m sh -c 'mount -t tmpfs -o size=64k small "$0" && cd "$0" &&
	echo old >a.gz && ! "$@" "$0/a.gz" && ls -x && exec cat a.gz' \
	"$work/small" sh "$script" -b "$nbdboot" -k "$work/kernel" -m ext4
expect 0 'a.gz: cannot be written' 'a disk that is full is reported'
check 'and the initramfs that was there stays, alone' \
	[ "$(tr '\n' ' ' <"$work/out")" = 'a.gz old ' ]
build "$work/small" -m ext4
expect 1 'small: cannot be written' 'a directory in place of the file is refused'
check 'and nothing is written into it' [ ! "$(ls -A "$work/small")" ]

# ---- modules ----

build "$work/a.gz" -m 'virtio-net ext4'
expect 0 '7 modules' 'modules by name'
unpack "$work/a.gz"
has 'with what they depend on, softly too' nbd.ko tcp_diag.ko \
	virtio_net.ko failover.ko ext4.ko mbcache.ko crc32c_generic.ko
for m in drivers/net/virtio_net.ko.xz net/core/failover.ko.zst \
	fs/ext4/ext4.ko.gz; do
	check "${m##*.} is taken off" cmp "$root/kernel/${m%.ko*}.ko" \
		"$work/${m##*/}.plain"
done
check 'and off the names in modules.dep' grep -qx \
	'kernel/drivers/net/virtio_net.ko: kernel/net/core/failover.ko' \
	"$root/modules.dep"
if grep -q gpu "$root/modules.dep" "$root/modules.alias"; then
	not_ok 'the tables have what is there, and nothing else'
else
	check 'the tables have what is there, and nothing else' \
		grep -q 'fs-ext4 ext4' "$root/modules.alias"
fi
check 'the aliases are grouped by bus' [ "$(cut -d ' ' -f 2 \
	"$root/modules.alias" | cut -d : -f 1 | tr '\n' ' ')" = \
	'by crypto-crc32c fs-ext4 virtio ' ]
check 'the program is there' cmp "$nbdboot" "$work/root/init"

build "$work/auto.gz"
unpack "$work/auto.gz"
has 'the default is every network interface, keyboards and file systems' \
	nbd.ko tcp_diag.ko virtio_net.ko failover.ko 8021q.ko ext4.ko mbcache.ko \
	crc32c_generic.ko overlay.ko chacha.ko acme-net.ko acme_phy.ko \
	hid-generic.ko
check 'words for which the kernel has nothing are named' grep -q \
	'^this kernel does not have:.* drivers/net/usb/ .*vmd' "$work/out"
build "$work/tree.gz" -m 'drivers/net/ethernet/'
unpack "$work/tree.gz"
has 'a directory of modules, with weak dependencies' nbd.ko tcp_diag.ko \
	acme-net.ko acme_phy.ko
build "$work/none.gz" -m 'drivers/net/wan/ ext4'
expect 1 'has no module drivers/net/wan/' 'a directory without modules is named'
run sh "$script" -k "$work/kernel" -l -m 'ext4'
expect 0 'kernel/fs/ext4/ext4.ko.gz' '-l lists modules, and needs no program'
cp "$work/out" "$work/listed"
mkdir -p "$work/kernel/boot"
for image in lib/modules/6.9-test/vmlinuz boot/vmlinuz-6.9-test; do
	: >"$work/kernel/$image"
	run sh "$script" -k "$work/kernel/$image" -l -m 'ext4'
	check "the kernel by its image, $image" cmp "$work/listed" "$work/out"
	rm "$work/kernel/$image"
done

# a machine with one network interface and two modules loaded
mkdir -p "$work/machine/proc" "$work/machine/sys/bus/pci/devices/0"
echo 'pci:v0000ACE1d00000007sv00000000sd00000000bc02sc00i00' \
	>"$work/machine/sys/bus/pci/devices/0/modalias"
printf '%s 1 0 - Live 0x0\n' hid_generic gpu >"$work/machine/proc/modules"
build "$work/here.gz" -m auto -r "$work/machine"
unpack "$work/here.gz"
has 'auto is what the machine needs of that' nbd.ko tcp_diag.ko acme-net.ko \
	acme_phy.ko hid-generic.ko 8021q.ko ext4.ko mbcache.ko crc32c_generic.ko \
	overlay.ko chacha.ko
mkdir "$work/nowhere"
build "$work/here.gz" -m auto -r "$work/nowhere"
expect 1 'no devices in' 'auto without a machine is an error'

# ---- an image of modules ----

cp -a "$work/kernel" "$work/squash"
lib=$work/squash/lib/modules/6.9-test
for m in drivers/block/loop.ko fs/squashfs/squashfs.ko.xz; do
	module "kernel/$m"
	echo "kernel/$m:" >>"$lib/modules.dep"
done
build "$work/image.zst" -k "$work/squash" -z zstd -s
unpack "$work/image.zst"
check 'without a squashfs the archive holds all modules' \
	test -e "$root/kernel/drivers/net/phy/acme_phy.ko"
build "$work/image.zst" -k "$work/squash" -z zstd
expect 0 'modules (zstd)' 'most modules are in a squashfs'
# the archive in front, and the compressed one behind it
rm -rf "$work/early"
mkdir "$work/early"
(cd "$work/early" && cpio --quiet -idm) <"$work/image.zst"
blocks=$(cpio -it <"$work/image.zst" 2>&1 >"$work/names" | sed 's/ .*//')
tail -c +$((blocks * 512 + 1)) "$work/image.zst" >"$work/behind.zst"
unpack "$work/behind.zst"
has 'beside it are those of the image itself and of a virtual machine' \
	nbd.ko loop.ko squashfs.ko tcp_diag.ko virtio_net.ko failover.ko \
	ext4.ko mbcache.ko crc32c_generic.ko overlay.ko
check 'modules.dep says which are where' [ "$(grep -c '^\.\./more/kernel/' \
	"$root/modules.dep")" = "$(unsquashfs -l \
	"$work/early/lib/modules/more.squashfs" | grep -c '\.ko$')" ]
check 'it has a place for the mount' test -d "$work/early/lib/modules/more"
lib=$work/kernel/lib/modules/6.9-test

# ---- firmware ----

mkdir -p "$work/firmware/acme"
echo one >"$work/firmware/acme/one.bin"
xz "$work/firmware/acme/one.bin"
build "$work/fw.gz" -m acme-net -f "$work/firmware"
expect 0 'missing firmware of acme-net: acme/two.bin' 'missing firmware is listed'
unpack "$work/fw.gz"
check 'and the other is there, unpacked' [ \
	"$(cat "$work/root/lib/firmware/acme/one.bin")" = one ]
mkdir -p "$work/kernel/lib/firmware/acme"
echo two >"$work/kernel/lib/firmware/acme/two.bin"
build "$work/fw.gz" -m acme-net
expect 0 'missing firmware of acme-net: acme/one.bin' \
	'firmware is looked for beside the modules'
rm -r "$work/kernel/lib/firmware"
# a name of the module may be a pattern, which is not one of files here
printf '\0firmware=acme/four*.bin\0firmware=*.tmp\0' \
	>>"$lib/kernel/drivers/net/ethernet/acme/acme-net.ko"
mkdir -p "$work/firmware/updates/acme" "$work/firmware/updates/6.9-test/acme"
echo new >"$work/firmware/updates/acme/one.bin"
echo old >"$work/firmware/acme/four-a.bin"
echo newest >"$work/firmware/updates/6.9-test/acme/four-a.bin"
xz -c "$work/firmware/updates/acme/one.bin" >"$work/firmware/acme/four-b.bin.xz"
: >"$work/here.tmp"
# shellcheck disable=SC2016 # expanded by the inner shell
run sh -c 'cd "$1" && shift && exec "$@"' sh "$work" sh "$script" \
	-b "$nbdboot" -k "$work/kernel" -m acme-net -f "$work/firmware" "$work/fw.gz"
expect 0 'missing firmware of acme-net: *.tmp acme/two.bin' \
	'a pattern that no firmware matches is listed as it is'
unpack "$work/fw.gz"
check 'firmware is taken from updates/ first, and by a pattern' \
	[ "$(cd "$work/root/lib/firmware" && find . -type f | sort |
		xargs cat | tr '\n' ' ')" = 'newest new new ' ]
echo cut >"$work/firmware/acme/two.bin.xz"
build "$work/fw.gz" -m acme-net -f "$work/firmware"
expect 1 'two.bin.xz: cannot be read' 'firmware that is damaged is an error'
build "$work/o.gz" -o -m ext4
unpack "$work/o.gz"
has '-o adds an overlay' nbd.ko tcp_diag.ko ext4.ko mbcache.ko \
	crc32c_generic.ko overlay.ko
build "$work/none.gz" -m 'nosuch ext4 missing'
expect 1 'has no module nosuch, missing' 'modules that are not there are named'
build "$work/builtin.gz" -m 'af_packet'
expect 0 '' 'a module that is built in is no mistake'

# ---- coverage: every network driver of a distribution's kernel ----

# These drive no interface that a machine boots from: other kinds of links, what
# only exists in software, and the other end of a virtual interface; the last
# ones are libraries, which come along with the drivers that depend on them.
other='appletalk/ arcnet/ can/ dummy.ko eql.ko fddi/ geneve.ko gtp.ko hamradio/
	hippi/ ieee802154/ ifb.ko ipvlan/ macvlan.ko macvtap.ko mhi_net.ko
	netconsole.ko nlmon.ko plip/ ppp/ sb1000.ko slip/ tap.ko team/ tun.ko
	veth.ko vrf.ko vsockmon.ko vxlan/ wan/ wireguard/ wireless/ wwan/
	xen-netback/ macsec.ko mdio.ko mii.ko net_failover.ko sungem_phy.ko'

# covers SENTENCE FILE: of the paths in FILE, all below drivers/net are taken
covers()
{
	all=$work/all/lib/modules/6.9-all
	rm -rf "$work/all"
	mkdir -p "$all"
	sed -n 's,:.*,,; s,.*\(kernel/drivers/net/.*\),\1:,p' "$2" \
		>"$all/modules.dep"
	echo 'kernel/drivers/block/nbd.ko:' >>"$all/modules.dep"
	touch "$all/modules.builtin" "$all/modules.alias" "$all/modules.softdep"
	sh "$script" -k "$work/all" -l | sort >"$work/taken"
	sed 's/:$//' "$all/modules.dep" | sort | comm -23 - "$work/taken" |
		sed 's,.*drivers/net/,,' >"$work/left"
	for name in $other; do
		grep -v "^$name" "$work/left" >"$work/more" || true
		mv "$work/more" "$work/left"
	done
	n=$(grep -c drivers/net/ "$work/taken")
	if [ ! -s "$work/left" ] && [ "$n" -gt 150 ]; then
		ok "$1 ($n modules)"
	else
		not_ok "$1: $n taken"
		show "$work/left"
	fi
}

kernel=$(sh tests/kernel.sh "$O/kernel" | sed -n 2p)
covers 'every network driver of Debian for amd64' "$kernel/modules.dep"
# of the package linux-image-6.1.0-50-arm64, by dpkg-deb -c
covers 'every network driver of Debian for arm64' \
	"${0%/*}/drivers-net.arm64"

# ---- additions ----

mkdir -p "$work/tls" "$work/add/lib/firmware"
echo key >"$work/tls/client-key.pem"
echo blob >"$work/add/lib/firmware/blob"
chmod 644 "$work/tls/client-key.pem"
build "$work/tls.gz" -m ext4 -t "$work/tls" -a "$work/add"
expect 0 'credentials' 'credentials and a directory'
unpack "$work/tls.gz"
check 'the credentials are for root alone' [ \
	"$(stat -c %a "$work/root/etc/nbdboot/client-key.pem" "$work/tls.gz" |
		tr '\n' ' ')" = '600 600 ' ]
has 'and the ciphers come along' nbd.ko tcp_diag.ko ext4.ko mbcache.ko \
	crc32c_generic.ko chacha.ko
check 'the files of the directory are there' cmp "$work/add/lib/firmware/blob" \
	"$work/root/lib/firmware/blob"
build "$work/add.gz" -m ext4 -a "$work/add"
check 'all may read what all could read before' [ "$(stat -c %a "$work/add.gz")" = 644 ]
mkdir -p "$work/private/root/.ssh"
for mode in 600:700 600:755 644:700; do
	echo x >"$work/private/root/.ssh/keys"
	chmod "${mode#*:}" "$work/private/root"
	chmod "${mode%:*}" "$work/private/root/.ssh/keys"
	build "$work/add.gz" -m ext4 -a "$work/private"
	check "a private file in it makes the initramfs private ($mode)" \
		[ "$(stat -c %a "$work/add.gz")" = 600 ]
done

# ---- formats, sizes ----

build "$work/a.zst" -z zstd -m ext4
expect 0 'compressed (zstd)' 'zstd'
unpack "$work/a.zst"
has 'holds the same' nbd.ko tcp_diag.ko ext4.ko mbcache.ko crc32c_generic.ko
build "$work/a.cpio" -z none -m ext4
expect 0 'compressed (none)' 'none'
check 'is the archive that zstd compressed' sh -c \
	"zstd -dcq '$work/a.zst' | cmp - '$work/a.cpio'"
build "$work/a.lzma" -z lzma -m ext4
expect 1 'not gzip, zstd or none' 'an unknown format'
build "$work/sizes" -m 'virtio_net ext4'
bytes=$(wc -c <"$nbdboot")
check 'the sizes of the parts are printed' [ "$(awk '$2 == "nbdboot" { n = $1 }
	/modules: network/ { n = n " " $1 } /modules: file/ { n = n " " $1 }
	/modules: the rest/ { n = n " " $1 } END { print n }' "$work/out")" = \
	"$bytes $(cat "$work"/virtio_net*.plain "$work"/failover*.plain \
		"$work"/tcp_diag*.plain | wc -c) $(cat "$work"/ext4*.plain \
		"$work"/mbcache*.plain | wc -c) $(cat "$work"/nbd*.plain "$work"/crc32c*.plain | wc -c)" ]
check 'and of the file' grep -q "^ *$(wc -c <"$work/sizes")  compressed" \
	"$work/out"

# ---- the same bytes ----

# same SENTENCE FILE: equal to the first archive
same()
{
	if [ "$status" = 0 ] && cmp "$work/first" "$2"; then
		ok "$1"
	else
		not_ok "$1"
		show "$work/err"
	fi
}

for format in gzip zstd none; do
	all="-z $format -o -t $work/tls -a $work/add"
	# shellcheck disable=SC2086 # words on purpose
	build "$work/first" $all
	# shellcheck disable=SC2086
	build "$work/again" $all
	same "the same bytes again, $format" "$work/again"
done
# made in another order, with other dates, modes and paths
mkdir "$work/other" "$work/elsewhere"
(cd "$work" && find kernel tls add | sort -r | cpio --quiet -pd other) \
	2>/dev/null
find "$work/other" -exec touch -d '2001-02-03' {} +
find "$work/other/kernel" -type f -exec chmod 600 {} +
chmod 400 "$work/other/tls/client-key.pem"
here=$PWD
case $nbdboot in
/*) ;;
*) nbdboot=$here/$nbdboot ;;
esac
cp "$nbdboot" "$work/elsewhere/program"
cd "$work/elsewhere"
umask 077
export TMPDIR="$work/elsewhere"
run sh "$script" -b ./program -k ../other/kernel/lib/modules/6.9-test \
	-z none -o -t ../other/tls -a ../other/add ./file
cd "$here"
same 'the same bytes from another directory, with other dates and modes' \
	"$work/elsewhere/file"
SOURCE_DATE_EPOCH=1700000000 sh "$script" -b "$nbdboot" -k "$work/kernel" \
	-z none "$work/dated" >/dev/null
unpack "$work/dated"
check 'SOURCE_DATE_EPOCH is the date of what is in it' [ \
	"$(stat -c %Y "$work/root/init")" = 1700000000 ]

# ---- a root hash ----

hash=$(seq 1 32 | awk '{ printf "%02x", $1 }')
run sh "$script" -b "$nbdboot" -k "$work/kernel" -v "${hash%?}" "$work/out"
expect 1 'not 64 or 128 digits' 'a root hash that is cut off is refused'
run sh "$script" -b "$nbdboot" -k "$work/kernel" -v "${hash%?}g" "$work/out"
expect 1 'not hexadecimal digits' 'and one with another digit'
run sh "$script" -b "$nbdboot" -k "$work/kernel" -v "$hash" "$work/out"
expect 1 'has no module dm_verity' 'a kernel without dm_verity is refused'
echo kernel/drivers/md/dm-verity.ko >>"$lib/modules.builtin"
build "$work/hashed" -z none -v "$hash"
unpack "$work/hashed"
check 'the root hash is in the initramfs' [ \
	"$(cat "$work/root/etc/nbdboot/roothash")" = "$hash" ]

# ---- programs ----

run sh "$script" -b "$nbdboot" -k "$work/kernel" -w lvm,dmraid "$work/out"
expect 1 '-w dmraid: not one of lvm cryptsetup mdadm wpa_supplicant' \
	'a program that is not known is refused'
echo secret >"$work/key"
run sh "$script" -b "$nbdboot" -k "$work/kernel" -w lvm -y "$work/key" \
	"$work/out"
expect 1 'this is for -w cryptsetup' 'a key that nothing uses is refused'
build "$work/with" -z none -w lvm,cryptsetup,mdadm -y "$work/key"
unpack "$work/with"
# shellcheck disable=SC2016 # for the shell inside
for name in lvm cryptsetup mdadm; do
	check "$name is there, with its libraries" sh -c \
		'for file in $(ldd "$1/sbin/$2" | grep -o "/[^ ]*"); do
			[ -s "$1$file" ] || exit
		done' sh "$work/root" $name
done
# shellcheck disable=SC2016 # for the shell inside
check 'each line of the list names a program that is there' sh -c \
	'while read -r _ _ program _; do
		[ "$program" = /sbin/modprobe ] || [ -x "$1$program" ] || exit
	done <"$1/etc/nbdboot/programs"' sh "$work/root"
check 'the key is for root alone' [ \
	"$(stat -c %a "$work/root/etc/nbdboot/luks.key" "$work/with" |
		tr '\n' ' ')" = '400 600 ' ]
check 'the sizes of the programs are printed' [ \
	"$(grep -c ' with its libraries$' "$work/out")" = 3 ]

mkdir "$work/login"
run sh "$script" -b "$nbdboot" -k "$work/kernel" -w wpa_supplicant "$work/out"
expect 1 'its configuration is missing' 'wpa_supplicant without -x is refused'
run sh "$script" -b "$nbdboot" -k "$work/kernel" -w wpa_supplicant \
	-x "$work/login" "$work/out"
expect 1 'no wpa_supplicant.conf in it' 'a directory without it is refused'
echo 'network={}' >"$work/login/wpa_supplicant.conf"
run sh "$script" -b "$nbdboot" -k "$work/kernel" -x "$work/login" "$work/out"
expect 1 'this is for -w wpa_supplicant' 'a login that nothing uses is refused'
build "$work/with" -z none -w wpa_supplicant -x "$work/login"
unpack "$work/with"
# shellcheck disable=SC2016 # for the shell inside
check 'wpa_supplicant has a root of its own, with its libraries' sh -c \
	'for file in $(ldd "$1/sbin/wpa_supplicant" | grep -o "/[^ ]*"); do
		[ -s "$1$file" ] || exit
	done' sh "$work/root/8021x"
check 'the configuration is for root alone' [ \
	"$(stat -c %a "$work/root/8021x/etc/8021x/wpa_supplicant.conf" \
		"$work/with" | tr '\n' ' ')" = '600 600 ' ]

finish
