#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Writes an initramfs that holds one program, nbdboot, and the kernel modules
# that it may need, without a shell or a library.
set -eu
umask 022

# The words "auto" and "default" stand for all of these modules that the kernel
# has.
nic_set='
	virtio_net virtio_pci virtio_mmio vmxnet3 hv_netvsc pci_hyperv
	xen_netfront ena gve e1000 8139cp 8139too pcnet32 ne2k_pci
	e1000e igb igc r8169 tg3 bnx2 sky2 alx atl1c forcedeth atlantic
	ixgbe ixgbevf i40e iavf ice mlx4_en mlx5_core bnxt_en be2net
	bcmgenet xhci_pci r8152 ax88179_178a lan78xx smsc95xx ipv6
	8021q'
fs_set='
	ext4 xfs btrfs f2fs squashfs erofs vfat overlay
	nls_ascii nls_cp437 nls_iso8859_1 nls_utf8'

# The kernel encrypts nbds://, fast with the modules that suit its CPU.
tls_set='
	tls gcm ctr ghash_generic aesni_intel ghash_clmulni_intel
	aes_ce_blk aes_neon_blk ghash_ce chacha20poly1305 chacha chacha_generic
	chacha_x86_64 chacha_neon poly1305_generic poly1305_x86_64
	poly1305_neon poly1305_arm'

usage()
{
	cat <<END
usage: mkinitramfs.sh [-o] [-a DIR] [-b NBDBOOT] [-k KERNEL]
                      [-m "MODULE..."] [-t DIR] [-z gzip|zstd|none] FILE

Writes the initramfs FILE, a compressed cpio archive (newc), and prints the
size of its parts.  The same inputs give the same bytes: all files in it have
the date SOURCE_DATE_EPOCH (seconds since 1970), or 0.

  -b NBDBOOT  the program (default: nbdboot, found in PATH)
  -k KERNEL   the version of a kernel ("6.1.0-56-amd64"), the path of its image,
              of its modules, or of a directory that holds lib/modules
              (default: the version of the running kernel)
  -m MODULES  names of modules.  The modules that they depend on are added, and
              so are nbd, af_packet (for DHCP) and tcp_diag (for the watcher).
              The word "auto" (or "default"), which is also the default, stands
              for all modules that the kernel has of these:
              network cards$nic_set
              file systems$fs_set
              and the modules for TLS.  Some network cards (bnx2, tg3 and
              others) need firmware: add it with -a.
  -o          adds the module overlay, for nbdboot.overlay=
  -a DIR      adds the files in DIR, for example lib/firmware/..., or a static
              busybox for nbdboot.shell=
  -t DIR      adds the files in DIR as /etc/nbdboot, for nbds://, and modules
              for TLS.  With tls-certificates=/etc/nbdboot the files are
              ca-cert.pem, client-cert.pem and client-key.pem, with
              tls-psk-file=/etc/nbdboot/NAME the pre-shared keys.  Only root can
              read them, and FILE.
  -z FORMAT   the compression of FILE: gzip (the default), zstd (smaller; the
              kernel needs CONFIG_RD_ZSTD) or none

Compressed modules (.ko.xz, .ko.zst, .ko.gz) are decompressed first, as one
compression over all of them makes the archive smaller.
END
}

die()
{
	echo "mkinitramfs: $*" >&2
	exit 1
}

nbdboot='' kernel='' modules=auto overlay='' add='' tls='' format=gzip
while getopts a:b:k:m:ot:z:h opt; do
	case $opt in
	a) add=$OPTARG ;;
	b) nbdboot=$OPTARG ;;
	k) kernel=$OPTARG ;;
	m) modules=$OPTARG ;;
	o) overlay=overlay ;;
	t) tls=$OPTARG ;;
	z) format=$OPTARG ;;
	h)
		usage
		exit 0
		;;
	*)
		usage >&2
		exit 2
		;;
	esac
done
shift $((OPTIND - 1))
if [ $# != 1 ]; then
	usage >&2
	exit 2
fi
out=$1

need()
{
	for tool; do
		command -v "$tool" >/dev/null ||
			die "the program $tool is missing; install it"
	done
}

case $format in
gzip | zstd) need "$format" ;;
none) ;;
*) die "-z $format: not gzip, zstd or none" ;;
esac
need awk cpio sort

