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

pages=$(echo boot/*/nbdboot*.[178])
for page in $pages; do
	mandoc -T ascii -O width=1000 "$page" | col -b | sed -n \
		'/^SYNOPSIS/,/^EXAMPLE/s/^ *\(nbdboot .*\)/\1/p' \
		>"$work/${page##*/}"
done
cat "$work"/nbdboot*.[178] >"$work/synopsis"
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
	page=$(sed -n 's/^Manual: \(.*\)(\([178]\))$/\1.\2/p' "$work/help")
	check "and $page, which help names, is the page of $c" \
		grep -q "^nbdboot $c\($\| \)" "$work/$page"
	check "and help of $c has each default once" \
		[ ! "$(grep -E '\(([0-9]+)\) \(\1\)' "$work/help")" ]
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
grep -ohE '(WORD(_[A-Z]+)?|NET)\("[a-zA-Z0-9_.-]+' boot/words/*.c boot/init/*.c \
	boot/root/*.c | sed 's/.*"//' | sort -u >"$work/words"
[ "$(wc -l <"$work/words")" -gt 30 ] || not_ok 'there are words'
while read -r word; do
	if grep -qE "^\.(It )?Cm (.* Cm )?$word(=| |\$)" \
		boot/init/nbdboot-cmdline.7; then
		ok "nbdboot-cmdline(7) has $word"
	else
		not_ok "nbdboot-cmdline(7) has $word"
	fi
done <"$work/words"
twice=$(grep '^\.It Cm ' boot/init/nbdboot-cmdline.7 | sort | uniq -d)
check "and no word twice$twice" [ ! "$twice" ]

# ---- each page ----

# All texts of the program: literals that follow one another are one.
find core port boot -name '*.[ch]' -exec cat {} + | tr '\n\t' '  ' |
	sed 's/" *"//g' >"$work/texts"
for page in $pages; do
	name=${page##*/}
	# behind NAME and SYNOPSIS
	check "$name has an example first" [ EXAMPLE = "$(sed -n \
		's/^\.Sh //p' "$page" | grep -vx 'NAME\|SYNOPSIS' | head -n 1)" ]
	sed -n '/^\.Sh WHAT GOES WRONG/,/^\.Sh [^W]/p' "$page" >"$work/wrong"
	check "$name has a section on what goes wrong" \
		grep -q '^\.\(It\|Bd\)' "$work/wrong"
	unknown=''
	sed -n 's/^\.It Dq \(.*\)/\1/p' "$work/wrong" |
		sed 's/ No .*//; s/\\(dq/"/g' >"$work/quoted"
	while read -r text; do
		grep -qF -e "$text" "$work/texts" || unknown="$unknown; $text"
	done <"$work/quoted"
	check "$name quotes messages that there are$unknown" [ ! "$unknown" ]
	check "nbdboot(8) names $name" [ "$name" = nbdboot.8 -o "$(grep -cx \
		"\.It Xr ${name%.*} ${name##*.}" boot/cli/nbdboot.8)" = 1 ]
	# without an argument .Nm is the name of the page
	case $name in
	nbdboot.8 | nbdboot-efi.7) ;;
	*) check "$name has the program by its own name" \
		[ ! "$(grep '^\.Nm\( [^a-z]*\)\?$' "$page")" ] ;;
	esac
	unknown=''
	sed -n 's/^\.Xr \(nbdboot[a-z-]*\) \([178]\).*/\1.\2/p' "$page" |
		sort -u >"$work/others"
	while read -r other; do
		[ -e "$work/$other" ] || unknown="$unknown $other"
	done <"$work/others"
	check "$name refers to pages that there are$unknown" [ ! "$unknown" ]
done

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
