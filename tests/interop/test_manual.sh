#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The manual pages describe all commands, options and words of the kernel
# command line.
O=${1:-build}
. "${0%/*}/../tap.sh"
nbdboot=$O/nbdboot

# Prints the options of the usage on standard input, one on each line.
options()
{
	tr -s ' \t\n[]|' '\n' | grep -e '^-.' || :
}

pages='boot/cli/nbdboot.8 boot/cli/nbdboot-nbd-client.8
	boot/copy/nbdboot-copy.1 boot/init/nbdboot-cmdline.7
	boot/trace/nbdboot-trace.8 boot/uefi/nbdboot-efi.7'
for page in $pages; do
	mandoc -T ascii -O width=1000 "$page" | col -b | sed -n \
		'/^SYNOPSIS/,/^DESCRIPTION/s/^ *\(nbdboot .*\)/\1/p'
done >"$work/synopsis"
"$nbdboot" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' >"$work/commands"
[ -s "$work/commands" ] || not_ok 'there are commands'

# items FROM TO: the options that have an item between these lines of the pages,
# as help writes them: "-c, --connections" or "--json"
items()
{
	# shellcheck disable=SC2086 # words on purpose
	cat $pages | sed -n "/$1/,/$2/{
		s/^\.It Fl \(.\) , Fl Fl \([a-z-]*\).*/-\1, --\2/p
		s/^\.It Fl Fl \([a-z-]*\).*/--\1/p
	}" | sort
}
items '^\.Sh TLS' '^\.Sh EXIT' >"$work/tls"

while read -r c; do
	"$nbdboot" help "$c" >"$work/help"
	sed '/^\(nbdboot\|\t\)/!q' "$work/help" | sed '$d' |
		options >"$work/want"
	grep "^nbdboot $c\($\| \)" "$work/synopsis" | options >"$work/got"
	if grep -q "^nbdboot $c\($\| \)" "$work/synopsis" &&
		cmp -s "$work/want" "$work/got"; then
		ok "the manual has $c with its options"
	else
		not_ok "the manual has $c with its options"
		diff "$work/want" "$work/got" | sed 's/^/# /'
	fi
	# a page has the options of TLS once, for all commands
	grep '^-' "$work/help" | sed 's/\(--[a-z-]*\).*/\1/' | sort |
		comm -23 - "$work/tls" >"$work/want"
	items "^\.It Cm $c\($\| \)" '^\.\(It Cm\|Ss\|Sh\)' >"$work/got"
	if cmp -s "$work/want" "$work/got"; then
		ok "and an item for each option of $c, and no other"
	else
		not_ok "and an item for each option of $c, and no other"
		diff "$work/want" "$work/got" | sed 's/^/# /'
	fi
done <"$work/commands"
if "$nbdboot" help connect | grep '^-' | sed 's/\(--[a-z-]*\).*/\1/' | sort |
	comm -13 - "$work/tls" | grep . >"$work/got"; then
	not_ok 'all options of TLS are those of connect'
	show "$work/got"
else
	ok 'all options of TLS are those of connect'
fi

# Each entry of the tables of words has an item in the manual.
sed -n 's/^	{ "\([a-zA-Z_.-]*\)",.*/\1/p' boot/common/cmdline.c boot/net/plan.c \
	>"$work/words"
[ "$(wc -l <"$work/words")" -gt 30 ] || not_ok 'there are words'
while read -r word; do
	if grep -qE "^\.(It )?Cm (.* Cm )?$word(=| |\$)" \
		boot/init/nbdboot-cmdline.7; then
		ok "nbdboot-cmdline(7) has $word"
	else
		not_ok "nbdboot-cmdline(7) has $word"
	fi
done <"$work/words"

make -s O="$O" install DESTDIR="$work/dest" PREFIX=/usr >"$work/log" 2>&1 ||
	show "$work/log"
if [ -x "$work/dest/usr/sbin/nbdboot" ]; then
	ok 'make install installs the program'
else
	not_ok 'make install installs the program'
fi
for page in $pages; do
	if cmp -s "$page" "$work/dest/usr/share/man/man${page##*.}/${page##*/}"
	then
		ok "and ${page##*/}"
	else
		not_ok "and ${page##*/}"
	fi
done
for script in boot/trace/nbd*[!0-9]; do
	if cmp -s "$script" "$work/dest/usr/sbin/${script##*/}" &&
		grep -q "^\.It Nm ${script##*/}" boot/trace/nbdboot-trace.8; then
		ok "and ${script##*/}, which has an item in the manual"
	else
		not_ok "and ${script##*/}, which has an item in the manual"
	fi
done

units=$work/dest/usr/lib/systemd/system
if grep -qx 'ExecStart=/usr/sbin/nbdboot watch' "$units/nbdboot-watch.service" &&
	grep -qx 'ExecStart=/usr/sbin/nbdboot watch %i' \
		"$units/nbdboot-watch@.service"; then
	ok 'and units that start it from there'
else
	not_ok 'and units that start it from there'
fi

finish
