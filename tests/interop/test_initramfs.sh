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
		drivers/gpu/gpu.ko; do
		module "kernel/$m"
	done
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
		kernel/drivers/gpu/gpu.ko:
	END
	cat >"$lib/modules.alias" <<-'END'
		alias virtio:d00000001v* virtio_net
		alias crypto-crc32c crc32c_generic
		alias fs-ext4 ext4
		alias pci:v1d2 gpu
	END
	echo 'softdep ext4 pre: crypto-crc32c' >"$lib/modules.softdep"
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

# yes SENTENCE COMMAND...
yes()
{
	sentence=$1
	shift
	if "$@"; then
		ok "$sentence"
	else
		not_ok "$sentence"
	fi
}

make_kernel

# ---- modules ----

build "$work/a.gz" -m 'virtio-net ext4'
expect 0 '7 modules' 'modules by name'
unpack "$work/a.gz"
has 'with what they depend on, softly too' nbd.ko tcp_diag.ko \
	virtio_net.ko failover.ko ext4.ko mbcache.ko crc32c_generic.ko
for m in drivers/net/virtio_net.ko.xz net/core/failover.ko.zst \
	fs/ext4/ext4.ko.gz; do
	yes "${m##*.} is taken off" cmp "$root/kernel/${m%.ko*}.ko" \
		"$work/${m##*/}.plain"
done
yes 'and off the names in modules.dep' grep -qx \
	'kernel/drivers/net/virtio_net.ko: kernel/net/core/failover.ko' \
	"$root/modules.dep"
if grep -q gpu "$root/modules.dep" "$root/modules.alias"; then
	not_ok 'the tables have what is there, and nothing else'
else
	yes 'the tables have what is there, and nothing else' \
		grep -q 'fs-ext4 ext4' "$root/modules.alias"
fi
yes 'the program is there' cmp "$nbdboot" "$work/root/init"

build "$work/auto.gz"
unpack "$work/auto.gz"
has 'auto is what the kernel has of the list' nbd.ko tcp_diag.ko \
	virtio_net.ko failover.ko 8021q.ko ext4.ko mbcache.ko crc32c_generic.ko \
	overlay.ko chacha.ko
build "$work/o.gz" -o -m ext4
unpack "$work/o.gz"
has '-o adds an overlay' nbd.ko tcp_diag.ko ext4.ko mbcache.ko \
	crc32c_generic.ko overlay.ko
build "$work/none.gz" -m 'nosuch ext4 missing'
expect 1 'has no module nosuch, missing' 'modules that are not there are named'
build "$work/builtin.gz" -m 'af_packet'
expect 0 '' 'a module that is built in is no mistake'

# ---- additions ----

mkdir -p "$work/tls" "$work/add/lib/firmware"
echo key >"$work/tls/client-key.pem"
echo blob >"$work/add/lib/firmware/blob"
chmod 644 "$work/tls/client-key.pem"
build "$work/tls.gz" -m ext4 -t "$work/tls" -a "$work/add"
expect 0 'credentials' 'credentials and a directory'
unpack "$work/tls.gz"
yes 'the credentials are for root alone' [ \
	"$(stat -c %a "$work/root/etc/nbdboot/client-key.pem" "$work/tls.gz" |
		tr '\n' ' ')" = '600 600 ' ]
has 'and the ciphers come along' nbd.ko tcp_diag.ko ext4.ko mbcache.ko \
	crc32c_generic.ko chacha.ko
yes 'the files of the directory are there' cmp "$work/add/lib/firmware/blob" \
	"$work/root/lib/firmware/blob"

# ---- formats, sizes ----

build "$work/a.zst" -z zstd -m ext4
expect 0 'compressed (zstd)' 'zstd'
unpack "$work/a.zst"
has 'holds the same' nbd.ko tcp_diag.ko ext4.ko mbcache.ko crc32c_generic.ko
build "$work/a.cpio" -z none -m ext4
expect 0 'compressed (none)' 'none'
yes 'is the archive that zstd compressed' sh -c \
	"zstd -dcq '$work/a.zst' | cmp - '$work/a.cpio'"
build "$work/a.lzma" -z lzma -m ext4
expect 1 'not gzip, zstd or none' 'a format that is none of them'
build "$work/sizes" -m 'virtio_net ext4'
bytes=$(wc -c <"$nbdboot")
yes 'the sizes of the parts are printed' [ "$(awk '$2 == "nbdboot" { n = $1 }
	/modules: network/ { n = n " " $1 } /modules: file/ { n = n " " $1 }
	/modules: the rest/ { n = n " " $1 } END { print n }' "$work/out")" = \
	"$bytes $(cat "$work"/virtio_net*.plain "$work"/failover*.plain \
		"$work"/tcp_diag*.plain | wc -c) $(cat "$work"/ext4*.plain \
		"$work"/mbcache*.plain | wc -c) $(cat "$work"/nbd*.plain "$work"/crc32c*.plain | wc -c)" ]
yes 'and of the file' grep -q "^ *$(wc -c <"$work/sizes")  compressed" \
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
yes 'SOURCE_DATE_EPOCH is the date of what is in it' [ \
	"$(stat -c %Y "$work/root/init")" = 1700000000 ]

finish
