#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands of nbdboot-site(7), typed as they stand on a server of our own, and
# machines in User-mode Linux that boot from it.  TAP on standard output.
#
# The server is a mount namespace with its own /etc, /srv and /root, and the
# network of uml.sh with two more addresses.  Stubs take the place of what would
# take minutes or needs a systemd: mmdebstrap makes a root of busybox and that
# kernel's modules, and systemctl starts what a unit says.
#
# soak_site.sh has the real mmdebstrap, and boots that in QEMU by PXE.
[ "$(id -u)" = 0 ] || {
	echo 'ok - the commands of a site # SKIP only root can type them'
	exit
}
if [ ! "${SITE_INSIDE-}" ]; then
	SITE_INSIDE=1 exec unshare -m sh "$0" "$@"
fi
unset SITE_INSIDE
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
[ "$vm_kind" = uml ] || {
	echo 'ok - the commands of a site # SKIP no User-mode Linux'
	exit
}
# shellcheck source=tests/vm/site.sh
. "$here/site.sh"

# few_modules DIR: those of that kernel that a boot needs.  To pack all takes a
# minute of a busy machine.
few_modules()
{
	mkdir -p "$1/kernel"
	find "$uml_modules" -name '*.ko' | grep -E "/($(echo nbd ext4 jbd2 \
		mbcache crc16 overlay loop squashfs af_packet dm-mod dm-bufio dm-verity tls gcm ctr \
		'ghash[a-z-]*' 'gf128[a-z]*' '[a-z0-9-]*_diag' \
		'crc32c[a-z_]*' | tr ' ' '|'))\.ko" >"$work/modules"
	while read -r module; do
		cp "$module" "$1/kernel/"
	done <"$work/modules"
	cp "$uml_modules"/modules.builtin* "$uml_modules/modules.order" "$1/"
	depmod -b "${1%/lib/modules/*}" "${1##*/}"
}

# The words that pxelinux would give to the kernel of this machine.
words_of()
{
	sed -n 's/^ *APPEND //p' "/srv/tftp/pxelinux.cfg/$1"
}

# boot WORDS: a machine with the initramfs of the page
boot()
{
	vm_start /srv/tftp/nbdboot.gz "$1 loglevel=4"
	vm_end
}

own_directories
make_stubs
stub mmdebstrap <<-'END'
	#!/bin/sh
	for tree; do :; done
	cp -a "$work/tree" "$tree"
END
find_kernel
root_tree "$work/tree" guest/site.sh
few_modules "$work/tree/lib/modules/${uml_modules##*/}"
: >"$work/tree/vmlinuz"

for name in packages image initramfs server dhcp bios; do
	type_in "$name"
done
ln -s nbdboot.gz /srv/tftp/nbdboot.gz.uml
listening 10809 192.0.2.1 nbd-shared
answering
systemd-analyze verify /etc/systemd/system/nbd-shared.service \
	>"$work/out" 2>&1 || show "$work/out"
check 'systemd finds nothing wrong in the unit' [ ! -s "$work/out" ]
type_in see-exports
check 'the server lists the image' grep -qx root-1 "$work/out"

boot "$(words_of default)"
ended 'a machine boots from the shared image, with a name and a layer in RAM' \
	'guest: root is overlay overlay rw' 'guest: host is machine1' \
	'guest: server is nbd://192.0.2.1/root-1'

type_in verified
ln -s verified.gz /srv/tftp/verified.gz.uml
vm_start /srv/tftp/verified.gz "$(words_of 01-52-54-00-12-34-57) loglevel=4"
vm_end
ended 'the machine boots from an image that is verified' \
	'nbdboot: verity: nbd0 is read through dm-0' \
	'guest: root is overlay overlay rw' \
	'guest: server is nbd://192.0.2.1/verified'
head -c 64 /dev/zero | dd of=/srv/nbd/shared/verified bs=1 seek=200 \
	conv=notrunc status=none
vm_start /srv/tftp/verified.gz "$(words_of 01-52-54-00-12-34-57) loglevel=4"
vm_wait '*nbdboot: next try in *' '*guest: end*' || true
vm_stop
shows 'and not from one that was changed' \
	'this is another image, or one that was changed' '!guest:'
rm /srv/nbd/shared/verified

for name in own changes; do
	type_in "$name"
done
listening 10810 192.0.2.1 nbd-own
: >"$work/stamp"
boot "$(words_of 01-52-54-00-12-34-56)"
ended 'the machine boots from an image of its own, and writes to it' \
	'guest: root is /dev/nbd0 ext4 rw' \
	'guest: server is nbd://192.0.2.1:10810/root-52:54:00:12:34:56' \
	'!let no second machine'
