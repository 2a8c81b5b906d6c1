#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# How often a boot waits for its server: exchanges from the first packet up to
# a mounted root, in User-mode Linux.  A table by root and by kind.
#
# The server answers later than any machine needs to send the next request.  An
# exchange begins where the machine sends and the server was the last to send
# before: requests that are in flight together are one.  The root has no init, so
# that the boot ends once it is mounted and that was looked up.  Over TLS the
# goodbye counts as a request, as it cannot be told apart.
#
#	VERBOSE=1	lists the exchanges
vm_kind=uml
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"
[ "$vm_kind" = uml ] || die 'no User-mode Linux'

# count NAME [tls]: a row of what is in $work/pcap
count()
{
	# shellcheck disable=SC2086 # words on purpose
	tshark -r "$work/pcap" ${2:+-d "tcp.port==$port,tls"} -T fields \
		-E occurrence=f \
		-Y "tcp.port == $port && (tcp.len > 0 || tcp.flags.syn == 1)" \
		-e tcp.dstport -e tcp.flags.syn -e tls.record.content_type \
		-e tcp.payload 2>/dev/null |
		awk -F '\t' -v name="$1" -v port="$port" \
			-v verbose="${VERBOSE-}" '
		$1 != port { last = "server"; next }
		# the goodbye
		$4 ~ /^2560951300000002/ { next }
		last == "client" { next }
		{
			last = "client"
			kind = "read"
			if ($2 == 1 || $2 == "True")
				kind = "tcp"
			else if ($3 == 20 || $3 == 22)
				kind = "tls"
			else if ($3 == 23)
				kind = secured++ < 1 ? "nbd" : "read"
			else if ($4 !~ /^25609513/)
				kind = "nbd"
			n[kind]++
			all++
			if (verbose) print "# " name ": " kind " " substr($4, 1, 60)
		}
		END {
			printf "| %s | %d | %d | %d | %d | %d |\n", name, n["tcp"],
				n["nbd"], n["tls"], n["read"], all
		}'
}

# trips NAME WORDS [tls]
trips()
{
	rm -f "$work/pcap"
	uml_capture "$work/pcap"
	mine=$captures captures=''
	vm_start "$work/${initramfs:-initramfs}" "ip=$guest_ip init=/none loglevel=4 \
nbdboot.onfail=halt $2"
	vm_end
	# the latest frames are still in a buffer of the kernel
	until tshark -r "$work/pcap" -Y "tcp.port == $port && tcp.flags.fin == 1" \
		2>/dev/null | grep -q .; do
		kill -0 "$mine" || die 'the capture has ended'
	done
	captures=$mine
	uml_capture_end
	said 'the new root has no /none' || {
		cat "$work/log" >&2
		die "$1: the root was not mounted"
	}
	count "$1" "${3-}"
}

find_kernel
bare_tree "$work/tree"
ext4_of "$work/tree" "$work/ext4"
disk_of "$work/ext4" "$work/disk"
mksquashfs "$work/tree" "$work/squashfs" -quiet -no-progress >/dev/null
mkdir "$work/tls"
pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$work/server"
cp "$work/pki/ca-cert.pem" "$work/tls"
initramfs "$work/initramfs" 'nbd ext4 squashfs' '' "$work/tls" >/dev/null

# A list of what the mount of the ext4 reads, in the initramfs.
uuid=6cfcd8a3-5f02-4f4a-8a3e-4c2b35e3c0c1
ext4_of "$work/tree" "$work/listed" -U "$uuid"
mkdir -p "$work/list/etc/nbdboot"
printf '%s\n' 'nbdboot-prefetch 1' "image 65536 ext4:$uuid" '0 32' '528 72' \
	'4624 8' '32768 8' 'end 4' >"$work/list/etc/nbdboot/prefetch"
initramfs "$work/listed.img" 'nbd ext4 loop dm_mod' "$work/list" "$work/tls" \
	>/dev/null

# The same list in the root, and behind it.
ext4_of "$work/tree" "$work/behind" -U "$uuid"
"$nbdboot" prefetch append "$work/list/etc/nbdboot/prefetch" "$work/behind"
install -D -m 644 "$work/list/etc/nbdboot/prefetch" \
	"$work/tree/var/lib/nbdboot/prefetch"
ext4_of "$work/tree" "$work/inside" -U "$uuid"
initramfs "$work/mapped.img" 'nbd ext4 loop dm_mod' '' "$work/tls" >/dev/null

later=rdelay=100ms
echo '| root | TCP | NBD, before the first request | TLS | requests | all |'
echo '|---|---|---|---|---|---|'
for root in ext4 squashfs; do
	serve 0 --filter=delay file "$work/$root" "$later"
	trips "$root" "root=nbd://$host:$port/"
done
serve 0 --filter=delay file "$work/disk" "$later"
trips 'ext4 in a partition' "root=nbd://$host:$port/ nbdboot.part=2"
serve 0 --tls=require --tls-certificates="$work/server" \
	--filter=delay file "$work/ext4" "$later"
trips 'ext4 over TLS' "root=nbds://$host:$port/?tls-certificates=/etc/nbdboot" \
	tls

# the list of what the mount reads is in the initramfs
initramfs=listed.img
serve 0 -r --filter=delay file "$work/listed" "$later"
trips 'ext4 with a list' "root=nbd://$host:$port/"
serve 0 -r --tls=require --tls-certificates="$work/server" \
	--filter=delay file "$work/listed" "$later"
trips 'ext4 with a list over TLS' \
	"root=nbds://$host:$port/?tls-certificates=/etc/nbdboot" tls

initramfs=mapped.img
for root in behind inside; do
	serve 0 -r --filter=delay file "$work/$root" "$later"
	trips "ext4 with a list $root" "root=nbd://$host:$port/ nbdboot.prefetch"
done
