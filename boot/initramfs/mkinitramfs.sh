#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Writes an initramfs that holds one program, nbdboot, and the kernel modules
# that it may need, without a shell or a library.
set -eu
umask 022

# shellcheck source=boot/initramfs/firmware.sh
. "${0%/*}/firmware.sh"
# shellcheck source=boot/initramfs/modules.sh
. "${0%/*}/modules.sh"
# shellcheck source=boot/initramfs/programs.sh
. "${0%/*}/programs.sh"

usage()
{
	cat <<END
usage: mkinitramfs.sh [-los] [-a DIR] [-b NBDBOOT] [-f DIR] [-k KERNEL]
                      [-m "MODULE..."] [-p LIST] [-r DIR] [-t DIR]
                      [-v HASH] [-w PROGRAM,...] [-x DIR] [-y FILE]
                      [-z gzip|zstd|none] FILE

Writes the initramfs FILE, a compressed cpio archive (newc), and prints the
size of its parts.  The same inputs give the same bytes: all files in it have
the date SOURCE_DATE_EPOCH (seconds since 1970), or 0.

  -b NBDBOOT  the program (default: nbdboot, found in PATH)
  -f DIR      firmware: the files in DIR that the modules name are added, and
              the others are listed (default: lib/firmware beside the
              lib/modules of the kernel)
  -k KERNEL   the version of a kernel ("6.1.0-56-amd64"), the path of its image,
              of its modules, or of a directory that holds lib/modules
              (default: the version of the running kernel)
  -l          only lists the modules: FILE is not written, and may be missing
  -m MODULES  names of modules, and directories of them ("drivers/net/phy/").
              The modules that they depend on are added, and so are nbd,
              af_packet (for DHCP) and tcp_diag (for the watcher).  The word
              "all", which is the default, stands for every network interface,
              in full these modules:
              network$nic_set
              buses$bus_set
              boards without an x86 CPU$board_set
              keyboards$key_set
              file systems$fs_set
              and the modules for TLS.  The word "auto" stands for those of them
              that the running machine needs, by its devices and loaded modules.
  -o          adds the module overlay, for nbdboot.overlay=
  -a DIR      adds the files in DIR, for example lib/firmware/..., or a static
              busybox for nbdboot.shell=.  Only root can read FILE if not all
              can read all of them
  -p LIST     adds the file LIST as /etc/nbdboot/prefetch, and the modules
              dm_mod, dm_mirror and loop: what a boot of the root reads, for
              nbdboot.prefetch=
  -r DIR      for "auto": DIR/sys and DIR/proc are those of the machine
  -s          no squashfs.  By default the word "all" puts most modules into one,
              compressed as -z says, so that the kernel does not unpack them all
              at each boot.  This needs mksquashfs, and the modules loop and
              squashfs of the kernel
  -t DIR      adds the files in DIR as /etc/nbdboot, for nbds://, and modules
              for TLS.  With tls-certificates=/etc/nbdboot the files are
              ca-cert.pem, client-cert.pem and client-key.pem, with
              tls-psk-file=/etc/nbdboot/NAME the pre-shared keys.  Only root can
              read them, and FILE.
  -v HASH     adds the root hash as /etc/nbdboot/roothash, and the module
              dm_verity: with it no root is mounted that is not verified
  -w LIST     adds programs of this system with their libraries, and the modules
              that they need; init runs them before it looks for the root:
              lvm, cryptsetup, mdadm and wpa_supplicant (802.1X)
  -x DIR      adds the files in DIR as /etc/8021x, for wpa_supplicant:
              wpa_supplicant.conf, and what that names
  -y FILE     adds FILE as the key of LUKS volumes, for cryptsetup, which asks
              for a passphrase otherwise.  Only root can read the initramfs
  -z FORMAT   the compression of FILE: gzip (the default), zstd (smaller; the
              kernel needs CONFIG_RD_ZSTD) or none

Compressed modules (.ko.xz, .ko.zst, .ko.gz) are decompressed first, as one
compression over all of them makes the archive smaller.
END
}

die()
{
	printf '%s\n' "mkinitramfs: $*" >&2
	exit 1
}

