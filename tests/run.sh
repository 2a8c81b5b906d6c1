#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the checks, a line for each step: run.sh BUILD all|quick|machines|STEP...
#
# A step is a command that prints TAP lines.  Its log is BUILD/log/STEP.log.
# A step that dies or prints no result counts as a failure.  What was skipped
# is told, and is not a pass.  The last line is "N passed, N failed".
set -u

dir=$1
shift
log=$dir/log
mkdir -p "$log"
rm -f "$log"/*.log "$log"/*.count
# The build under test is a new one, not a part of the make that called.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES O CC CFLAGS STATIC V

san='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined'
san="$san -fno-sanitize-recover=all"
gcc=${TESTCC:-gcc}

variant()
{
	make -s -j2 O="$dir/t/$1" CC="$2" CFLAGS="$3" STATIC= unit
}

# The scripts find the program, the kernel and a root where O says.
product()
{
	mkdir -p "$dir/t/product" "$dir/kernel" "$dir/kernel-backports" \
		"$dir/debian"
	ln -sfn ../../kernel ../../kernel-backports ../../debian \
		"$dir/t/product/"
	make -s -j2 O="$dir/t/product" all &&
		echo 'ok - the program builds with its default compiler'
}

# The data path with real servers under the sanitizers.
interop_san()
{
	make -s -j2 O="$dir/t/unit-gcc-san" CC=gcc CFLAGS="$san" STATIC= all &&
		sh tests/interop/test_copy.sh "$dir/t/unit-gcc-san" &&
		sh tests/interop/test_info.sh "$dir/t/unit-gcc-san"
}

command_of()
{
	case $1 in
	product) product ;;
	unit) variant unit "$gcc" '-O2 -g' ;;
	unit-gcc-san) variant unit-gcc-san gcc "$san" ;;
	unit-clang-san) variant unit-clang-san clang "$san" ;;
	rules) sh tests/rules.sh "$dir" ;;
	lint) sh tests/lint.sh "$dir" ;;
	cross) sh tests/cross.sh "$dir" ;;
	cross-units) sh tests/cross/units.sh "$dir" ;;
	size) sh tests/size.sh -t "$dir" ;;
	fuzz) sh tests/fuzz/run.sh "$dir" quick ;;
	interop-san) interop_san ;;
	*)
		O=$dir/t/product timeout -k 10 1500 sh "tests/$1" \
			"$dir/t/product"
		;;
	esac
}

count()
{
	grep -c "$1" "$log/$name.log"
}

step()
{
	name=$(echo "${1%.sh}" | tr / -)
	begin=$(date +%s)
	command_of "$1" >"$log/$name.log" 2>&1 </dev/null
	rc=$?
	failed=$(count '^not ok')
	if [ "$(count '^\(not \)\{0,1\}ok\>')" = 0 ]; then
		echo "not ok - $name: ended with status $rc and no result" \
			>>"$log/$name.log"
	elif [ "$rc" != 0 ] && [ "$failed" = 0 ]; then
		echo "not ok - $name: ended with status $rc" >>"$log/$name.log"
	fi
	failed=$(count '^not ok')
	passed=$(grep '^ok\>' "$log/$name.log" | grep -vc '# *SKIP')
	echo "$passed $failed" >"$log/$name.count"
	printf '  %-24s %4d passed, %d failed, %d s\n' "$name" "$passed" \
		"$failed" $(($(date +%s) - begin))
}

steps()
{
	for s; do
		step "$s"
	done
}

scripts()
{
	for script in tests/"$1"/test_*.sh; do
		step "${script#tests/}"
	done
}

# Two at a time, as a machine with two cores likes it.
quick()
{
	steps unit-gcc-san &
	steps product rules size
	scripts interop
	wait
}

# Machines that mostly wait for outages run beside the others; those that have
# so many seconds to go down run alone.
waiting='scale newer reconnect survive'
alone='debian down'

vms()
{
	for v; do
		step "vm/test_$v.sh"
	done
}

# The lists are words on purpose.
# shellcheck disable=SC2086
machines()
{
	# both lanes would else fetch it at once; what fails is told later
	sh tests/kernel.sh "$dir/kernel" >"$log/fetch.txt" 2>&1
	{
		sh tests/debian.sh "$dir/debian" >>"$log/fetch.txt" 2>&1
		vms $waiting
	} &
	for script in tests/vm/test_*.sh; do
		v=${script#*/test_}
		case " $waiting $alone " in
		*" ${v%.sh} "*) ;;
		*) vms "${v%.sh}" ;;
		esac
	done
	wait
	vms $alone
}

rest()
{
	steps unit unit-clang-san fuzz &
	steps lint cross cross-units interop-san
	wait
	machines
}

case $1 in
quick) quick ;;
all)
	quick
	rest
	;;
machines) machines ;;
*) steps "$@" ;;
esac

# What failed, with what it said; and what was skipped.
for f in "$log"/*.log; do
	if grep -q '^not ok' "$f"; then
		printf '\n---- %s ----\n' "$f"
		grep -v '^ok\>\|^  [A-Z]' "$f" | tail -n 60
	fi
	grep '^ok\>.*# *SKIP' "$f" | sed 's/^ok/skipped:/'
done
# who reads only the end finds it, too
(cd "$log" && grep '^not ok' ./*.log)
cat "$log"/*.count | awk '{ p += $1; f += $2 }
	END { print p + 0 " passed, " f + 0 " failed"; exit f > 0 || !p }'
