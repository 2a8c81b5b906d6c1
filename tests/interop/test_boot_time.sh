#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The times of a boot as text and as a chart, of one boot and of two.
O=${1:-build}
. "${0%/*}/../tap.sh"
nbdboot=$O/nbdboot

cat >"$work/a" <<'END'
{"unit":"ms","host":"desk17","root":"nbds://boot.example.org/debian",
"kernel":"6.1.0-56-amd64","date":"2026-11-22 16:05 UTC","steps":[
{"name":"firmware","start":-812,"end":0},
{"name":"kernel","start":0,"end":912},
{"name":"network","start":914,"end":1702},
{"name":"link eth0","start":916,"end":1420},
{"name":"lease eth0","start":1420,"end":1701},
{"name":"connect","start":1702,"end":1893},
{"name":"TLS","start":1720,"end":1833},
{"name":"switch","start":1893,"end":2061}]}
END
sed 's/"start":1702,"end":1893/"start":1702,"end":1743/; /link eth0/d' \
	"$work/a" >"$work/b"
# as earlier versions wrote it
echo '{"unit":"ms","steps":[{"name":"kernel","start":0,"end":912}]}' >"$work/old"

# prints SENTENCE LINE ARGUMENT...: that line is in the output, but for blanks
prints()
{
	sentence=$1 line=$2
	shift 2
	run "$nbdboot" boot-time "$@"
	if [ "$status" = 0 ] && tr -s ' ' <"$work/out" | grep -qe "$line"; then
		ok "$sentence"
	else
		not_ok "$sentence"
		show "$work/out"
		show "$work/err"
	fi
}

prints 'a chart without a name of the machine' '<title>Boot of a machine<' \
	--svg "$work/old"
prints 'a step has its start and its duration' '^ 1702 191 connect ' "$work/a"
prints 'the total is from the firmware to the switch' '^ total 2873$' "$work/a"
prints 'an older file is read' '^ 0 912 kernel' "$work/old"
prints 'a step is compared' '^ 1702 191 41 150 connect ' --compare "$work/b" \
	"$work/a"
prints 'a step of one boot alone' '^ 916 504 - link eth0 ' \
	--compare "$work/b" "$work/a"
prints 'as is the total' '^ total 2873 2873 0$' --compare "$work/b" "$work/a"
prints 'the slowest step comes first with -s' '^ 0 912 kernel' -s "$work/a"
if sed -n 2p "$work/out" | grep -q kernel &&
	sed -n 3p "$work/out" | grep -q firmware &&
	sed -n 4p "$work/out" | grep -q network; then
	ok 'and the others follow'
else
	not_ok 'and the others follow'
	show "$work/out"
fi

# The DTD of SVG, which lies in a package.  To install that would take 20 s, as it
# registers hundreds of DTDs one by one.
dtds=$(realpath "$O")/dtds
export XML_CATALOG_FILES="$dtds/usr/share/xml/w3c-sgml-lib/schema/dtd/catalog.xml"
sh tests/package.sh "$dtds" w3c-sgml-lib >"$work/apt" 2>&1 || {
	show "$work/apt"
	die 'the DTD of SVG is missing'
}

# chart SENTENCE ARGUMENT...: $work/svg is valid SVG 1.1, by its DTD
chart()
{
	sentence=$1
	shift
	run "$nbdboot" boot-time --svg "$@"
	cp "$work/out" "$work/svg"
	run xmllint --nonet --valid --noout "$work/svg"
	expect 0 '' "$sentence"
}

# shape SENTENCE N XPATH: so many of these are in the chart
shape()
{
	n=$(xmllint --nonet --xpath "count($3)" "$work/svg")
	if [ "$n" = "$2" ]; then
		ok "$1"
	else
		not_ok "$1"
		echo "# $n in place of $2: $3"
	fi
}

# seen SENTENCE: a browser draws the chart, and nothing in it is cut, small or
# hidden
seen()
{
	{
		sed 's,</svg>,,' "$work/svg"
		echo '<script><![CDATA['
		cat "${0%/*}/chart.js"
		echo ']]></script></svg>'
	} >"$work/seen.svg"
	run $offline "$browser" --headless --no-sandbox --disable-gpu \
		--window-size=600,800 \
		--user-data-dir="$work/browser" --dump-dom "file://$work/seen.svg"
	expect 0 ' seen="all"' "$1"
}

browser=$(command -v chromium-headless-shell) || browser=chromium
# where it cannot look for updates, if this user may have such a network
offline=''
! unshare -n true 2>/dev/null || offline='unshare -n'
n() { echo "//*[local-name()='$1']"; }
chart 'the chart is valid SVG 1.1' "$work/a"
shape 'it has a bar for each step' 8 "$(n g)/$(n rect | tr -d /)"
shape 'of which each has a tooltip' 8 \
	"$(n g)/$(n title | tr -d /)[contains(., ' ms, from ')]"
shape 'and what it waited for' 8 \
	"$(n g)/$(n desc | tr -d /)[starts-with(., 'waits for ')]"