nbdboot='' kernel='' modules=all overlay='' add='' tls='' format=gzip prefetch=''
roothash='' with='' luks_key='' login=''
firmware='' list='' machine='' squash=1
while getopts a:b:f:k:lm:op:r:st:v:w:x:y:z:h opt; do
	case $opt in
	a) add=$OPTARG ;;
	b) nbdboot=$OPTARG ;;
	f) firmware=$OPTARG ;;
	k) kernel=$OPTARG ;;
	l) list=1 ;;
	m) modules=$OPTARG ;;
	o) overlay=overlay ;;
	p) prefetch=$OPTARG ;;
	r) machine=$OPTARG ;;
	s) squash='' ;;
	t) tls=$OPTARG ;;
	v) roothash=$OPTARG ;;
	w) with=$(printf '%s' "$OPTARG" | tr ',' ' ') ;;
	x) login=$OPTARG ;;
	y) luks_key=$OPTARG ;;
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
if [ $# != 1 ] && ! { [ "$list" ] && [ $# = 0 ]; }; then
	usage >&2
	exit 2
fi
out=${1-}

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

if ! [ "$list" ]; then
	[ "$nbdboot" ] || nbdboot=$(command -v nbdboot) ||
		die "no nbdboot in PATH; name it with -b"
	if ! [ -f "$nbdboot" ] || ! [ -x "$nbdboot" ]; then
		die "$nbdboot: not a program (run make first?)"
	fi
fi
case ${#roothash},$roothash in
*,*[!0-9a-fA-F]*) die "-v $roothash: not hexadecimal digits" ;;
0,* | 64,* | 128,*) ;;
*) die "-v $roothash: not 64 or 128 digits" ;;
esac
check_with
[ -z "$prefetch" ] || [ -f "$prefetch" ] || die "$prefetch: not a file"
for dir in "$add" "$firmware" "$login" "$machine" "$tls"; do
	[ -z "$dir" ] || [ -d "$dir" ] || die "$dir: not a directory"
done

# Prints the directory of the kernel's modules, .../lib/modules/VERSION.
modules_of()
{
	if [ -d "$1" ]; then
		for dir in "$1" "$1"/lib/modules/*; do
			[ ! -e "$dir/modules.dep" ] || printf '%s\n' "$dir"
		done
		return
	fi
	case $1 in
	*/*)
		version=${1##*/}
		version=${version#*-}
		# beside the modules, where Fedora and Debian 14 have it
		set -- "${1%/*}" "${1%/*}/../lib/modules/$version" \
			"/lib/modules/$version"
		;;
	*) set -- "/lib/modules/$1" ;;
	esac
	for dir; do
		if [ -e "$dir/modules.dep" ]; then
			printf '%s\n' "$dir"
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
	"$(printf '%s' "$dir" | tr '\n' ' ')" ;;
esac
dir=$(cd "$dir" && pwd -P)
version=${dir##*/}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/root"
root=$work/root
lib=$root/lib/modules/$version

# In awk: the name of the module in a file
# shellcheck disable=SC2016 # it is awk
base='
	function base(path) {
		sub(/:$/, "", path)
		sub(/.*\//, "", path)
		sub(/\.ko(\.(gz|xz|zst))?$/, "", path)
		gsub(/-/, "_", path)
		return path
	}'

# closure ASKED OPTIONAL ONLY: prints the paths of these modules and of their
# dependencies, as modules.dep has them.  ASKED must exist.  OPTIONAL and soft
# dependencies need not: some kernels have them built in, or leave them out.
# With ONLY, those of OPTIONAL are taken that are in this list.
closure()
{
	awk -v asked="$1" -v optional="$2" -v only="$3" \
		-v unknown="$work/unknown" "$base$(cat "${0%/*}/closure.awk")" \
		"$dir/modules.dep" "$dir/modules.builtin" "$dir/modules.alias" \
		"$dir/modules.softdep" "$weakdep"
}

# needs: prints the names of the modules that claim a device of the machine, and
# of those that it has loaded
needs()
{
	cat "$machine"/sys/bus/*/devices/*/modalias 2>/dev/null |
		sort -u >"$work/devices"
	[ -s "$work/devices" ] ||
		die "-m auto: no devices in ${machine:-}/sys (is it mounted?)"
	awk 'NR == FNR { device[NR] = $0; n = NR; next }
	$1 == "alias" {
		# a pattern of the shell as a regular expression
		bus = substr($2, 1, index($2, ":"))
		pattern = $2
		gsub(/[.^$+(){}|\\]/, "\\\\&", pattern)
		gsub(/\*/, ".*", pattern)
		gsub(/\?/, ".", pattern)
		for (i = 1; i <= n; i++)
			if (bus && index(device[i], bus) == 1 &&
			    device[i] ~ ("^" pattern "$")) {
				print $3
				break
			}
	}' "$work/devices" "$dir/modules.alias"
	cut -d ' ' -f 1 "$machine/proc/modules" 2>/dev/null || true
}

for file in dep builtin alias softdep; do
	[ -e "$dir/modules.$file" ] || die "$dir/modules.$file is missing"
done
weakdep=$dir/modules.weakdep # since kmod 33
[ -e "$weakdep" ] || weakdep=/dev/null
[ -z "$roothash" ] || overlay="$overlay dm_verity"
# DHCP needs packet sockets; tcp_diag reports which connections are alive;
# efivarfs has what nbdboot.efi hands over
asked="nbd $overlay" optional='af_packet tcp_diag efivarfs' only='' some=''
grep -q 'kernel/arch/x86/' "$dir/modules.dep" || bus_set=$bus_set$board_set
for name in $modules; do
	case $name in
	all | default) optional="$optional $nic_set$bus_set$key_set$fs_set$hash_set$tls_set" ;;
	auto)
		some="$nic_set$bus_set$key_set"
		optional="$optional ipv6 8021q $fs_set$hash_set$tls_set"
		needs >"$work/needs"
		only=$(tr '\n-' ' _' <"$work/needs")
		;;
	*) asked="$asked $name" ;;
	esac
