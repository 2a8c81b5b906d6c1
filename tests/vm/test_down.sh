#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The shutdown without systemd: busybox init, on a writable root.
# TAP on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
ext4=$work/ext4
limit=20000 # ms from the request to the end of the machine

make_tree()
{
	add_busybox "$tree"
	rm -f "$tree/bin/init"
	mkdir -p "$tree/sbin" "$tree/etc" "$tree/proc" "$tree/sys" \
		"$tree/dev" "$tree/run" "$tree/tmp"
	ln -s ../bin/busybox "$tree/sbin/init"
	cp "$here/guest/down.sh" "$tree/etc/guest"
	chmod 755 "$tree/etc/guest"
}

# root INITTAB-LINE...: makes an image whose inittab has these lines
root()
{
	printf '%s\n' '::once:/etc/guest' "$@" >"$tree/etc/inittab"
	rm -f "$ext4"
	truncate -s 64M "$ext4"
	mke2fs -q -t ext4 -E root_owner=0:0 -d "$tree" "$ext4"
}

clean()
{
	dumpe2fs -h "$ext4" 2>/dev/null >"$work/super"
	grep -q '^Filesystem state: *clean$' "$work/super" &&
		! grep -q needs_recovery "$work/super"
}

# check SENTENCE COMMAND...
check()
{
	sentence=$1
	shift
	if "$@"; then
		ok "$sentence"
	else
		not_ok "$sentence"
		show "$work/log"
	fi
}

in_time()
{
	[ "$took" -lt "$limit" ] && ! said 'Kernel panic'
}

# end HOW: boots, and asks for that end.  Sets took (ms).
end()
{
	daemon_at "$port" nbdkit -t 1 -f -v -i 127.0.0.1 -p "$port" file "$ext4"
	vm_start "$work/initramfs" \
		"root=nbd://$host:$port/ ip=$guest_ip loglevel=4 rw guest.how=$1"
	vm_wait '*guest: asks for*' || true
	asked=$(date +%s%3N)
	while vm_wait '*'; do :; done
	took=$(($(date +%s%3N) - asked))
	vm_stop
	check "${1%% *}: the machine ends in under 20 s ($took ms)" in_time
	kill "$server"
	wait "$server" 2>/dev/null || true
}

find_kernel
make_tree
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4' | sed 's/^/# /'
# A port that is free now.
serve 0 null
unserve

# ---- back to RAM ----

root '::restart:/run/initramfs/shutdown poweroff'
end pivot
check 'it was all unmounted and disconnected' \
	said 'nbdboot: all is unmounted and disconnected'
check 'the client said goodbye to the server' \
	grep -q 'client sent NBD_CMD_DISC' "$work/daemon.log"
check 'the file system was left clean' clean

end 'cut init=/etc/guest'
check 'with the network gone the loss is reported' \
	said 'nbdboot: nothing was written for 8 s'

# ---- busybox alone: the kernel ends with the root mounted ----

root '::shutdown:/bin/umount -a -r'
for how in reboot poweroff; do
	end "$how"
	check 'the file system was left clean' clean
done

finish
