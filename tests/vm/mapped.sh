# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# Scripts as they are, but with the roots of their machines on a mapping, as with
# nbdboot.prefetch=0ms: MAPPED=plain, or MAPPED=tls for servers that require TLS as
# well.  make soak-mapped runs them.  Sourced by lib.sh, and without MAPPED it does
# nothing.
#
# Each file system has a list of blocks all over itself in it, so that some of what
# is read and written is in RAM, and some is not.  It has no effect if the root is
# written to during a slow fetch: then the mapping is one to one.

# the disk of a root, and the name that lsblk has for it
root_disk=/dev/nbd0 root_layer=nbd0
[ ! "${MAPPED-}" ] || root_disk=/dev/dm-0 root_layer=nbdboot-nbd0
# machines, fetches, and lists that had no effect
mapped=0 fetched=0 useless=0

# mapped_line: vm_wait has read a line
mapped_line()
{
	case $line in
	*'prefetch: no effect'*) useless=$((useless + 1)) ;;
	*'prefetch: '*' fetched '*) fetched=$((fetched + 1)) ;;
	esac
}

# mapped_words WORDS: sets append to those of a machine that boots
mapped_words()
{
	append=$1
	case ${MAPPED-},$1 in
	,* | *rdinit=/test*) return ;;
	tls,*) append=$(echo "$1" | sed "s|nbd://\([^/ ]*\)/|\
nbds://\1/?tls-certificates=/etc/nbdboot|g") ;;
	esac
	append="$append nbdboot.prefetch=0ms"
	mapped=$((mapped + 1))
}

# mapped_list SECTORS IMAGE: prints a list of half of 16 pieces, of 1 MiB at most.
# With the superblock: copies have the UUID of the root.
mapped_list()
{
	awk -v sectors="$1" -v image="$2" 'BEGIN {
		step = int(sectors / 128) * 8
		len = step / 2 > 2048 ? 2048 : int(step / 16) * 8
		print "nbdboot-prefetch 1\nimage", sectors, image
		for (i = 0; i < 16; i++)
			print i * step, len
		print "end 16"
	}'
}

# mapped_ext4 FILE: gives the file system a list
mapped_ext4()
{
	[ "${MAPPED-}" ] || return 0
	mapped_list $(($(stat -c %s "$1") / 512)) "ext4:$(dumpe2fs -h "$1" \
		2>/dev/null | sed -n 's/^Filesystem UUID: *//p')" >"$work/list"
	printf '%s\n' 'mkdir /var' 'mkdir /var/lib' 'mkdir /var/lib/nbdboot' \
		'rm /var/lib/nbdboot/prefetch' \
		"write $work/list /var/lib/nbdboot/prefetch" |
		debugfs -w -f - "$1" >/dev/null 2>&1
}

# mapped_tree TREE MIB: the same, for a squashfs of TREE that mapped_size makes as
# large
mapped_tree()
{
	[ "${MAPPED-}" ] || return 0
	mkdir -p "$1/var/lib/nbdboot"
	mapped_list $(($2 * 2048)) squashfs: >"$1/var/lib/nbdboot/prefetch"
}

mapped_size()
{
	[ ! "${MAPPED-}" ] || truncate -s "$2M" "$1"
}

# mapped_ca TREE: the CA of the servers, for what is connected later
mapped_ca()
{
	[ "${MAPPED-}" != tls ] ||
		install -D -m 644 "$work/mapped/ca-cert.pem" \
			"$1/etc/nbdboot/ca-cert.pem"
}

# Puts before nbdkit one that requires TLS, and makes mapped_tls, the directory of
# credentials for initramfs.
mapped_tls=''
if [ "${MAPPED-}" ]; then
	vm_line=mapped_line
	finish()
	{
		[ "$mapped" = 0 ] || check "$mapped machines: $fetched roots had \
blocks in RAM, $useless lists had no effect" \
			[ "$fetched" -gt 0 -a $((fetched + useless)) -ge "$mapped" ]
		echo "1..$count"
		[ "$failed" = 0 ]
	}
fi
if [ "${MAPPED-}" = tls ]; then
	# shellcheck source=tests/pki.sh
	. "$here/../pki.sh"
	mapped_tls=$work/mapped
	pki "$work/mapped.pki"
	pki_server "$work/mapped.pki" server ecdsa 'ip_address = "192.0.2.1"' \
		'ip_address = "2001:db8::1"' 'ip_address = "fec0::2"'
	pki_use "$work/mapped.pki" server "$work/mapped.server"
	mkdir "$mapped_tls" "$work/mapped.bin"
	cp "$work/mapped.pki/ca-cert.pem" "$mapped_tls"
	cat >"$work/mapped.bin/nbdkit" <<-END
		#!/bin/sh
		exec $(command -v nbdkit) --tls=require \\
			--tls-certificates="$work/mapped.server" "\$@"
	END
	chmod 755 "$work/mapped.bin/nbdkit"
	PATH=$work/mapped.bin:$PATH
fi