check 'the file is in the image' eval "debugfs -R 'cat /etc/written' \
	/srv/nbd/own/root-52:54:00:12:34:56 2>/dev/null | grep -qx written"
check 'and the shared image is as it was' \
	[ ! /srv/nbd/shared/root-1 -nt "$work/stamp" ]

# ---- certificates ----

info()
{
	run "$nbdboot" info "nbds://192.0.2.1/root-1?tls-certificates=$1"
}

for name in authority certificate tls; do
	type_in "$name"
done
for unit in nbd-shared:10809 nbd-own:10810; do
	listening "${unit#*:}" 192.0.2.1 "${unit%:*}"
done
answering
run "$nbdboot" info nbd://192.0.2.1/root-1
expect 1 'the server requires TLS' 'the server takes no client without TLS'
info /root/nbd-ca/machine
expect 0 'TLS:' 'and one that knows the authority'
boot "$(words_of default)"
ended 'a machine boots over TLS with what is in its initramfs' \
	'guest: root is overlay overlay rw' 'guest: server is nbds://192.0.2.1/'
check 'no key is in what the initramfs was made of' \
	[ "$(ls /root/nbd-ca/machine)" = ca-cert.pem ]
type_in renew
listening 10809 192.0.2.1 nbd-shared
info /root/nbd-ca/machine
expect 0 'TLS:' 'it knows the next certificate, too'
type_in next-authority
info /root/nbd-ca/machine
expect 0 'TLS:' 'and with two authorities the certificate of the first'
mv /root/nbd-ca/key-2.pem /root/nbd-ca/key.pem
mv /root/nbd-ca/ca-cert-2.pem /root/nbd-ca/ca-cert.pem
type_in renew
listening 10809 192.0.2.1 nbd-shared
info /root/nbd-ca/machine
expect 0 'TLS:' 'and that of the second'
info /etc/nbd-tls
expect 1 'is not signed by a CA that is trusted here' \
	'which one that has only the first refuses'

# ---- a second server, and a new image ----

sed -e 's/ADDRESS=192.0.2.1/ADDRESS=192.0.2.2/' \
	/etc/systemd/system/nbd-shared.service \
	>/etc/systemd/system/nbd-second.service
systemctl enable --now nbd-second
listening 10809 192.0.2.2 nbd-second
kill -9 "$(cat "$work/nbd-shared.pid")"
second=$(sed -n 's/^\(dhcp-option=.*192.0.2.2.*\)/\1/p' "$page")
printf '%s\n' "$second" >/etc/dnsmasq.d/second.conf
cp /etc/dnsmasq.d/nbdboot.conf "$work/nbdboot.conf"
sed -i '/root-path/d' /etc/dnsmasq.d/nbdboot.conf
systemctl restart dnsmasq
answering
boot "$(words_of default)"
ended 'a machine boots from the second server when the first is gone' \
	'guest: root is overlay overlay rw' \
	'guest: server is nbd://192.0.2.1/root-1.*,nbd://192.0.2.2/root-1'
rm /etc/dnsmasq.d/second.conf
cp "$work/nbdboot.conf" /etc/dnsmasq.d/
systemctl restart nbd-shared
listening 10809 192.0.2.1 nbd-shared

exec 5</srv/nbd/shared/root-1
type_in new-image
type_in old-image
check 'the old image stays while it is in use' [ -e /srv/nbd/shared/root-1 ]
exec 5<&-
kill -9 "$(cat "$work/nbd-second.pid")"
answering
boot "$(words_of default)"
ended 'the next boot has the new image' 'guest: version is 2'
type_in old-image
check 'and the old one goes when nobody uses it' [ ! -e /srv/nbd/shared/root-1 ]

# ---- what to look at ----

for name in see-lease see-server see-names; do
	type_in "$name"
	cp "$work/out" "$work/$name"
done
check 'the log of dnsmasq has the question of the machine' \
	grep -q DHCPDISCOVER "$work/see-lease"
check 'the ports of the server are listed' \
	grep -q '192.0.2.1:10809' "$work/see-server"
check 'and the names in its certificate' \
	grep -q 'IP Address:192.0.2.1' "$work/see-names"
# test_login.sh types 8021x, and interop/test_recipes.sh copies
check 'all other commands of the page were typed, but for UEFI' [ "$(echo "$typed" |
	tr ' ' '\n' | grep . | sort -u)" = "$(sed -n 's/^\.\\" type: //p' "$page" |
	grep -vxE 'uefi|8021x|copies' | sort -u)" ]

finish
