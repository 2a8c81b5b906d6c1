#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Devices besides the root: the command of nbdboot@.service, with a program that
# only prints its arguments, and that of the udev rule.  (What udev makes of it:
# vm/test_udev.sh.)
O=${1:-build}
. "${0%/*}/../tap.sh"

make -s O="$O" DESTDIR="$work/dest" PREFIX=/usr install >/dev/null
unit=$work/dest/usr/lib/systemd/system/nbdboot@.service
rules=$work/dest/usr/lib/udev/rules.d/60-nbdboot.rules

# is SENTENCE WANTED GOT
is()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1: \"$3\" in place of \"$2\""
	fi
}

# ---- the unit ----

cat >"$work/program" <<'END'
#!/bin/sh
printf '<%s>' "$@"
END
chmod 755 "$work/program"
cat >"$work/devices" <<'END'
# a comment: nbd1 nbd://no/
nbd1 nbds://srv/home -c 4
  nbd12	nbd+unix:///x?socket=/run/x	-R  -b 4096
nbd3 nbd://srv/a#b -c 2	# nbd4 and more
END

# starts DEVICE: runs what the unit does
starts()
{
	sed -n '/^ExecStart=/,/[^\\]$/{ s,\\$,,; p; }' "$unit" | tr -d '\n' |
		sed "s,^ExecStart=/bin/sh -efc ',,; s,'\$,,; s,%i,$1,g; s,%%,%,g
		s,/etc/nbdboot/devices),$work/devices),"
}

run env NBDBOOT="$work/program" sh -efc "$(starts nbd1)"
is 'the unit connects the device of its line' \
	'<connect><-d><nbd1><-c><4><nbds://srv/home>' "$(cat "$work/out")"
run env NBDBOOT="$work/program" sh -efc "$(starts nbd12)"
is 'with blanks of any kind' \
	'<connect><-d><nbd12><-R><-b><4096><nbd+unix:///x?socket=/run/x>' \
	"$(cat "$work/out")"
run env NBDBOOT="$work/program" sh -efc "$(starts nbd3)"
is 'and a comment behind them' '<connect><-d><nbd3><-c><2><nbd://srv/a#b>' \
	"$(cat "$work/out")"
mkdir "$work/bin"
cat >"$work/bin/sleep" <<'END'
#!/bin/sh
echo "sleep $1" >>"$TAP_WORK/slept"
END
cat >"$work/down" <<'END'
#!/bin/sh
# fails so often, with this status
echo >>"$TAP_WORK/tried"
[ "$(wc -l <"$TAP_WORK/tried")" -gt "$DOWN" ] || exit "$STATUS"
END
chmod 755 "$work/bin/sleep" "$work/down"

# tries TIMES STATUS: runs it with a program that fails
tries()
{
	rm -f "$work/tried" "$work/slept"
	run env NBDBOOT="$work/down" PATH="$work/bin:$PATH" DOWN="$1" \
		STATUS="$2" sh -efc "$(starts nbd1)"
}

tries 2 1
expect 0 '' 'a server that is down at first is tried again'
is 'after a pause each time' 2 "$(wc -l <"$work/slept")"
tries 99 1
expect 1 '' 'one that stays away is a failure'
is 'after 90 s, a bit more or less' 17 "$(grep -c '^sleep [456]$' "$work/slept")"
if [ "$(sort -u "$work/slept" | wc -l)" -gt 1 ]; then
	ok 'so machines do not ask a server together'
else
	not_ok 'so machines do not ask a server together'
fi
tries 99 2
expect 2 '' 'wrong arguments are a failure at once'
is 'without a pause' 1 "$(wc -l <"$work/tried")"
run env NBDBOOT="$work/program" sh -efc "$(starts nbd2)"
expect 1 'has no line for nbd2' 'a device without a line is an error'
if grep -qx 'Environment=NBDBOOT=/usr/sbin/nbdboot' "$unit"; then
	ok 'the unit runs the installed program'
else
	not_ok 'the unit runs the installed program'
fi

# ---- the links ----

is 'the rule runs the installed program' '/usr/sbin/nbdboot list --udev %k' \
	"$(sed -n 's/.*IMPORT{program}="\([^"]*\)".*/\1/p' "$rules")"

# ---- the watcher's units ----

# The socket of a server that runs as another user: only that user may write.
chmod 711 "$work"
mkdir -m 755 "$work/other"
chown 65534 "$work/other"
setpriv --reuid=65534 --clear-groups nbdkit -U "$work/other/s" \
	-P "$work/other/pid" null 1M
for name in nbdboot-watch nbdboot-watch@; do
	caps=$(tr '\n' ' ' <"${unit%/*}/$name.service" |
		sed 's/.*CapabilityBoundingSet=\([A-Z_ \\	]*\) .*/\1/
			s/[^A-Z_]*CAP_/,+/g' | tr '[:upper:]' '[:lower:]')
	run setpriv --bounding-set "-all$caps" "$work/dest/usr/sbin/nbdboot" info \
		"nbd+unix:///?socket=$work/other/s"
	expect 0 1048576 "$name.service can use the socket of another user's server"
done
kill "$(cat "$work/other/pid")"
finish
