#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Commands whose server fails: at each step of the handshake and at requests up
# to the 200th it dies, freezes, and so on (faults.c has the list).  Each command
# must end by itself with a message, or by SIGINT, or its result must be right.
# With a healthy second server, or one that knows few options, it must be right.
# (driver.c plays the kernel.)  STEPS=all takes every step (make soak-faults).  TAP
# on standard output.
#
# NETWORK is the start of a command line that runs the rest of it in a network
# of its own, where the server is at TCP port 10809 of $SERVER.  Without it the
# server is at a UNIX socket.  SHARE=N takes one of N cases.
O=${1:-build}
. "${0%/*}/../tap.sh"
# shellcheck source=tests/pki.sh
. "${0%/*}/../pki.sh"
nbdboot=$O/nbdboot
faults=$work/faults
# s until a command hangs: a handshake has 30 s, and many run at the same time
limit=900
jobs=${JOBS:-48}
# KiB of a block; the image has 256 of them, the last 16 without data.  Over lwIP
# most of the time would go to what the blocks hold.
block=64
[ ! "${NETWORK-}" ] || block=16
all='die reset freeze drip noise flood error lose cut'
[ "${STEPS-}" != all ] || all="$all stall"

gcc -O2 -std=c11 -D_GNU_SOURCE -o "$faults" "${0%/*}/faults.c"
# with the objects of the unit tests
unit=${O%/t/product}/t/unit
driver=$unit/tests/interop/driver
(cd "${0%/*}/../.." && unset MAKEFLAGS MFLAGS MAKEOVERRIDES &&
	make -s -j2 O="$unit" CC=gcc CFLAGS='-O2 -g' STATIC= "$driver") \
	>"$work/make" 2>&1 || die "no driver: $(cat "$work/make")"

# Some steps, and those around the first requests.
steps()
{
	if [ "${STEPS-}" = all ]; then
		seq 0 "$1"
	else
		seq 0 $(($1 < 8 ? $1 : 8))
		seq 12 25 "$1"
	fi
}

# The commands: a name, the last step, the faults that only SIGINT ends, and
# the words.  FAULTY is the server behind the fault, SAFE the same with TLS, OWN a
# file of the case.
# Those of devices run with the driver that is played, which has the sockets of
# the system; DEVICE is a nbd0 whose connections died: to FAULTY, and in "two" to
# HEALTHY as the second server.  rotate has one that lives: it must not end that
# for nothing.
commands()
{
	sed -E "${NETWORK:+/^(connect|reconnect|scale|rotate)|-tls /d}" <<-'END'
		info 7 - info FAULTY
		exports 5 - exports FAULTY
		map 12 freeze,drip,lose info --map FAULTY
		simple 205 reset,freeze,drip,lose copy -S -c 1 FAULTY OWN
		read 225 reset,freeze,drip,lose copy FAULTY OWN
		verify 240 reset,freeze,drip,lose copy -c 2 --verify FAULTY OWN
		write 225 reset,freeze,drip,lose copy IMAGE FAULTY
		one 205 reset,freeze,drip,lose copy -c 1 IMAGE FAULTY
		info-tls 8 - info SAFE
		exports-tls 6 - exports SAFE
		read-tls 225 reset,freeze,drip,lose copy SAFE OWN
		connect 5 freeze,drip,lose connect FAULTY
		connect-R 16 freeze,drip,lose connect -R FAULTY
		connect-two 5 - connect FAULTY HEALTHY
		connect-R-two 16 - connect -R FAULTY HEALTHY
		reconnect 12 freeze,drip,noise,flood,lose,stall reconnect -r 0 DEVICE
		reconnect-retry 12 die,reset,freeze,drip,noise,flood,lose,cut,stall reconnect DEVICE
		reconnect-two 12 - reconnect -r 0 DEVICE
		scale 24 freeze,drip,noise,flood,lose,stall scale -c 2 DEVICE
		scale-two 24 - scale -c 2 DEVICE
		rotate 12 freeze,drip,noise,flood,lose,stall rotate DEVICE
		rotate-two 12 - rotate DEVICE
	END
}

# Of the cases of a command with each fault one in SHARE, other steps for other
# faults.
share()
{
	awk -v n="${SHARE:-1}" '
		$1 $2 != last { first++; last = $1 $2 }
		$2 == "old" || (NR + first) % n == 0'
}

# The table: one case a line.
table()
{
	commands | while read -r name last ended words; do
		for fault in $all; do
			sigint=0
			case ,$ended, in
			*,$fault,*) sigint=2 ;;
			esac
			for step in $(steps "$last"); do
				echo "$name $fault $step $sigint $words"
			done
		done
		[ "${name%-tls}" != "$name" ] || echo "$name old 999 0 $words"
	done
}

# run_case NAME FAULT STEP SIGINT WORD...: prints the case and what came of it.
cat >"$work/case" <<'END'
case=$1-$2-$3 fault=$2 step=$3 sigint=$4
shift 4
own=$work/own/$case
at=$work/s/$case
faulty="nbd+unix:///?socket=$at"
[ ! "$NETWORK" ] || at=10809 faulty=nbd://$SERVER
served=$work/own/image
case $case in
write* | one*)
	truncate -s $((block * 256))K "$own"
	served=$own
	;;
