#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Machines at a switch port with 802.1X, which lets no other frames through before
# a login: hostapd with its own server of EAP.  TAP on standard output.
#
# In make check each way of the login that differs for nbdboot; by make
# soak-login the other methods, too.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/pki.sh
. "$here/../pki.sh"
top=$(cd "$here/../.." && pwd)
page=$top/boot/cli/nbdboot-site.7
# shellcheck source=tests/page.sh
. "$here/../page.sh"
[ "$vm_kind" = uml ] || {
	echo 'ok - a login at a switch port # SKIP it is User-mode Linux alone'
	finish
}

# ---- the switch ----

# The port: all frames but those of a login are dropped while it is shut.
port_shut()
{
	nft -f - <<-'END'
		table netdev port {
			chain in {
				type filter hook ingress device vm0 priority 0
				ether type 0x888e accept
				drop
			}
		}
	END
}

# switch_on SECONDS: a switch that asks for a login again after so long (0:
# never).  Sets
# switch.
switch_on()
{
	cat >"$work/hostapd.conf" <<-END
		interface=vm0
		driver=wired
		ctrl_interface=$work/hostapd
		ieee8021x=1
		eap_reauth_period=$1
		use_pae_group_addr=1
		eap_server=1
		eap_user_file=$work/users
		ca_cert=$work/pki/ca-cert.pem
		server_cert=$work/pki/radius-cert.pem
		private_key=$work/pki/radius-key.pem
	END
	printf '%s\n' '"machine" TLS' '"host/machine.example" TLS' \
		'"dancer" MD5 "secret"' '"owl" PEAP' \
		'"owl" MSCHAPV2 "secret" [2]' >"$work/users"
	# shellcheck disable=SC2016 # for the script
	printf '%s\n' '#!/bin/sh' 'case $2 in' \
		'AP-STA-CONNECTED) nft flush table netdev port ;;' 'esac' \
		>"$work/action"
	chmod 755 "$work/action"
	port_shut
	hostapd "$work/hostapd.conf" >"$work/hostapd.log" 2>&1 </dev/null &
	switch=$!
	servers="$servers $switch"
	until hostapd_cli -p "$work/hostapd" ping >/dev/null 2>&1; do
		kill -0 "$switch" || die "no hostapd: $(cat "$work/hostapd.log")"
	done
	# it listens when this returns, and then has a file
	rm -f "$work/action.pid"
	hostapd_cli -p "$work/hostapd" -a "$work/action" -B \
		-P "$work/action.pid" >/dev/null 2>&1 ||
		die 'hostapd_cli did not start'
	until [ -s "$work/action.pid" ]; do :; done
	action=$(cat "$work/action.pid")
	servers="$servers $action"
}

# What the machine has sent is read before the second answer, and is in
# $work/seen.  At its own end the switch logs each machine out.
switch_off()
{
	for _ in 1 2; do
		hostapd_cli -p "$work/hostapd" ping >/dev/null 2>&1 || true
	done
	cp "$work/hostapd.log" "$work/seen"
	end_server "$switch" "$action"
	nft delete table netdev port
}

# dhcpd: the address of guest_ip
dhcpd()
{
	dnsmasq -C /dev/null -k -i vm0 --bind-interfaces --port=0 --user=root \
		--dhcp-range=10.0.2.15,10.0.2.15,255.255.255.0 \
		--dhcp-leasefile="$work/leases" --log-facility=- \
		>"$work/dnsmasq.log" 2>&1 </dev/null &
	servers="$servers $!"
	until ss -Hlnu | grep -q ':67 '; do
		kill -0 "$!" || die "no dnsmasq: $(cat "$work/dnsmasq.log")"
	done
}

# ---- the machine ----

# config LINE...: its wpa_supplicant.conf, beside what is in $work/login already
config()
{
	printf '%s\n' 'network={' 'key_mgmt=IEEE8021X' 'eapol_flags=0' "$@" '}' \
		>"$work/login/wpa_supplicant.conf"
}

tls()
{
	config eap=TLS 'identity="machine"' \
		"ca_cert=\"/etc/8021x/${1:-ca}-cert.pem\"" \
		"client_cert=\"/etc/8021x/${2:-machine}-cert.pem\"" \
		"private_key=\"/etc/8021x/${2:-machine}-key.pem\""
}

# boot WORD...: a machine with that configuration
boot()
{
	sh "$here/../../boot/initramfs/mkinitramfs.sh" -b "$nbdboot" \
		-k "$uml_modules" -m 'nbd ext4' -z none -w wpa_supplicant \
		-x "$work/login" "$work/initramfs.uml" >"$work/made"
	start "$@"
}

