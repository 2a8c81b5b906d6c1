#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the checks and prints a line for each step:
#
#	[T=PATTERN] [CHANGED=REF] run.sh BUILD all|quick|names|ahead PID|STEP...
#
# A step is a command that prints TAP lines.  Its log is BUILD/log/STEP.log.
# T runs only the steps whose names match it (an extended regular expression),
# and CHANGED only those that the changes since REF need (changed.sh).  "names"
# prints the names of all steps.  "ahead" runs none, but compiles for them while
# process PID lives, which installs packages (.ci/run).
#
# Steps run side by side, those that took longest before first (BUILD/times of
# the last runs, or tests/times.txt for a step that is not in it), and more of
# them than there are processors while those are idle.  BUILD/times gets the
# seconds of each: by the clock, and of a processor.
#
# A step that dies or prints no result counts as a failure.  A skipped check,
#
#	ok - SENTENCE # SKIP REASON
#
# is not a pass.  With CI=true it is a failure, unless REASON begins with
# "allowed: ".
#
# The last line is "N passed, N failed", and ", N skipped" if some were.
set -u

dir=$1
shift
log=$dir/log
mkdir -p "$log"
[ "$1" = names ] || rm -f "$log"/*.log "$log"/*.count "$log"/*.time
wanted=${T-}
needed=
if [ "${CHANGED-}" ]; then
	needed=$(sh "${0%/*}/changed.sh" "$CHANGED") || exit 2
	[ "$needed" ] || {
		echo "nothing has changed since $CHANGED"
		exit
	}
	# of patterns of the shell, an expression like T
	needed=$(echo "$needed" | sed 's/\*/.*/g; s/^all$/.*/' | paste -s -d '|')
	needed="^($needed)\$"
fi
# The build under test is a new one, not a part of the make that called.
unset T CHANGED MAKEFLAGS MFLAGS MAKEOVERRIDES O CC CFLAGS STATIC V ARCH

. "${0%/*}/san.sh"
gcc=${TESTCC:-gcc}

# variant NAME COMPILER FLAGS [LINKER [TARGET]]
variant()
{
	make -s -j2 O="$dir/t/$1" CC="$2" CFLAGS="$3" LINKER="${4-}" STATIC= \
		"${5-unit}"
}

unit_programs()
{
	variant unit "$gcc" -O1 '' unit-bin
}

# With the objects of the step unit, so behind it.
sim()
{
	make -s -j2 O="$dir/t/unit" CC="$gcc" CFLAGS=-O1 STATIC= sim
}

# Scripts get this build as O, and find the kernel and a root in it.
product()
{
	mkdir -p "$dir/t/product" "$dir/kernel" "$dir/kernel-backports" \
		"$dir/debian" "$dir/debian-trixie"
	ln -sfn ../../kernel ../../kernel-backports ../../debian \
		../../debian-trixie "$dir/t/product/"
	make -s -j2 O="$dir/t/product" all &&
		echo 'ok - the program builds with its default compiler'
}

# BUILD/t/san: nbdboot under the sanitizers, and over/nbdboot, the same objects with
# lwIP in place of the system's sockets.
san_programs()
{
	d=$dir/t/san
	make -s O="$d" nbdboot_defconfig &&
		sed -i 's/.*\(CONFIG_PORT_LWIP\) .*/\1=y/' "$d/.config" &&
		touch -d @0 "$d/.config" && # make adds what comes with it
		make -s -j2 O="$d" CC=gcc CFLAGS="$san -DLWIP_ASSERTS" STATIC= \
			all "$d/over/nbdboot"
}

# Copies from and to real servers, under the sanitizers.
interop_san()
{
	san_programs &&
		alone sh tests/interop/test_copy.sh "$dir/t/san" &&
		alone sh tests/interop/test_info.sh "$dir/t/san"
}

# The world of lwIP, with lwIP's own assertions: BUILD/t/lwip, and below it the
# program for an MTU of 9000, and the relay.
lwip_programs()
{
	d=$dir/t/lwip
	make -s O="$d" lwip_defconfig && make -s O="$d/jumbo" lwip_defconfig &&
		sed -i -e 's/\(LWIP_MTU\)=.*/\1=9000/' -e "$without_tls" \
			"$d/jumbo/.config" &&
		make -s -j2 O="$d" CC=gcc CFLAGS="$san -DLWIP_ASSERTS" STATIC= \
			all "$d/relay" &&
		make -s -j2 O="$d/jumbo" CC=gcc STATIC= all \
			CFLAGS="$san -DLWIP_ASSERTS"
}

# Unit tests over lwIP, and real servers.
lwip()
{
	lwip_programs && variant lwip gcc "$san -DLWIP_ASSERTS" &&
		sh tests/lwip/interop.sh "$dir/t/lwip"
}

# The first cases of bad networks.
lwip_faults()
{
	lwip_programs && sh tests/lwip/faults.sh "$dir/t/lwip" 1 4
}

# What nbdboot's own tests have of servers.
lwip_sockets()
{
	san_programs && sh tests/lwip/sockets.sh "$dir/t/san"
}