[ "$nbdboot" ] || nbdboot=$(command -v nbdboot) ||
	die "no nbdboot in PATH; name it with -b"
if ! [ -f "$nbdboot" ] || ! [ -x "$nbdboot" ]; then
	die "$nbdboot: not a program (run make first?)"
fi
for dir in "$add" "$tls"; do
	[ -z "$dir" ] || [ -d "$dir" ] || die "$dir: not a directory"
done

# Prints the directory of the kernel's modules, .../lib/modules/VERSION.
modules_of()
{
	if [ -d "$1" ]; then
		for dir in "$1" "$1"/lib/modules/*; do
			[ ! -e "$dir/modules.dep" ] || echo "$dir"
		done
		return
	fi
	case $1 in
	*/*)
		version=${1##*/}
		version=${version#*-}
		set -- "${1%/*}/../lib/modules/$version" "/lib/modules/$version"
		;;
	*) set -- "/lib/modules/$1" ;;
	esac
	for dir; do
		if [ -e "$dir/modules.dep" ]; then
			echo "$dir"
			return
		fi
	done
}

[ "$kernel" ] || kernel=$(uname -r)
dir=$(modules_of "$kernel")
case $dir in
'') die "kernel $kernel: no modules.dep there or in /lib/modules" \
	"(is that kernel installed? depmod makes the file)" ;;
*'
'*) die "kernel $kernel: it has modules of several kernels; name one of" \
	"$(echo "$dir" | tr '\n' ' ')" ;;
esac
dir=$(cd "$dir" && pwd -P)
version=${dir##*/}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/root"
root=$work/root
lib=$root/lib/modules/$version

# closure ASKED OPTIONAL: prints the paths of these modules and of their
# dependencies, as modules.dep has them.  ASKED must exist.  OPTIONAL and soft
# dependencies need not: some kernels have them built in, or leave them out.
closure()
{
	awk -v asked="$1" -v optional="$2" -v kernel="$version" '
	function base(path) {
		sub(/.*\//, "", path)
		sub(/\.ko(\.(gz|xz|zst))?$/, "", path)
		gsub(/-/, "_", path)
		return path
	}
	function add(name, needed,    n, i, part) {
		if (name in taken)
			return
		if (!(name in path)) {
			if (needed && !(name in builtin)) {
				missing = missing sep name
				sep = ", "
			}
			return
		}
		taken[name] = 1
		print path[name]
		n = split(deps[name], part, " ")
		for (i = 1; i <= n; i++)
			add(base(part[i]), 1)
		n = split(soft[name], part, " ")
		for (i = 1; i <= n; i++)
			add(part[i], 0)
	}
	FILENAME ~ /modules\.dep$/ {
		sub(/:$/, "", $1)
		name = base($1)
		path[name] = $1
		$1 = ""
		deps[name] = $0
	}
	FILENAME ~ /modules\.builtin$/ { builtin[base($1)] = 1 }
	# Many soft dependencies name an algorithm, such as crypto-crc32c.
	FILENAME ~ /modules\.alias$/ && $2 !~ /[:*]/ {
		gsub(/-/, "_", $2)
		alias[$2] = alias[$2] " " $3
	}
	FILENAME ~ /modules\.softdep$/ && $1 == "softdep" {
		for (i = 3; i <= NF; i++) {
			if ($i ~ /:$/)
				continue
			gsub(/-/, "_", $i)
			soft[$2] = soft[$2] " " $i alias[$i]
		}
	}
	END {
		gsub(/-/, "_", asked)
		n = split(asked, part, " ")
		for (i = 1; i <= n; i++)
			add(part[i], 1)
		n = split(optional, part, " ")
		for (i = 1; i <= n; i++)
			add(part[i], 0)
		if (missing) {
			print missing >"/dev/stderr"
			exit 1
		}
	}' "$dir/modules.dep" "$dir/modules.builtin" "$dir/modules.alias" \
		"$dir/modules.softdep"
}

# DHCP needs packet sockets; tcp_diag reports which connections are alive
asked="nbd $overlay" optional='af_packet tcp_diag'
for name in $modules; do
	case $name in
	auto | default) optional="$optional $nic_set$fs_set$tls_set" ;;
	*) asked="$asked $name" ;;
	esac
done
[ -z "$tls" ] || optional="$optional $tls_set"
for file in dep builtin alias softdep; do
	[ -e "$dir/modules.$file" ] || die "$dir/modules.$file is missing"