shape 'link, lease and TLS are among them' 3 \
	"$(n text)[.='link eth0' or .='lease eth0' or .='TLS']"
shape 'its title has the host and the total' 1 \
	"$(n text)[.='desk17 booted in 2.87 s']"
shape 'and below root, kernel and date' 1 "$(n text)[.='nbds://boot.example.org/debian, Linux 6.1.0-56-amd64, 2026-11-22 16:05 UTC']"
shape 'an axis has lines with numbers' 6 "$(n path)[@stroke]"
shape 'the background is white' 1 "$(n rect)[@width='600' and @fill='#fff']"
shape 'no bar leaves the picture' 0 \
	"$(n rect)[@x < 0 or @x + @width > 600 or @width < 1]"
shape 'nor overlap two of them' 0 \
	"$(n g)[$(n rect | tr -d /)/@y = preceding-sibling::*/$(n rect | tr -d /)/@y]"
key="$(n rect)[following-sibling::*[1][.='%s']]"
for phase in firmware:1 kernel:1 drivers:0 network:3 storage:2 nbdboot:1; do
	# shellcheck disable=SC2059 # it is a format
	shape "${phase#*:} of the bars have the color of ${phase%:*}" \
		"${phase#*:}" "$(n g)/$(n rect | tr -d /)[@fill = $(printf \
			"$key" "${phase%:*}")/@fill]"
done
within="$(n g)[starts-with(*, 'network:')]/$(n rect | tr -d /)"
shape 'link and lease are drawn below the network, and within its time' 2 \
	"$(n g)[contains(*, ' eth0:')]/$(n rect | tr -d /)[@x >= $within/@x and
	@x + @width <= $within/@x + $within/@width and @y > $within/@y]"
seen 'a browser shows all of it'
chart 'the chart of two boots is valid' --compare "$work/b" "$work/a"
shape 'it has the bars of both' 15 "$(n g)/$(n rect | tr -d /)"
shape 'those of the other one pale' 7 "$(n rect)[@fill-opacity]"
seen 'a browser shows all of both'
chart 'the chart of an older file is valid' "$work/old"
run "$nbdboot" boot-time --compare "$work/none" "$work/a"
expect 1 "$work/none" 'a file that is not there is named'

# shellcheck disable=SC2016 # for the inner shell
run unshare -m sh -c 'mount -t tmpfs run /run && mkdir /run/nbdboot &&
	cp "$0" /run/nbdboot/boot.json && exec "$@"' \
	"$work/a" "$nbdboot" report --json
if jq -e '.boot | join("") | fromjson | .host == "desk17" and
	(.steps | length) == 8' "$work/out" >/dev/null; then
	ok 'a report has the times of the boot'
else
	not_ok 'a report has the times of the boot'
	show "$work/out"
	show "$work/err"
fi

printf '%s\n' 'image nbd://srv/b' 'state good' \
	"left nbd://srv/$(printf '\033')c" >"$work/image"
# shellcheck disable=SC2016 # for the inner shell
run unshare -m sh -c 'mount -t tmpfs run /run && mkdir /run/nbdboot &&
	cp "$0" /run/nbdboot/image && exec "$@"' \
	"$work/image" "$nbdboot" image
printf '%s\n' 'image nbd://srv/b' 'state good' 'left nbd://srv/\x1bc' \
	>"$work/want"
if cmp -s "$work/want" "$work/out"; then
	ok 'the image of a boot has its lines, without controls'
else
	not_ok 'the image of a boot has its lines, without controls'
	diff "$work/want" "$work/out" | sed 's/^/# /'
fi

echo 'quiet nbd_host=h nbd_name="a b" root=/dev/nbd0 rw BOOTIF=01-2 secret=1' \
	'vlan=v1:eth0 rd.luks.key=/k nbdboot.debug nbdboot.x=y' \
	'netroot=iscsi:me:pass@word@srv::::iqn root=nbd:h:x@y' \
	'mount.usr=cifs://me:word@srv/usr mount.usrflags=ro,secret=x' \
	'rootflags=ro,username=u,password=p,q -- root=z' \
	>"$work/cmdline"
# shellcheck disable=SC2016 # for the inner shell
run unshare -m sh -c 'mount --bind "$0" /proc/cmdline && exec "$@"' \
	"$work/cmdline" "$nbdboot" report --json
printf '%s\n' nbd_host=h 'nbd_name=a b' root=/dev/nbd0 rw BOOTIF=01-2 \
	vlan=v1:eth0 nbdboot.debug nbdboot.x=y netroot=iscsi:...@srv::::iqn \
	root=nbd:h:x@y mount.usr=cifs:...@srv/usr mount.usrflags=ro,... \
	rootflags=ro,username=u,... \
	>"$work/want"
jq -r '.words[]' "$work/out" >"$work/got" || :
if cmp -s "$work/want" "$work/got"; then
	ok 'and the words that nbdboot reads, but no others'
else
	not_ok 'and the words that nbdboot reads, but no others'
	diff "$work/want" "$work/got" | sed 's/^/# /'
fi

finish
