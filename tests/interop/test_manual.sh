#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The manual page has the commands, options and words of the kernel command line
# that the program has; README has the words.
O=${1:-build}
. "${0%/*}/../tap.sh"
nbdboot=$O/nbdboot

# options: of the usage on standard input, one on a line
options()
{
	tr -s ' \t\n[]|' '\n' | grep -e '^-.' || :
}

mandoc -T ascii -O width=1000 boot/cli/nbdboot.8 | col -b >"$work/page"
sed -n '/^SYNOPSIS/,/^DESCRIPTION/s/^ *\(nbdboot .*\)/\1/p' "$work/page" \
	>"$work/synopsis"
"$nbdboot" help | sed -n 's/^nbdboot \([a-z-]*\).*/\1/p' >"$work/commands"
[ -s "$work/commands" ] || not_ok 'there are commands'

while read -r c; do
	"$nbdboot" help "$c" | sed '/^\(nbdboot\|\t\)/!q' | sed '$d' |
		options >"$work/want"
	grep "^nbdboot $c\($\| \)" "$work/synopsis" | options >"$work/got"
	if grep -q "^nbdboot $c\($\| \)" "$work/synopsis" &&
		cmp -s "$work/want" "$work/got"; then
		ok "the manual has $c with its options"
	else
		not_ok "the manual has $c with its options"
		diff "$work/want" "$work/got" | sed 's/^/# /'
	fi
done <"$work/commands"

grep -o '"nbdboot\.[a-z][a-z-]*"' boot/common/cmdline.c | tr -d '"' >"$work/words"
[ -s "$work/words" ] || not_ok 'there are words'
while read -r word; do
	if grep -qw "^ *$word" "$work/page" && grep -q "^| .*\`${word}[\`=]" \
		README.md; then
		ok "the manual and README have $word"
	else
		not_ok "the manual and README have $word"
	fi
done <"$work/words"

make -s O="$O" install DESTDIR="$work/dest" PREFIX=/usr >"$work/log" 2>&1 ||
	show "$work/log"
if cmp -s boot/cli/nbdboot.8 "$work/dest/usr/share/man/man8/nbdboot.8" &&
	[ -x "$work/dest/usr/sbin/nbdboot" ]; then
	ok 'make install installs the program and the manual'
else
	not_ok 'make install installs the program and the manual'
fi

units=$work/dest/usr/lib/systemd/system
if grep -qx 'ExecStart=/usr/sbin/nbdboot watch' "$units/nbdboot-watch.service" &&
	grep -qx 'ExecStart=/usr/sbin/nbdboot watch %i' \
		"$units/nbdboot-watch@.service"; then
	ok 'and units that start it from there'
else
	not_ok 'and units that start it from there'
fi

finish
