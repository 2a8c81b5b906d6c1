#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by dracut when networkd has brought an interface up, before netroot is
# called: writes the file in which netroot looks for what DHCP said.  dracut
# before 112 takes it from the lease in /run, where systemd 261 has none; dracut
# before 103 writes none.

# nbdboot_lease INTERFACE: prints ROOT_PATH= and NEXT_SERVER= of its lease.  The
# lines of networkctl are "17 root path  VALUE" and "Server Address: VALUE".
nbdboot_lease() {
	file=/run/systemd/netif/leases/$(cat "/sys/class/net/$1/ifindex")
	if [ -r "$file" ]; then
		cat "$file"
	else
		networkctl --no-pager --no-legend --full dhcp-lease "$1" |
			sed -n -e 's/^ *Server Address: */NEXT_SERVER=/p' \
				-e 's/^ *17 .* \([^ ]*\)$/ROOT_PATH=\1/p'
	fi
}

# nbdboot_words: of the lines of a lease.  netroot sources the file: it gets
# only text in which no shell finds more than a word.
nbdboot_words() {
	while IFS= read -r text; do
		value=${text#*=}
		case $value in
		*[!]A-Za-z0-9_.:/,=+@%~?\&[-]*) continue ;;
		esac
		case $text in
		ROOT_PATH=*) printf "new_root_path='%s'\n" "$value" ;;
		NEXT_SERVER=*) printf "new_next_server='%s'\n" "$value" ;;
		esac
	done
}

[ -e "/tmp/dhclient.$1.dhcpopts" ] ||
	(nbdboot_lease "$1" 2>/dev/null | nbdboot_words) \
		>"/tmp/dhclient.$1.dhcpopts"
