#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot.efi by PXE and HTTP boot: where its words are, in each encoding and
# framing; IPv6 addresses by hand.  ONLY=PATTERN chooses cases by their names.  TAP on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/vm/uefi_lan.sh
. "$here/uefi_lan.sh"

no_pxe='-fw_cfg name=opt/org.tianocore/IPv4PXESupport,string=n
	-fw_cfg name=opt/org.tianocore/IPv6PXESupport,string=n'

# wanted NAME: is it chosen?
wanted()
{
	# shellcheck disable=SC2254 # it is a pattern
	case $1 in
	${ONLY:-*}) return 0 ;;
	esac
	return 1
}

# text ENCODING: the words, which name no host, so that they are printed
text()
{
	case $1 in
	*-bom) printf '\357\273\277' | iconv -f UTF-8 -t "$(utf "$1")" ;;
	esac
	printf '# %s\r\nroot=nbd:///%s\r\n' "$1" "$1" |
		iconv -f UTF-8 -t "$(utf "$1")"
}

utf()
{
	case $1 in
	utf16le*) echo UTF-16LE ;;
	utf16be*) echo UTF-16BE ;;
	*) echo UTF-8 ;;
	esac
}

# stops_with SENTENCE PATTERN...: it refuses its words, which a line names
stops_with()
{
	await '*nbdboot: FAILED: *' || true
	shows "$@"
	vm_stop
}

build_efi
lan_up
tap=t0

# ---- HTTP ----

mkdir -p "$work/http/d" "$work/tftp/d"
cp "$efi" "$work/http/d/nbdboot.efi"
cp "$efi" "$work/http/nbdboot.efi"
for case in length-utf8 chunked-utf8-bom close-utf16le-bom chunked-utf16be \
	length-utf16le close-utf16be-bom; do
	wanted "http-$case" || continue
	encoding=${case#*-}
	text "$encoding" >"$work/http/d/nbdboot.conf"
	http_on "${case%%-*}"
	http=$server
	lan_dhcpd --dhcp-vendorclass=set:http,HTTPClient \
		--dhcp-option-force=tag:http,60,HTTPClient \
		--dhcp-boot="tag:http,http://$root4/d/nbdboot.efi?of=/x"
	# shellcheck disable=SC2086 # words on purpose
	machine $no_pxe
	stops_with "HTTP: $case" \
		"FAILED: http://$root4/d/nbdboot.conf: root=nbd:///$encoding"
	lan_stop
	server=$http
	lan_stop
done

# ---- what is wrong is said ----

# complains NAME SENTENCE PATTERN...: with $work/http/d/nbdboot.conf as it is, and
# no root-path in DHCP
complains()
{
	http_on "${1#*-}"
	http=$server
	shift
	lan_dhcpd --dhcp-vendorclass=set:http,HTTPClient \
		--dhcp-option-force=tag:http,60,HTTPClient \
		--dhcp-boot="tag:http,http://$root4/d/nbdboot.efi"
	# shellcheck disable=SC2086 # words on purpose
	machine $no_pxe
	await '*boot from which URI*' || true
	shows "$@"
	vm_stop
	lan_stop
	server=$http
	lan_stop
}

ignored="nbdboot: http://$root4/d/nbdboot.conf: ignored:"
if wanted empty; then
	printf '# nothing\n' >"$work/http/d/nbdboot.conf"
	complains empty-close 'a text without words' "$ignored no words"
fi
if wanted binary; then
	printf 'a\001b' >"$work/http/d/nbdboot.conf"
	complains binary-length 'what is no text' "$ignored not text"
fi
if wanted long; then
	head -c 20000 /dev/zero | tr '\0' x >"$work/http/d/nbdboot.conf"
	complains long-chunked 'a text that is too long' "$ignored "
fi

# ---- IPv6 by hand ----

# by_hand NAME SERVER ADDRESS PREFIX GATEWAY
by_hand()
{
	wanted "$1" || return 0
	start "root=nbd://[$2]/ ip=[$3]::$5:$4::: $direct"
	to_root "IPv6 by hand: $1" "nbdboot: $3/$4, .*by ip=" \
		"nbdboot: nbd://\\[$2\\]/: .* connected after" ' BOOTIF=01-52-54'
}

build_efi ipv6
disk_of_lan
serve_on 10809
far6=2001:db8:7::1
at "$srv" ip addr add $far6/64 dev br1 nodad
by_hand static-link $root6 2001:db8::22 64 ''
by_hand static-gateway $far6 2001:db8::22 64 '[fe80::1]'
by_hand static-long $far6 2001:db8::22 120 "[$root6]"
finish
