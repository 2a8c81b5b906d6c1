# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# The server of nbdboot-site(7): a mount namespace with its own /etc, /srv and
# /root, and the network of uml.sh with more addresses.  Sourced, behind lib.sh,
# by scripts that run in such a namespace.
top=$(cd "$here/../.." && pwd)
typed=''
page=$top/boot/cli/nbdboot-site.7
# shellcheck source=tests/page.sh
. "$here/../page.sh"

# ---- the server ----

# The rest of the system stays as it is.
own_directories()
{
	cp -a /etc "$work/etc"
	rm -rf "$work/etc/dnsmasq.d" "$work/etc/dnsmasq.conf"
	mkdir -p "$work/etc/dnsmasq.d" "$work/etc/systemd/system"
	mount --bind "$work/etc" /etc
	mount -t tmpfs root /root
	mkdir "$work/srv"
	mount --bind "$work/srv" /srv
	ip addr add 192.0.2.1/24 dev vm0
	ip addr add 192.0.2.2/24 dev vm0
}

# stub NAME: a program of the server, from standard input
stub()
{
	mkdir -p "$work/bin"
	cat >"$work/bin/$1"
	chmod 755 "$work/bin/$1"
}

# Units are started as systemd would, from what the page has written.
make_stubs()
{
	PATH=$work/bin:$O:$PATH
	export work PATH here
	stub apt-get <<-'END'
		#!/bin/sh
		printf '%s\n' "$@" >"$work/packages"
	END
	stub systemctl <<-'END'
		#!/bin/sh
		# the settings of unit $1, as assignments
		settings()
		{
			cat "/etc/systemd/system/$1.service" \
				"/etc/systemd/system/$1.service.d"/* 2>/dev/null
		}
		start()
		{
			pid=$(cat "$work/$1.pid" 2>/dev/null) && kill -9 "$pid" &&
				until [ ! -e "/proc/$pid" ] || [ 2 = "$(grep -cs \
					'^State:.Z\|^Threads:.1$' \
					"/proc/$pid/status")" ]; do :; done
			case $1 in
			dnsmasq) set -- dnsmasq "dnsmasq -k -C /dev/null -7 /etc/dnsmasq.d \
				-l $work/leases --log-facility=$work/dnsmasq.log -u root" ;;
			*) set -- "$1" "$(settings "$1" | sed -n 's/^ExecStart=//p')" \
				"$(settings "$1" | sed -n 's/^Environment=\(".*"\)$/\1/p
					t; s/^Environment=//p' | tr '\n' ' ')" ;;
			esac
			# TLS is several words, which systemd splits as a shell does.
			# nbdkit here may end with its parent: that has ended before.
			rm -f "$work/$1.pid"
			setsid -f sh -c "export ${3:-X=}
				while grep -qs setsid /proc/\$PPID/comm; do :; done
				echo \$\$ >'$work/$1.pid' && exec $2" \
				>"$work/$1.log" 2>&1 </dev/null
			until [ -s "$work/$1.pid" ]; do :; done
		}
		case $1 in
		daemon-reload) exit ;;
		enable) shift 2 ;;
		restart) shift ;;
		*) cat "/etc/systemd/system/$3.service" && exit ;;
		esac
		for unit; do start "$unit"; done
	END
	stub journalctl <<-'END'
		#!/bin/sh
		cat "$work/dnsmasq.log"
	END
}

# type_in NAME: types a block of the page, in the source
type_in()
{
	block "$1"
	typed="$typed $1"
	if (cd "$top" && MAKEFLAGS="O=$O" sh -eu "$work/block") \
		>"$work/out" 2>&1 </dev/null; then
		ok "typed: $1"
	else
		not_ok "typed: $1"
		show "$work/out"
	fi
}

# listening PORT [ADDRESS]: returns when a server listens there
listening()
{
	until ss -Hltn "src ${2:-192.0.2.1}:$1" | grep -q .; do
		kill -0 "$(cat "$work/$3.pid")" || die "$3: $(cat "$work/$3.log")"
	done
}

# The address of the machine comes by a question on UDP port 67.
answering()
{
	until ss -Hlun 'src :67' | grep -q .; do
		kill -0 "$(cat "$work/dnsmasq.pid")" ||
			die "dnsmasq: $(cat "$work/dnsmasq.log")"
	done
}

at_exit()
{
	vm_stop
	for file in "$work"/*.pid; do
		kill -9 "$(cat "$file")" 2>/dev/null || true
	done
	umount -l /etc /srv /root 2>/dev/null || true
}
