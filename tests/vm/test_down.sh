#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The shutdown without systemd: busybox init, on a writable root.
# TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree
ext4=$work/ext4

# root INITTAB-LINE...: makes an image whose inittab has these lines
root()
{
	printf '%s\n' '::once:/etc/guest' "$@" >"$tree/etc/inittab"
	rm -f "$ext4"
	truncate -s 64M "$ext4"
	mke2fs -q -t ext4 -E root_owner=0:0 -d "$tree" "$ext4"
	mapped_ext4 "$ext4"
}

# end HOW [PLUGIN ARGUMENT...]: boots from nbdkit's plugin (file), asks for that
# end, and ends by itself
end()
{
	[ $# -gt 1 ] || set -- "$1" file "$ext4"
	how=$1
	shift
	daemon_at "$port" nbdkit -t 1 -f -v -i 127.0.0.1 -p "$port" "$@"
	vm_start "$work/initramfs" \
		"root=nbd://$host:$port/ ip=$guest_ip loglevel=4 rw guest.how=$how"
	vm_asks
	: >"$work/asked"
	vm_end
	shows "${how%% *}: the machine ends" 'reboot: ' '!Kernel panic'
	# It reads what came.  A session that the machine left open has no end.
	kill "$server"
	[ "$how" != pivot ] ||
		timeout 20 tail --pid="$server" -f /dev/null || :
	end_server -9 "$server"
}

# NBD_CMD_DISC to the port is lost three times: a request's magic and type, behind
# the 32 bytes of TCP's header.
lose_goodbye()
{
	printf '%s\n' 'table ip lossy {' 'chain in {' \
		'type filter hook input priority 0' \
		"tcp dport $port @th,256,32 0x25609513 @th,304,16 2 \
quota until 250 bytes counter drop" '}' '}' | nft -f -
}

find_kernel
busybox_tree "$tree" guest/down.sh
initramfs "$work/initramfs" 'nbd virtio_net virtio_pci ext4' | sed 's/^/# /'
port=$(free_port)

# ---- back to RAM ----

root '::restart:/run/initramfs/shutdown poweroff'
# over TLS nobody sees which packet it is in
case $vm_kind,${MAPPED-} in
qemu,* | *,tls) loses='' ;;
*) loses=1 ;;
esac
[ ! "$loses" ] || lose_goodbye
end pivot
check 'it was all unmounted and disconnected' \
	said 'nbdboot: all is unmounted and disconnected'
[ ! "$loses" ] || check 'its goodbye got lost three times' \
	eval 'nft list table ip lossy | grep -q "counter packets 3 "'
check 'the client said goodbye to the server, at last if that was lost' \
	grep -q 'client sent NBD_CMD_DISC' "$work/daemon.log"
check 'the file system was left clean' is_clean "$ext4"

end pivot eval "get_size=stat -c %s $ext4" \
	"pread=dd if=$ext4 skip=\$4 count=\$3 iflag=skip_bytes,count_bytes" \
	"pwrite=dd of=$ext4 seek=\$4 oflag=seek_bytes conv=notrunc" \
	"flush=! rm $work/asked || sleep 15"
check 'a server that takes 15 s to flush is waited for' \
	said 'nbdboot: all is unmounted and disconnected'
check 'the file system was left clean' is_clean "$ext4"

end 'cut init=/etc/guest'
check 'with the network gone the loss is reported' \
	said 'nbdboot: nothing was written for 40 s'

# ---- busybox alone: the kernel ends with the root mounted ----

root '::shutdown:/bin/umount -a -r'
for how in reboot poweroff; do
	end "$how"
	check 'the file system was left clean' is_clean "$ext4"
done

finish