connect* | reconnect* | scale* | rotate*)
	nbdboot=$driver
	healthy=
	[ "${case#*-two-}" = "$case" ] ||
		healthy=",nbd+unix:///?socket=$work/healthy"
	export BACKEND="$faulty$healthy slots=4 $identity" RUN="$own.run"
	mkdir -p "$RUN/nbdboot"
	[ "${case#rotate}" = "$case" ] || export LIVE=1
	;;
esac
[ "${case#*-tls-}" = "$case" ] || safe="--tls=require \
	--tls-certificates='$work/server'"
server="exec nbdkit -s ${safe-} --filter=blocksize-policy file '$served' \
	blocksize-maximum=${block}K blocksize-preferred=${block}K \
	blocksize-error-policy=error"
# it could not report block sizes
[ "$fault" != old ] || server="exec nbdkit -s file '$served'"
for word; do
	shift
	case $word in
	FAULTY) word=$faulty ;;
	SAFE) word="nbds${faulty#nbd}&tls-hostname=localhost&tls-certificates=$work/pki" ;;
	HEALTHY) word="nbd+unix:///?socket=$work/healthy" ;;
	OWN) word=$own ;;
	DEVICE) word=nbd0 ;;
	IMAGE) word=$work/own/image ;;
	esac
	set -- "$@" "$word"
done
result=$($NETWORK "$faults" "$limit" "$fault" "$step" "$sigint" "$server" \
	"$at" "$nbdboot" "$@" 2>"$own.err" </dev/null | tail -n 1)
data=-
case $result in
'exit 0 '*)
	[ ! -e "$own" ] || data=$(cmp -s "$own" "$work/own/image" && echo same ||
		echo other)
	;;
esac
[ ! -e "$own.run/ended" ] || data=ended
words=silent
[ ! -s "$own.err" ] || words=message
echo "$case $sigint $data $words $result"
rm -rf "$own" "$own.err" "$own.run" "$work/s/$case"
END

# verdict: reads what came of the cases, and prints those that are wrong, with
# the reason.
verdict()
{
	awk '
	function wrong(why) { print $0 " WRONG: " why }
	function step(name) { sub(/.*-/, "", name); return name + 0 }
	{
		sigint = $2; data = $3; words = $4
		how = $5; status = $6; ms = $7
		n++
		happened += $8 == "fault"
		late = $9 == "late"
		if (sigint && ms > most)
			most = ms
	}
	how == "hang" { wrong("it hangs"); next }
	how == "signal" && !(sigint && status == 2) { wrong("it was killed") }
	how == "exit" && status == 0 && data == "other" { wrong("other data") }
	data == "ended" { wrong("the only connection was ended") }
	how == "exit" && status == 1 && words == "silent" { wrong("no message") }
	how == "exit" && status > 1 && status != 130 { wrong("status") }
	how == "exit" && status == 130 && !sigint { wrong("status") }
	/^[a-zR-]*-two-/ && !(how == "exit" && status == 0) {
		wrong("the second server would have served")
	}
	/^(simple|read|verify|write|one|read-tls)-(die|cut)-/ && $8 == "fault" &&
	step($1) > 25 && !(how == "exit" && status == 0) {
		wrong("the server would have served again")
	}
	/-old-/ && !(how == "exit" && status == 0) {
		wrong("an old server would have served")
	}
	how !~ /^(exit|signal|hang)$/ { wrong("no result") }
	late { wrong("SIGINT takes longer than a second") }
	END {
		printf "# %d cases, in %d of them the fault happened\n",
			n, happened
		printf "# SIGINT ended each within %d ms\n", most
	}'
}

pki "$work/pki"
pki_server "$work/pki" server ecdsa
pki_use "$work/pki" server "$work/server"
mkdir "$work/own" "$work/s"
nbdkit -U - pattern size=$((block * 240))K \
	--run "\"$nbdboot\" copy \"\$uri\" \"$work/own/image\"" >/dev/null
truncate -s $((block * 256))K "$work/own/image"
serve_at -U "$work/healthy" file "$work/own/image"
mkdir "$work/run"
RUN=$work/run "$driver" connect -R "$work/healthy" >/dev/null
identity=$(tr ' ' '\n' <"$work/run/backend" | grep identity=)
export block identity faults limit work nbdboot driver NETWORK="${NETWORK-}"
table | share >"$work/table"
xargs -P "$jobs" -L 1 sh "$work/case" <"$work/table" >"$work/came"
verdict <"$work/came" >"$work/verdict"
grep '^#' "$work/verdict"
for name in $(commands | cut -d' ' -f1); do
	if ! grep -q "^$name-[a-z]*-[0-9]* " "$work/came" ||
		grep "^$name-[a-z]*-[0-9]* .*WRONG" "$work/verdict" >"$work/wrong"; then
		not_ok "$name ends as it should, whatever its server does"
		head -n 20 "$work/wrong" | sed 's/^/# /'
	else
		ok "$name ends as it should, whatever its server does"
	fi
done
if [ "$(wc -l <"$work/came")" = "$(wc -l <"$work/table")" ] &&
	[ "$(grep -c ' fault ' "$work/came")" -gt "$(($(wc -l <"$work/table") * 3 / 4))" ]; then
	ok 'all cases ran, and in three of four the fault happened'
else
	not_ok 'all cases ran, and in three of four the fault happened'
fi
finish
