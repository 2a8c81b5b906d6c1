#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program that is kept in memory starts while the server is away, and nothing
# is left of it in the caches of the kernel.  TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
root_tree "$tree" guest/keep.sh
# with libraries; the links of busybox are in their place
rm "$tree/bin/sort" "$tree/bin/uniq"
copy_program "$tree" sort uniq
mkdir -p "$tree/etc/kept" "$tree/usr/bin"
printf '%s\n' /lib/*-linux-gnu* >"$tree/etc/ld.so.conf"
ldconfig -r "$tree"
printf '#!/bin/busybox sh\necho it runs\n' >"$tree/usr/bin/script"
chmod 755 "$tree/usr/bin/script"
# by a link out of another directory, which leads to the root
ln -s /usr/bin/script "$tree/bin/kept"
echo data >"$tree/etc/kept/data"
truncate -s 200M "$tree/large"
# without a file that is kept
mkdir -p "$tree/usr/share/empty"
# more blocks than the kernel holds of a disk, whose caches are emptied
for n in $(seq 64); do mkdir -p "$tree/many/$n/below"; done
find_kernel
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4'
ext4_of "$tree" "$work/root"
port_of_root=$(free_port)
serve "$port_of_root" file "$work/root"
vm_start "$work/initramfs" "root=nbd://$host:$port_of_root/ rw ip=$guest_ip \
loglevel=4 nbdboot.keep=sort,busybox,kept,/etc/kept,/usr/share/empty,/large,nothing"
while vm_wait 'guest: waits*' 'guest: the server*' 'guest: end'; do
	case $line in
	*waits*) unserve ;;
	*'come back') serve "$port_of_root" file "$work/root" ;;
	*) break ;;
	esac
done
vm_end
shows 'what is kept is counted, and what is not has a reason' \
	'guest: keep: /large is not kept: there is not enough memory for it' \
	'guest: keep: nothing is not in the root' \
	'guest: keep: [0-9]* files are in memory: [0-9]* KiB'
shows 'its process is one that systemd ends' 'guest: it ends with the system'
kept=$(sed -n 's/^guest: keep: .* in memory: \([0-9]*\) KiB$/\1/p' "$work/log")
locked=$(sed -n 's/^guest: \([0-9]*\) KiB are locked$/\1/p' "$work/log")
check "it is locked: $kept KiB of $locked" [ "${kept:-0}" -gt 1000 ] &&
	check 'and is all that is, beside two processes of nbdboot' \
		[ "${locked:-0}" -ge "$kept" -a "${locked:-0}" -lt \
		$((kept + 3 * $(wc -c <"$nbdboot") / 1024)) ]
shows 'a program starts while the server is away and the caches are empty' \
	'^guest: sorted: a b $'
shows 'and a script, by a link' '^guest: script: it runs$'
shows 'a name that is missing in a directory is known to be' \
	'^guest: nothing is there$'
shows 'another one waits meanwhile' '^guest: another program waits$' \
	'^guest: sorted again: c d $'
ended 'until the server is back' '^guest: the other program has ended$' \
	'all is unmounted and disconnected'
finish
