#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A machine with a disk to which its root moves, and which loses its power CUTS
# times, at a random write to the disk (uml-cut.c): during the copy, around the
# mark, behind it, in a boot from the disk, during another copy to a disk that has
# a clone (again), and during `nbdboot copy --delta`.  Each boot has to find what
# the one before had written, on the server or on the disk, whatever its mark says.
# In the first FIO cuts of the root it is fio that writes, reads and compares.
# TAP on standard output.
vm_kind=uml
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"
[ "$vm_kind" = uml ] || die 'this needs User-mode Linux'
# shellcheck source=tests/vm/clone.sh
. "$here/clone.sh"
VM_LIMIT=120
spare=$work/spare
fio=${FIO:-50}
with_fio=''

gcc -O2 -shared -fPIC -D_GNU_SOURCE -Wl,-z,now -o "$work/uml-cut.so" \
	"$here/uml-cut.c" || die 'uml-cut.c does not compile'
uml_fp="$uml_fp $work/uml-cut.so"

# draw N: prints a number below N
draw()
{
	echo $(($(od -An -N4 -tu4 /dev/urandom) % $1))
}

# mark: prints "copying", "complete" or nothing
mark()
{
	dd if="$disk" bs=4096 skip=$((39 * 256)) count=1 status=none |
		tr -d '\0' | sed -n 's/^state //p'
}

# arm FILE TEXT N: the power ends before the Nth write of FILE behind that one which
# begins with TEXT
arm()
{
	export UML_CUT_DISK="$1" UML_CUT_TEXT="$2" UML_CUT_AT="$3"
	UML_CUT_SEED=$(draw 1000000000)
	export UML_CUT_SEED
}

# arm_flush FILE TEXT N: or at the Nth flush behind it
arm_flush()
{
	arm "$1" "$2" ''
	unset UML_CUT_AT
	export UML_CUT_FLUSH="$3"
}

disarm()
{
	unset UML_CUT_DISK UML_CUT_TEXT UML_CUT_AT UML_CUT_FLUSH UML_CUT_SEED
}

# serve_image: anew, as nbdkit 1.32 has ended now and then behind a client without
# power, and then also while the next one connected
serve_image()
{
	! runs "$server" || unserve
	serve "$port" file "$image"
}

# live WORD...: a machine to its end.  Looks whether it found what had been kept.
live()
{
	serve_image
	vm_start "$work/initramfs" "root=nbd://$host:$port/ ip=$guest_ip \
loglevel=6 rw ubd0=$disk ubd2=$work/fio $with_fio $*"
	# by hand, not by the process of init
	if vm_wait 'power: cut*' 'nbdboot: nbd0: *'; then
		vm_stop
	else
		vm_end
	fi
	at=$(sed -n 's/.*at first the root is on .* made of //p' "$work/log")
	[ "$at" ] || return 0
	found=$(sed -n 's/^guest: has //p' "$work/log")
	want=$at_server
	[ "$truth" = nbd0 ] || want=$at_disk
	sentence="it came up from $at with ${found:-0}, and had written $want"
	if [ "$at" = "$truth" ] && [ "${found:-0}" -ge "$want" ] &&
		! said WRONG; then
		ok "$sentence"
	else
		not_ok "$sentence"
		show "$work/log"
	fi
}

# is_sound_behind FILE: once its journal is replayed, its file system has no error
is_sound_behind()
{
	cp "$1" "$work/copy"
	e2fsck -fy -E journal_only "$work/copy" >"$work/fsck" 2>&1 || :
	if e2fsck -fn "$work/copy" >>"$work/fsck" 2>&1; then
		ok "the file system of ${1##*/} is sound ($stage)"
	else
		not_ok "the file system of ${1##*/} is sound ($stage)"
		show "$work/fsck"
		show "$work/log"
	fi
}

# judge: sets stage, by the console and the mark, and truth, at_server and at_disk:
# where the next boot is from, and what it has to find
judge()
{
	last=$(sed -n 's/^guest: kept //p' "$work/log" | tail -n 1)
	truth=nbd0
	[ "$(mark)" != complete ] || truth=ubda
	if [ ! "$to" ]; then
		stage='local boot'
		[ ! "$at" ] || stage=local
		at_disk=${last:-$at_disk}
	elif [ "$truth" = nbd0 ]; then
		stage=copy$again
		at_server=${last:-$at_server}
	elif [ "$again" ] && ! said 'clone: copying'; then
		# before the mark was taken back
		stage=copy$again
		at_server=${last:-$at_server}
	elif ! said 'clone: .* is the root'; then
		stage=mark$again
		at_disk=${last:-$at_server}
		at_server=$((at_disk > 0 ? at_disk - 1 : 0))
	else
		stage=moved$again
		at_disk=${last:-$at_server}
		# the line may come behind a file that the disk alone has
		last=$(sed -n '/clone: .* is the root/q; s/^guest: kept //p' \
			"$work/log" | tail -n 1)
		at_server=$((${last:-1} - 1))
	fi
}

