#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A table of paces of a root that moves to a disk: how long the copy takes, by that
# of `nbdboot copy` to such a disk in the same machine, and how much of fio's rate
# is left beside it.  The server answers after DELAY (ms), with RATE (MiB/s), so
# that the link is what is short.  PACES are percent of the time, or "default";
# fio runs for SECONDS_EACH.
vm_kind=uml
here=${0%/*}/..
# shellcheck source=tests/vm/lib.sh
. "$here/lib.sh"
[ "$vm_kind" = uml ] || die 'this needs User-mode Linux'

tree=$work/tree
find_kernel
root_tree "$tree" guest/bench-clone.sh
copy_program "$tree" fio
install -m 755 "$nbdboot" "$tree/bin/nbdboot"
mkdir -p "$tree/var/tmp"
truncate -s 192M "$work/root"
mke2fs -q -t ext4 -E root_owner=0:0 -d "$tree" "$work/root"
initramfs "$work/initramfs" \
	'nbd virtio_net virtio_pci ext4 dm_mod dm_mirror' | sed 's/^/# /'

# value NAME: of a line of the machine
value()
{
	sed -n "s/^bench: $1 //p" "$work/log"
}

cp "$work/root" "$work/image"
serve 0 --filter=delay --filter=rate file "$work/image" \
	delay-read="${DELAY:-1}ms" delay-write="${DELAY:-1}ms" \
	rate="$((${RATE:-20} * 8))M" 2>/dev/null || die 'no server'
printf '%8s %9s %9s %7s %9s %9s %7s\n' pace 'copy s' 'clone s' ratio \
	'fio alone' beside slower
for pace in ${PACES:-default 25 50 75 100}; do
	cp "$work/root" "$work/image"
	rm -f "$work/a" "$work/b"
	truncate -s 200M "$work/a" "$work/b"
	vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip rw \
loglevel=4 ubd0=$work/a ubd1=$work/b nbdboot.clone=/dev/ubdz bench.pace=$pace \
bench.seconds=${SECONDS_EACH:-5}"
	vm_end
	if ! said '^bench: end' || said WRONG; then
		cat "$work/log" >&2
		die "pace $pace: it did not come to its end (see above)"
	fi
	printf '%s %s %s %s %s %s\n' "$pace" "$(value copy)" "$(value clone)" \
		"$(value alone)" "$(value again)" "$(value beside)" |
		awk '{ a = ($4 + $5) / 2
			printf "%8s %9.2f %9.2f %7.2f %9d %9d %6.1f%%\n", $1,
			$2 / 1000, $3 / 1000, $3 / $2, a, $6, 100 - 100 * $6 / a }'
done