# The last has a lease that runs out, which takes minutes.
soak_lwip()
{
	lwip_programs &&
		LEASE_CASE=200 sh tests/lwip/faults.sh "$dir/t/lwip" 1 200 &&
		san_programs && SHARE=1 sh tests/lwip/sockets.sh \
			"$dir/t/san" faults
}

# alone COMMAND...: in a network of its own, if this user may have one: a port at
# which nobody listens stays so, whatever runs beside it
alone()
{
	if unshare -n true 2>/dev/null; then
		# shellcheck disable=SC2016 # for the inner shell
		unshare -n sh -c 'ip link set lo up && exec "$@"' - "$@"
	else
		"$@"
	fi
}

command_of()
{
	case $1 in
	product) product ;;
	unit) variant unit "$gcc" -O1 ;;
	unit-gcc-san) variant unit-gcc-san gcc "$san" "$linker" ;;
	unit-clang-san) variant unit-clang-san clang "$clang_san" "$linker" ;;
	sim) sim ;;
	rules) sh tests/rules.sh "$dir" ;;
	lint) sh tests/lint.sh "$dir" ;;
	cross) sh tests/cross.sh "$dir" ;;
	cross-units) sh tests/cross/units.sh "$dir" ;;
	size) sh tests/size.sh -t "$dir" ;;
	worlds) sh tests/worlds.sh "$dir" ;;
	debian13) timeout -k 10 1500 sh tests/debian13.sh "$dir" ;;
	lwip) lwip ;;
	lwip-faults) lwip_faults ;;
	lwip-sockets) lwip_sockets ;;
	soak-lwip) soak_lwip ;;
	fuzz) sh tests/fuzz/run.sh "$dir" quick ;;
	interop-san) interop_san ;;
	# Each fault of a command at some steps; make soak-faults has all.
	interop/test_faults.sh)
		export O="$dir/t/product" SHARE=4
		alone timeout -k 10 1500 sh "tests/$1" "$O"
		;;
	# They may fetch packages, and machines have networks of their own.
	interop/test_packages.sh | interop/test_cpus.sh | \
		interop/test_boot_time.sh | vm/*)
		O=$dir/t/product timeout -k 10 1500 sh "tests/$1" \
			"$dir/t/product"
		;;
	*)
		export O="$dir/t/product"
		alone timeout -k 10 1500 sh "tests/$1" "$O"
		;;
	esac
}

name_of()
{
	echo "${1%.sh}" | tr / -
}

# wants STEP
wants()
{
	name_of "$1" | grep -E -e "$wanted" | grep -qE -e "$needed"
}

count()
{
	grep -c "$1" "$log/$name.log"
}

step()
{
	wants "$1" || return 0
	name=$(name_of "$1")
	begin=$(date +%s)
	(
		command_of "$1"
		rc=$?
		times >"$log/$name.cpu"
		exit $rc
	) >"$log/$name.log" 2>&1 </dev/null
	rc=$?
	took=$(($(date +%s) - begin))
	worked=$(processor_time <"$log/$name.cpu")
	[ "${CI-}" != true ] ||
		sed -i '/# *SKIP allowed: /!s/^ok\(.*# *SKIP\)/not ok\1/' \
			"$log/$name.log"
	failed=$(count '^not ok')
	if [ "$(count '^\(not \)\{0,1\}ok\>')" = 0 ]; then
		echo "not ok - $name: ended with status $rc and no result" \
			>>"$log/$name.log"
	elif [ "$rc" != 0 ] && [ "$failed" = 0 ]; then
		echo "not ok - $name: ended with status $rc" >>"$log/$name.log"
	fi
	failed=$(count '^not ok')
	skipped=$(count '^ok\>.*# *SKIP')
	passed=$(($(count '^ok\>') - skipped))
	echo "$passed $failed $skipped" >"$log/$name.count"
	echo "$name $took $worked" >"$log/$name.time"
	printf '  %-24s %4d passed, %d failed%s, %d s (CPU %d s)\n' "$name" \
		"$passed" "$failed" "$(more "$skipped")" "$took" "$worked"
}

# The seconds of what times(1) printed: of the shell, and of its children.
processor_time()
{
	awk '{ for (i = 1; i <= 2; i++) { split($i, t, /[ms]/)
			n += t[1] * 60 + t[2] } }
		END { printf "%.0f\n", n }'
}

# more SKIPPED
more()
{
	[ "$1" = 0 ] || echo ", $1 skipped"
}

steps()
{
	for s; do
		step "$s"
	done
}

# scripts DIRECTORY: the steps of its scripts, a line each
scripts()
{
	for script in tests/"$1"/test_*.sh; do
		echo "${script#tests/}"
	done
}

# ---- lanes: one for each processor, and twice as many more while some are idle ----
#
# Steps with machines wait for half of their time: with two processors six of them
# run side by side at most, as each needs up to 2 GiB.

# next: prints the next line of the list, and removes it
next()
{
	(
		flock 9
		sed -n 1p "$log/list"
		sed -i 1d "$log/list"
	) 9>"$log/lock"
}

lane()
{
	while [ -s "$log/list" ]; do
		# shellcheck disable=SC2046 # words on purpose
		steps $(next)
	done
}

# Waits until a quarter of a processor was idle for 3 s, or the list is empty.
idle()
{
	(
		flock 8
		while [ -s "$log/list" ]; do
			was=$(awk '/^cpu / { print $5 + $6 }' /proc/stat)
			sleep 3
			awk -v was="$was" -v hz="$(getconf CLK_TCK)" '/^cpu / {
				exit $5 + $6 - was < 3 * hz / 4 }' /proc/stat &&
				break
		done
	) 8>"$log/idle"
}

spare_lane()
{
	while idle && [ -s "$log/list" ]; do
		# shellcheck disable=SC2046 # words on purpose
		steps $(next)
	done
}

# Prints the lines of standard input, those that took longest first.  A step of
# which nothing is known counts as one of 100 s.
longest_first()
{
	cat tests/times.txt "$dir/times" 2>/dev/null >"$log/known"
	awk 'FILENAME != "-" { took[$1] = $2; next }
		{ sum = 0
		for (i = 1; i <= NF; i++) {
			name = $i; sub(/\.sh$/, "", name); gsub(/\//, "-", name)
			sum += name in took ? took[name] : 100 }
		print sum, $0 }' "$log/known" - | sort -rn -s -k 1,1 | cut -d ' ' -f 2-
}

# Runs the lines of standard input, the steps of a line one after the other.
lanes()
{
	longest_first >"$log/list"
	n=$(nproc)
	while [ "$n" -gt 0 ]; do
		lane &
		spare_lane &
		spare_lane &
		n=$((n - 1))
	done
	wait
}

quick_scripts()
{
	scripts interop
	printf '%s\n' rules size test_run.sh test_report.sh
}

quick()
{
	steps product
	{
		echo unit-gcc-san
		quick_scripts
	} | lanes
}

# Steps on a line need, or change, the same files.
together='unit sim interop/test_faults.sh
unit-clang-san fuzz
lwip lwip-faults
lwip-sockets interop-san
interop/test_cpus.sh vm/test_aarch64.sh
interop/test_packages.sh vm/test_dropin.sh vm/test_dropin13.sh
vm/test_uefi.sh vm/test_uefi_net.sh vm/test_uefi_secure.sh vm/test_uefi_arm.sh'

# Prints the steps of standard input that are in no line of $together.
apart()
{
	grep -vxF "$(echo "$together" | tr ' ' '\n')"
}

wants_machines()
{
	for script in $(scripts vm); do
		! wants "$script" || return 0
	done
	return 1
}

# Fetches what machines need, beside the first steps.  If this fails, the first
# script that needs it reports it.
fetch()
{
	sh tests/kernel.sh "$dir/kernel"
	sh tests/debian.sh "$dir/debian"
	sh tests/debian.sh "$dir/debian-trixie" trixie
} >"$log/fetch.txt" 2>&1 </dev/null

# The steps behind product: those of a line one after the other.
all_lines()
{
	echo "$together"
	{
		printf '%s\n' lint cross cross-units worlds debian13
		quick_scripts
		scripts vm
	} | apart
}

all()
{
	! wants_machines || fetch &
	steps product
	all_lines | lanes
}

# ahead PID: makes what needs no package but gcc's, piece by piece while that
# process lives.  What fails here is reported by its step.
ahead()
{
	for piece in product unit_programs san_programs; do
		kill -0 "$1" 2>/dev/null || return 0
		$piece
	done
}

names()
{
	for s in product $(all_lines); do
		name_of "$s"
	done
}

if [ "$1" = names ]; then
	names
	exit
elif [ "$1" = ahead ]; then
	ahead "$2" >"$log/ahead.txt" 2>&1
	exit 0
fi

# What wakes up does not interrupt what computes.
chrt -b -p 0 $$ 2>/dev/null || :

# Most scripts need the program, which a pattern may leave out.
if ! wants product; then
	product >"$log/product.txt" 2>&1 || {
		cat "$log/product.txt"
		exit 1
	}
fi

case $1 in
quick) quick ;;
all) all ;;
*) steps "$@" ;;
esac

# The logs of the steps that failed, and the checks that were skipped.
for f in "$log"/*.log; do
	[ -e "$f" ] || continue
	if grep -q '^not ok' "$f"; then
		printf '\n---- %s ----\n' "$f"
		grep -v '^ok\>\|^  [A-Z]' "$f" | tail -n 60
	fi
	grep '^ok\>.*# *SKIP' "$f" | sed 's/^ok/skipped:/'
done
# Steps that did not run keep the times that they had.
{
	cat "$log"/*.time
	cat "$dir/times"
} 2>/dev/null | awk '!seen[$1]++' | sort >"$log/times"
mv "$log/times" "$dir/times"
# The failures again, for readers of the last lines.
(cd "$log" && grep '^not ok' ./*.log 2>/dev/null)
cat "$log"/*.count /dev/null | awk '{ p += $1; f += $2; s += $3 }
	END {
		print p + 0 " passed, " f + 0 " failed" \
			(s ? ", " s " skipped" : "")
		exit f > 0 || !p
	}'