# cut_any: one machine that loses its power
cut_any()
{
	again='' with_fio='' most=50 writes=120
	# the first round of fio takes half a second
	[ "$fio" = 0 ] || with_fio=guest.fio most=15 writes=360
	to=guest.to=/dev/ubda,rate=$((10 + $(draw $most)))
	case $truth/$(draw 8) in
	nbd0/[0-3]) arm "$disk" "$magic copying" "$(draw $writes)" ;;
	nbd0/[4-5]) arm_flush "$disk" "$magic complete" "$(draw 2)" ;;
	nbd0/*) arm "$disk" "$magic complete" "$(draw 80)" ;;
	ubda/[0-2])
		arm "$disk" '' "$(draw 90)"
		to=''
		;;
	ubda/[3-4])
		arm "$disk" "$magic copying" "$(draw $writes)"
		again=,again truth=nbd0
		;;
	ubda/5)
		arm_flush "$disk" "$magic complete" "$(draw 3)"
		again=,again truth=nbd0
		;;
	*)
		fresh
		arm_flush "$disk" "$magic complete" 0
		;;
	esac
	live "nbdboot.clone=/dev/ubda$again" ${to:+"$to$again"} guest.lose
	disarm
	if ! said '^power: cut'; then
		not_ok "cut $round: the power was cut (${to:-local})"
		show "$work/log"
		fresh
		return
	fi
	judge
	echo "# cut $round: $stage, $(sed -n 's/^power: //p' "$work/log")"
	if said '^guest: fio runs'; then
		stage="$stage, with fio"
		fio=$((fio - 1))
	fi
	echo "$stage" >>"$work/stages"
	if [ "$truth" = ubda ]; then
		is_sound_behind "$disk"
	else
		is_sound_behind "$image"
	fi
}

# A new disk, and the image as it was made.
fresh()
{
	cp "$work/root" "$image"
	rm -f "$disk"
	truncate -s 40M "$disk"
	truth=nbd0 at_server=0 at_disk=0
}

# cut_delta: of a copy to a second disk that has an older image; then to its end
cut_delta()
{
	cp "$work/old" "$spare"
	arm "$spare" '' "$(draw 60)"
	serve_image
	words="root=nbd://$host:$port/ ip=$guest_ip loglevel=6 rw \
ubd1=$spare guest.delta=nbd://$host:$tree_port/,nbd://$host:$delta_port/"
	vm_start "$work/initramfs" "$words"
	! vm_wait 'power: cut*' || vm_stop
	[ ! "$vm" ] || vm_end
	disarm
	said '^power: cut' && echo delta >>"$work/stages"
	vm_start "$work/initramfs" "$words"
	vm_end
	check "cut $round: a copy of what differs is whole behind a cut" \
		cmp "$work/new" "$spare"
	said '^guest: copied' || show "$work/log"
}

# disk_of_fio: with its libraries, and a link to what loads it
disk_of_fio()
{
	tools=$work/tools
	copy_program "$tools" fio
	ln -s "$(ldd "$(command -v fio)" | sed -n 's/^[ \t]*\(\/[^ ]*\) .*/\1/p')" \
		"$tools/loader"
	(cd "$tools" && find . -name '*.so*' | sed 's,^\.\(.*\)/[^/]*$,/mnt\1,' |
		sort -u | paste -sd :) >"$work/libraries"
	mv "$work/libraries" "$tools/"
	truncate -s 160M "$work/fio"
	mke2fs -q -t ext4 -E root_owner=0:0 -O ^has_journal -d "$tools" "$work/fio"
	rm -r "$tools"
}

magic='nbdboot-clone 1
state'
head -c 8M /dev/urandom >"$work/old"
cp "$work/old" "$work/new"
for i in $(seq 0 2 60); do
	dd if=/dev/urandom of="$work/new" bs=32k seek=$((i * 4)) count=1 \
		conv=notrunc status=none
done
veritysetup format "$work/new" "$work/hashes" >"$work/out" ||
	die 'veritysetup failed'
serve 0 -r file "$work/new"
delta_port=$port
serve 0 -r file "$work/hashes"
tree_port=$port
disk_of_fio
fresh
serve 0 file "$image"
for round in $(seq "${CUTS:-200}"); do
	if [ "$(draw 12)" = 0 ]; then cut_delta; else cut_any; fi
done
stage=end
live nbdboot.clone=/dev/ubda guest.whole
sort "$work/stages" | uniq -c | sed 's/^ */# cuts: /'
finish