done
for name in $with; do
	optional="$optional $(with_modules "$name" | tr '\n' ' ')"
done
[ -z "$tls" ] || optional="$optional $tls_set"
[ -z "$prefetch" ] || optional="$optional dm_mod dm_mirror loop"
case " $asked " in
*' dm_verity '* | *' dm-verity '*) optional="$optional $hash_set" ;;
esac
{
	closure "$asked" "$optional" '' && { [ -z "$some" ] ||
		closure nbd "$some" "$only"; }
} >"$work/all" 2>"$work/missing" ||
	die "kernel $version has no module $(cat "$work/missing")" \
		"(searched $dir)"
sort -u "$work/all" >"$work/list"
if [ "$list" ]; then
	cat "$work/list"
	exit
fi

# may_squash: is a squashfs wanted, and possible?
may_squash()
{
	[ "$squash" ] && [ "$format" != none ] &&
		command -v mksquashfs >/dev/null || return
	case " $modules " in
	*' all '* | *' default '*) ;;
	*) return 1 ;;
	esac
	for name in loop squashfs; do
		grep -q "/$name\.ko" "$work/list" "$dir/modules.builtin" || return
	done
}

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
	awk -v field="$2" "$base"'
	NR == FNR { here[base($1)] = 1; next }
	base($field) in here' "$work/list" "$dir/$1" >"$lib/$1"
}
filter modules.dep 1
sed 's/\.ko\.[a-z]*/.ko/g' "$lib/modules.dep" >"$work/dep"
cat "$work/dep" >"$lib/modules.dep"
filter modules.alias 3
# init matches only those of a device's bus; port/linux/module_alias.h
awk '{ bus = $2; sub(/[:*?[].*/, "", bus); gsub(/-/, "_", bus)
	print bus, $0 }' "$lib/modules.alias" |
	LC_ALL=C sort -s -t ' ' -k 1,1 | cut -d ' ' -f 2- >"$work/alias"
{
	echo '# by bus'
	cat "$work/alias"
} >"$lib/modules.alias"
filter modules.softdep 2
cat "$dir/modules.builtin" >"$lib/modules.builtin"

# A module names its firmware in its section .modinfo.
[ "$firmware" ] || firmware=$dir/../../firmware
while read -r path; do
	name=${path##*/}
	absent=
	tr '\0' '\n' <"$lib/${path%.ko*}.ko" |
		LC_ALL=C sed -n 's/^firmware=//p' | LC_ALL=C sort -u >"$work/named"
	while read -r file; do
		add_firmware "$file" || absent="$absent $file"
	done <"$work/named"
	[ -z "$absent" ] ||
		printf '%s\n' "missing firmware of ${name%.ko*}:$absent"
done <"$work/list" >"$work/absent"

if [ "$tls" ]; then
	mkdir -p "$root/etc"
	cp -rL "$tls" "$root/etc/nbdboot" || die "$tls: cannot be copied"
	chmod -R u=rwX,go= "$root/etc/nbdboot"
fi

if [ "$prefetch" ]; then
	mkdir -p "$root/etc/nbdboot"
	cp -L "$prefetch" "$root/etc/nbdboot/prefetch"
fi

if [ "$roothash" ]; then
	mkdir -p "$root/etc/nbdboot"
	printf '%s\n' "$roothash" >"$root/etc/nbdboot/roothash"
fi

# shellcheck disable=SC2086 # words on purpose
add_with $with

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
	part firmware "$root/lib/firmware"
	part credentials "$root/etc/nbdboot"
	[ ! -e "$work/with" ] || cat "$work/with"
	[ -z "$add" ] || part "$add" "$add"
}
parts >"$work/parts"