done
closure "$asked" "$optional" >"$work/list" 2>"$work/missing" ||
	die "kernel $version has no module $(cat "$work/missing")" \
		"(searched $dir)"

# The program, its mount points, the modules.  The archive that is built into
# the kernel has /dev/console already.
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/run" "$lib"
cp "$nbdboot" "$root/init"
chmod 755 "$root/init"
ln -s ../init "$root/bin/nbdboot"

# unpack MODULE: decompresses it to standard output
unpack()
{
	case $1 in
	*.gz) gzip -dc "$1" ;;
	*.xz) need xz && xz -dc "$1" ;;
	*.zst) need zstd && zstd -dcq "$1" ;;
	*) cat "$1" ;;
	esac
}

while read -r path; do
	mkdir -p "$lib/${path%/*}"
	unpack "$dir/$path" >"$lib/${path%.ko*}.ko" ||
		die "$dir/$path: cannot be read"
done <"$work/list"

# filter TABLE FIELD: copies the lines of modules that are in the archive; init
# reads the tables at each boot.
filter()
{
	awk -v field="$2" '
	function base(path) {
		sub(/:$/, "", path)
		sub(/.*\//, "", path)
		sub(/\.ko(\.(gz|xz|zst))?$/, "", path)
		gsub(/-/, "_", path)
		return path
	}
	NR == FNR { here[base($1)] = 1; next }
	base($field) in here' "$work/list" "$dir/$1" >"$lib/$1"
}
filter modules.dep 1
sed 's/\.ko\.[a-z]*/.ko/g' "$lib/modules.dep" >"$work/dep"
cat "$work/dep" >"$lib/modules.dep"
filter modules.alias 3
filter modules.softdep 2
cat "$dir/modules.builtin" >"$lib/modules.builtin"

if [ "$tls" ]; then
	mkdir -p "$root/etc"
	cp -rL "$tls" "$root/etc/nbdboot" || die "$tls: cannot be copied"
	chmod -R u=rwX,go= "$root/etc/nbdboot"
fi

# part NAME PATH...: prints the size of these files and directories
part()
{
	name=$1
	shift
	bytes=$(find "$@" -type f -exec cat {} + 2>/dev/null | wc -c)
	[ "$bytes" = 0 ] || printf '%10d  %s\n' "$bytes" "$name"
}

parts()
{
	part nbdboot "$root/init"
	part 'modules: network' "$lib/kernel/drivers/net" "$lib/kernel/net"
	part 'modules: file systems' "$lib/kernel/fs"
	# the rest is where the distribution wants it
	bytes=$(find "$lib" -name '*.ko' ! -path "$lib/kernel/drivers/net/*" \
		! -path "$lib/kernel/net/*" ! -path "$lib/kernel/fs/*" \
		-exec cat {} + | wc -c)
	printf '%10d  %s\n' "$bytes" 'modules: the rest'
	part 'tables of modules' "$lib"/modules.*
	part credentials "$root/etc/nbdboot"
	[ -z "$add" ] || part "$add" "$add"
}
parts >"$work/parts"

[ -z "$add" ] || cp -a "$add/." "$root/"
[ -z "$tls" ] || umask 077

# The same inputs give the same bytes: sorted, one date, no owners, no inodes.
find "$root" -exec touch -h -d "@${SOURCE_DATE_EPOCH:-0}" {} +
(cd "$root" && find . -mindepth 1 | sed 's,^\./,,' | LC_ALL=C sort |
	cpio --quiet -o -H newc -R 0:0 --reproducible) >"$work/cpio"
case $format in
gzip) gzip -9n <"$work/cpio" >"$work/out" ;;
zstd) zstd -19 -q -c --no-progress --single-thread <"$work/cpio" >"$work/out" ;;
none) cat "$work/cpio" >"$work/out" ;;
esac
mkdir -p "$(dirname "$out")"
mv "$work/out" "$out" || die "$out: cannot be written"

cat "$work/parts"
printf '%10d  %s\n' "$(wc -c <"$work/cpio")" 'the archive'
printf '%10d  %s\n' "$(wc -c <"$out")" "compressed ($format)"
echo "$out: kernel $version, $(grep -c . "$work/list") modules," \
	"$(wc -c <"$out" | awk '{ printf "%.1f MiB", $1 / 1048576 }')"
