#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A table of paces of a root that moves to a disk: how long the copy takes, by that
# of `nbdboot copy` to such a disk in the same machine, and how much of fio's rate
# is left beside it.  The server answers after DELAY (ms), with RATE (MiB/s), so
# that the link is what is short.  PACES are percent of the time, or "default";
# fio runs for SECONDS_EACH, TURNS times beside a copy, and before and behind each.
# "slower" is the median of the turns; VERBOSE shows each, with its longest write (ms).
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

cp "$work/root" "$work/image"
serve 0 --filter=delay --filter=rate file "$work/image" \
	delay-read="${DELAY:-1}ms" delay-write="${DELAY:-1}ms" \
	rate="$((${RATE:-20} * 8))M" 2>/dev/null || die 'no server'
printf '%8s %9s %9s %7s %9s %9s %7s %s\n' pace 'copy s' 'clone s' ratio \
	'fio alone' beside slower 'each turn'
for pace in ${PACES:-default 25 50 75 100}; do
	cp "$work/root" "$work/image"
	rm -f "$work/a" "$work/b"
	truncate -s 200M "$work/a" "$work/b"
	vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip rw \
loglevel=4 ubd0=$work/a ubd1=$work/b nbdboot.clone=/dev/ubdz bench.pace=$pace \
bench.seconds=${SECONDS_EACH:-5} bench.turns=${TURNS:-5}"
	vm_end
	if ! said '^bench: end' || said WRONG; then
		cat "$work/log" >&2
		die "pace $pace: it did not come to its end (see above)"
	fi
	[ ! "${VERBOSE-}" ] || sed -n 's/^bench: /# /p' "$work/log"
	# beside a copy, in parts of what was before it and behind it
	sed -n 's/^bench: //p' "$work/log" | awk -v pace="$pace" "$median"'
		$1 == "copy" { copy = $2 }
		$1 == "clone" { clone = $2 }
		$1 == "alone" { alone[++n] = $2 }
		$1 == "beside" { beside[n] = $2 }
		END {
			for (i = 1; i < n; i++) {
				around = (alone[i] + alone[i + 1]) / 2
				part[i] = 100 - 100 * beside[i] / around
				turns = turns sprintf(" %.1f", part[i])
			}
			printf "%8s %9.2f %9.2f %7.2f %9d %9d %6.1f%%%s\n", pace,
				copy / 1000, clone / 1000, clone / copy,
				median(alone, n), median(beside, n - 1),
				median(part, n - 1), turns
		}'
done
