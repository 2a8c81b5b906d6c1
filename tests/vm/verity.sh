# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Images with a hash tree, and what spoils them.  Sourced, behind lib.sh.

tree=$work/tree
image=$work/image
verity_modules='nbd virtio_net virtio_pci squashfs overlay loop dm_mod dm_verity sha512_generic'

# make_tree: a root with a large file, whose ends can be found in an image
make_tree()
{
	root_tree "$tree" guest/verity.sh
	install -m 755 "$nbdboot" "$tree/bin/nbdboot"
	{
		echo BLOB-BEGINS-HERE
		head -c "${blob_size:-4M}" /dev/urandom
		echo BLOB-ENDS-HERE
	} >"$tree/etc/blob"
	{
		echo OTHER-BEGINS-HERE
		head -c 256K /dev/urandom
	} >"$tree/etc/other"
	blob=$(sha256sum "$tree/etc/blob" | cut -d ' ' -f 1)
	mksquashfs "$tree" "$work/plain" -quiet -no-progress -all-root -noD \
		-noF -noI -noappend >/dev/null
	size=$(stat -c %s "$work/plain")
	# blocks that hold nothing but the file
	first=$(($(offset BLOB-BEGINS-HERE) / 4096 + 1))
	last=$(($(offset BLOB-ENDS-HERE) / 4096 - 1))
}

# offset TEXT: where it is in the image
offset()
{
	LC_ALL=C grep -obaF "$1" "$work/plain" | sed -n '1s/:.*//p'
}

# format DATA HASH [OPTION...]: makes the tree, and sets roothash
format()
{
	roothash=$(veritysetup format "$@" | sed -n 's/^Root hash:[^0-9a-f]*//p')
	[ "$roothash" ] || die 'veritysetup failed'
}

# with_tree FILE [OPTION...]: the image, and the tree behind it
with_tree()
{
	cp "$work/plain" "$1"
	format "$1" "$@" --hash-offset="$size"
}

# flip FILE BYTE BIT: flips that bit
flip()
{
	was=$(od -An -tu1 -j "$2" -N 1 "$1")
	# shellcheck disable=SC2059 # the format is a byte
	printf "\\$(printf %o $((was ^ (1 << $3))))" |
		dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# spoil FILE N: flips one bit in each of N blocks of the large file, and makes
# FILE.read: what then can be read, with zeros for the rest
spoil()
{
	cp "$work/plain" "$1.read"
	seed=${SEED:-$(od -An -tu4 -N 4 /dev/urandom | tr -d ' ')}
	echo "# SEED=$seed"
	awk -v seed="$seed" -v n="$2" -v first="$first" -v last="$last" 'BEGIN {
		srand(seed)
		while (n && last - first + 1 > seen) {
			block = first + int(rand() * (last - first + 1))
			if (block in used)
				continue
			used[block]
			seen++
			n--
			print block * 4096 + int(rand() * 4096), int(rand() * 8)
		}
	}' >"$work/bits"
	while read -r byte bit; do
		flip "$1" "$byte" "$bit"
		dd if=/dev/zero of="$1.read" bs=4096 seek=$((byte / 4096)) \
			count=1 conv=notrunc status=none
	done <"$work/bits"
	readable=$(sha256sum "$1.read" | cut -d ' ' -f 1)
}

# serve_two BAD GOOD: two servers with these files.  Sets bad and good, their
# URIs, and with_bad
serve_two()
{
	serve 0 file "$1"
	bad=nbd://$host:$port/ with_bad=$server
	serve 0 file "$2"
	good=nbd://$host:$port/
}

unserve_two()
{
	unserve
	server=$with_bad
	unserve
}

# boot_from URIS WORDS...
boot_from()
{
	uris=$1
	shift
	vm_start "${ramfs:-$work/initramfs}" "root=$uris ip=$guest_ip loglevel=4 $*"
	vm_end
}

boot()
{
	vm_start "${ramfs:-$work/initramfs}" "root=nbd://$host:$port/ ip=$guest_ip \
loglevel=4 $*"
	vm_end
}

# refused SENTENCE REASON WORDS...: a boot that does not mount anything
refused()
{
	sentence=$1 reason=$2
	shift 2
	vm_start "${ramfs:-$work/initramfs}" "root=nbd://$host:$port/ ip=$guest_ip \
loglevel=4 $*"
	vm_wait '*nbdboot: next try in *' '*nbdboot: *Ctrl-Alt-Del*' \
		'*guest: *' || true
	vm_stop
	shows "$sentence" "$reason" '!guest:'
}
