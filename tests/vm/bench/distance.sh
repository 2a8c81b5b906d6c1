#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Debian up to its last unit, from a server that answers each read later (DELAYS,
# ms): without a list of what a boot reads, and with one, in turns.  A table of
# seconds from the kernel's start, the median of ROUNDS.  RECORD=FILE gets the
# reads of the last boot, as nbdkit logs them.
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
VM_LIMIT=1200
tree=$work/tree
image=$work/image

make_tree()
{
	debian=$(sh "$here/../debian.sh" "$O/debian") || exit 1
	cp -a "$debian" "$tree"
	install -m 755 "$here/guest/distance.sh" "$tree/usr/local/sbin/guest"
	install -m 755 "$nbdboot" "$tree/usr/local/sbin/nbdboot"
	printf '%s\n' '[Service]' 'ExecStart=/usr/local/sbin/guest' \
		'[Install]' 'WantedBy=multi-user.target' \
		>"$tree/etc/systemd/system/guest.service"
	ln -s /etc/systemd/system/guest.service \
		"$tree/etc/systemd/system/multi-user.target.wants/"
	mksquashfs "$tree" "$image" -quiet -no-progress -comp zstd \
		-Xcompression-level 1 -no-xattrs >/dev/null
}

# boot MS WORD...: sets up (s)
boot()
{
	delay=$1
	shift
	[ ! "${RECORD-}" ] || : >"$RECORD"
	serve 0 ${RECORD:+--filter=log} --filter=delay file "$image" \
		rdelay="${delay}ms" ${RECORD:+"logfile=$RECORD"}
	vm_memory=1024 vm_start "$work/initramfs" "root=nbd://$host:$port/ \
ip=$guest_ip loglevel=4 systemd.show_status=0 nbdboot.overlay $*"
	vm_end
	unserve
	up=$(sed -n 's/.*guest: up //p' "$work/log")
	if [ ! "$up" ] || said WRONG; then
		cat "$work/log" >&2
		die 'a machine did not come up'
	fi
}

find_kernel
make_tree
modules_here='nbd virtio_net virtio_pci squashfs overlay loop dm_mod'
initramfs "$work/initramfs" "$modules_here" >/dev/null
boot 0 nbdboot.prefetch guest.learn
mkdir -p "$work/add/etc/nbdboot"
sed -n 's/^list: //p' "$work/log" >"$work/add/etc/nbdboot/prefetch"
sed -n 's/^guest: list /# /p' "$work/log"
initramfs "$work/initramfs" "$modules_here" "$work/add" >/dev/null

for round in $(seq "${ROUNDS:-3}"); do
	for ms in ${DELAYS:-0 20 80}; do
		for kind in ${KINDS:-0 auto}; do
			boot "$ms" "nbdboot.prefetch=$kind"
			echo "# round $round: $ms ms, $kind: $up s" \
				"$(sed -n 's/.*nbdboot: prefetch: /(/p' \
					"$work/log")"
			sed -n 's/.*guest: reads/# reads/p' "$work/log"
			echo "$ms $kind $up" >>"$work/figures"
		done
	done
done
awk "$median"'
{
	if (!($1 in seen)) { order[++n] = $1; seen[$1] }
	v[$1, $2, ++count[$1, $2]] = $3
}
function of(ms, kind,    a, i) {
	for (i = 1; i <= count[ms, kind]; i++)
		a[i] = v[ms, kind, i]
	return median(a, count[ms, kind])
}
END {
	print "| answers later by, ms | without, s | with a list, s |"
	print "|---|---|---|"
	for (i = 1; i <= n; i++)
		printf "| %s | %.1f | %.1f |\n", order[i],
			of(order[i], "0"), of(order[i], "auto")
}' "$work/figures"
