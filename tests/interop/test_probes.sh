#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Static probes: not an instruction where they are configured out, and in the
# list of bpftrace where they are not.
O=${1:-build}
. "${0%/*}/../tap.sh"
base='-std=c11 -O2 -w -D_GNU_SOURCE -I.'

# instructions FILE FLAG...: compiles it, and prints its instructions
instructions()
{
	file=$1
	shift
	# shellcheck disable=SC2086 # words on purpose
	gcc $base -include "$O/autoconf.h" "$@" -c -o "$work/object.o" "$file"
	objdump -d "$work/object.o" | grep -v 'file format'
}

probes=0
# shellcheck disable=SC2013 # names without blanks
for source in $(grep -l 'NBD_PROBE[0-9](' -r port boot --include='*.c'); do
	sed '/NBD_PROBE[0-9](/d' "$source" >"$work/without.c"
	instructions "$source" -UCONFIG_PORT_PROBES >"$work/off"
	instructions "$work/without.c" >"$work/without"
	if [ -s "$work/off" ] && cmp -s "$work/off" "$work/without"; then
		ok "$source: probes that are off cost no instruction"
	else
		not_ok "$source: probes that are off cost no instruction"
		diff "$work/off" "$work/without" | head -n 20 | sed 's/^/# /'
	fi
	instructions "$source" -DCONFIG_PORT_PROBES=1 >"$work/on"
	# bpftrace takes no file that could not run
	# shellcheck disable=SC2086 # words on purpose
	gcc $base -include "$O/autoconf.h" -DCONFIG_PORT_PROBES=1 -fPIC -shared \
		-o "$work/library.so" "$source"
	sed -n 's/.*NBD_PROBE[0-9](\([a-z]*\),.*/\1/p' "$source" |
		sort >"$work/want"
	bpftrace -l "usdt:$work/library.so:nbdboot:*" >"$work/listed" 2>&1 || :
	if sed 's/.*://' "$work/listed" | sort | cmp -s - "$work/want" &&
		! cmp -s "$work/on" "$work/off"; then
		ok "$source: bpftrace lists the probes that are on"
	else
		not_ok "$source: bpftrace lists the probes that are on"
		show "$work/listed"
	fi
	probes=$((probes + $(wc -l <"$work/want")))
done
if [ "$probes" -ge 4 ]; then
	ok 'there are probes in the engine and the watcher'
else
	not_ok 'there are probes in the engine and the watcher'
fi
finish