# The commands of the page make the initramfs.  They are typed in a directory with
# the files of the source, so that they leave nothing there; the kernel is not that
# of this system.
type_in()
{
	mkdir "$work/source"
	ln -s "$top"/* "$work/source"
	cp "$work/pki/ca-cert.pem" "$work/source/radius-ca.pem"
	cp "$work"/pki/machine-*.pem "$work/source"
	block 8021x
	if (cd "$work/source" && MAKEFLAGS="O=$O" KERNEL=$uml_modules \
		MODULES='nbd ext4' OUT=$work/initramfs.uml sh -eu \
		"$work/block") >"$work/made" 2>&1 </dev/null; then
		ok 'typed: 8021x of nbdboot-site(7)'
	else
		not_ok 'typed: 8021x of nbdboot-site(7)'
		show "$work/made"
	fi
}

# start WORD...: a machine with the initramfs that was made.  After a login that
# failed the switch would be silent for a minute: each machine has one of its own.
start()
{
	[ ! "${period-}" ] || switch_on "$period"
	serve 0 -r file "$work/root"
	vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=dhcp ro \
loglevel=5 test.verb=poweroff $*"
}

# up SENTENCE PATTERN...: it boots, and ends by itself
up()
{
	vm_wait '*nbdboot: *next try in*' 'guest: end' || true
	[ "${line#guest}" = "$line" ] || vm_end
	vm_stop
	unserve
	[ ! "${period-}" ] || switch_off
	ended "$@" '^guest: address is 10.0.2.15/24$' 'nbdboot: all is unmounted'
}

# stays SENTENCE PATTERN...: it says why, and tries again
stays()
{
	vm_wait '*nbdboot: *next try in*' '*nbdboot: this cannot pass*' || true
	vm_stop
	unserve
	switch_off
	shows "$@" '!guest: '
}

find_kernel
root_tree "$work/tree" guest/login.sh
cp "$nbdboot" "$work/tree/bin/nbdboot"
head -c 300000 /dev/urandom >"$work/tree/etc/blob"
md5sum <"$work/tree/etc/blob" >"$work/tree/etc/sum"
ext4_of "$work/tree" "$work/root"
mkdir -p "$work/login"
pki "$work/other"
pki_cert "$work/other" stranger ecdsa 'cn = "stranger"'
pki "$work/pki"
pki_cert "$work/pki" radius ecdsa 'cn = "radius"' tls_www_server
pki_cert "$work/pki" machine ecdsa 'cn = "machine"' tls_www_client
cp "$work"/pki/ca-cert.pem "$work"/pki/machine-*.pem \
	"$work"/other/stranger-*.pem "$work/login"
cp "$work/other/ca-cert.pem" "$work/login/other-cert.pem"
dhcpd

period=1
type_in
start test.again
up 'it logs in by EAP-TLS, and the root stays while the switch asks again' \
	'^guest: supplicant, root /run/initramfs/8021x, oom -1000$' \
	'^guest: its root is drwx------$' '^guest: read after two more logins$'
check 'the machine logs out at its end' grep -q AP-STA-DISCONNECTED \
	"$work/seen"
grep 'wpa_supplicant with' "$work/made" | sed 's/^ */# /'
period=0
tls other
boot
stays 'a server of another CA is refused, and named' \
	'eth0: the certificate of the server of 802.1X is refused here: .*(/CN=.*)'
[ "${SOAK-}" ] || {
	finish
	exit
}

tls ca stranger
boot
stays 'a certificate of another CA is refused by the server' \
	'eth0: the server of 802.1X refuses the login, .*: is ours'
config eap=MD5 'identity="dancer"' 'password="wrong"'
boot
stays 'a wrong password' 'eth0: the switch, or its server of 802.1X, refuses'
config eap=PEAP 'identity="owl"' 'password="secret"' 'phase2="auth=MSCHAPV2"' \
	'ca_cert="/etc/8021x/ca-cert.pem"'
boot
up 'PEAP with MSCHAPv2' '^guest: supplicant'
period=1
tls
boot test.reroot test.again
up 'after a reroot it logs in again' 'nbdboot: the old system has ended' \
	'^guest: read after two more logins$'
period=0
printf 'network={\nnonsense\n}\n' >"$work/login/wpa_supplicant.conf"
boot
stays 'a configuration that is wrong' \
	'wpa_supplicant does not take /etc/8021x/wpa_supplicant.conf' \
	'Line 2: '
boot nbdboot.8021x=0
stays 'nbdboot.8021x=0 starts none' 'eth0: no DHCP server answered'
period=
tls
boot
up 'a switch without 802.1X' 'eth0: nobody asks for a login by 802.1X for 10 s'
finish