# squash: moves the modules that are not near into a squashfs
squash()
{
	closure 'loop squashfs nbd' "$near_set" '' |
		sed 's/\.ko\.[a-z]*$/.ko/' >"$work/near"
	sed 's/\.ko\.[a-z]*$/.ko/' "$work/list" |
		LC_ALL=C sort >"$work/files"
	LC_ALL=C sort "$work/near" | LC_ALL=C comm -13 - "$work/files" \
		>"$work/far"
	while read -r path; do
		mkdir -p "$work/image/${path%/*}"
		mv "$lib/$path" "$work/image/$path"
	done <"$work/far"
	awk 'NR == FNR { far[$1]; next }
	{
		for (i = 1; i <= NF; i++) {
			path = $i
			sub(/:$/, "", path)
			if (path in far)
				$i = "../more/" $i
		}
		print
	}' "$work/far" "$lib/modules.dep" >"$work/dep"
	cat "$work/dep" >"$lib/modules.dep"
	find "$work/image" -exec touch -h -d "@${SOURCE_DATE_EPOCH:-0}" {} +
	mkdir -p "$work/early/lib/modules/more"
	SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-0} mksquashfs "$work/image" \
		"$work/early/lib/modules/more.squashfs" -comp "$format" \
		-b 256K -all-root -no-xattrs -noappend >"$work/log" || {
		cat "$work/log" >&2
		die "mksquashfs failed"
	}
}

# archive DIR: prints the cpio archive of all files in it
archive()
{
	find "$1" -exec touch -h -d "@${SOURCE_DATE_EPOCH:-0}" {} +
	(cd "$1" && find . -mindepth 1 | sed 's,^\./,,' | LC_ALL=C sort |
		cpio --quiet -o -H newc -R 0:0 --reproducible)
}

! may_squash || squash
[ -z "$add" ] || cp -a "$add/." "$root/"
# what not all may read, or search, in the directory of -a
secret=$tls$luks_key$login
[ -z "$add" ] || secret=$secret$(find "$add/" -mindepth 1 ! -type l \
	\( ! -perm -004 -o -type d ! -perm -001 \) -print)
[ -z "$secret" ] || umask 077

# The same inputs give the same bytes: sorted, one date, no owners, no inodes.
# The kernel copies the first archive, which is not compressed, and unpacks the
# second.
archive "$root" >"$work/cpio"
: >"$work/out"
[ ! -d "$work/early" ] || archive "$work/early" >"$work/out"
case $format in
gzip) gzip -9n ;;
zstd) zstd -19 -q -c --no-progress --single-thread ;;
none) cat ;;
esac <"$work/cpio" >>"$work/out"
mkdir -p "$(dirname "$out")"
# If its disk is full, the file that is there stays.
trap 'rm -rf "$work"; rm -f "$out.new"' EXIT
{ cp -T --remove-destination "$work/out" "$out.new" &&
	mv -fT "$out.new" "$out"; } || die "$out: cannot be written"

[ ! -e "$work/unknown" ] || printf 'this kernel does not have: %s\n' \
	"$(sort -u "$work/unknown" | tr '\n' ' ')"
cat "$work/absent" "$work/parts"
printf '%10d  %s\n' "$(wc -c <"$work/cpio")" 'the archive'
if [ -d "$work/early" ]; then
	printf '%10d  %s\n' "$(wc -c <"$work/early/lib/modules/more.squashfs")" \
		"squashfs of $(grep -c . "$work/far") modules ($format)"
fi
printf '%10d  %s\n' "$(wc -c <"$out")" "compressed ($format)"
printf '%s: kernel %s, %s modules, %s\n' "$out" "$version" \
	"$(grep -c . "$work/list")" \
	"$(wc -c <"$out" | awk '{ printf "%.1f MiB", $1 / 1048576 }')"
