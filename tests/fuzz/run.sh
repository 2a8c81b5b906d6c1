#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs each fuzzer: run.sh BUILD quick|SECONDS [NAME...]
#	run.sh BUILD frames=N fuzz_lwip
#
# quick: the saved corpus and a bounded number of mutations of it, with a
# fixed seed.  SECONDS: as long, from the saved corpus and what earlier runs
# left in BUILD/fuzz/NAME; crashes are left there too.  frames=N: until so many
# frames came, which fuzz_lwip counts.
set -u

dir=$1 time=$2
shift 2
runs=20000
. "${0%/*}/../san.sh"

# build DIRECTORY [FLAG]
build()
{
	make -s -j2 O="$1" CC=clang STATIC= fuzz-bin \
		CFLAGS="$clang_san ${2-}" LINKER="$linker" || exit 1
}

# as the unit tests do
plain=$dir/t/unit-clang-san
build "$plain"
make -s O="$dir/t/fuzz-lwip" lwip_defconfig
sed -i "$without_tls" "$dir/t/fuzz-lwip/.config"
build "$dir/t/fuzz-lwip" -DLWIP_ASSERTS
export UBSAN_OPTIONS=print_stacktrace=1
status=0
[ $# -gt 0 ] || set -- tests/fuzz/fuzz_*.c

# until_frames N COMMAND...: again and again, until it has printed so many frames
# shellcheck disable=SC2317 # called below, by a variable
until_frames()
{
	want=$1 frames=0
	shift
	while [ "$frames" -lt "$want" ]; do
		"$@" 2>"$work.out" || {
			cat "$work.out"
			return 1
		}
		frames=$((frames + $(sed -n 's/^fuzz_lwip: \(.*\) frames$/\1/p' \
			"$work.out")))
		echo "# $frames frames"
	done
}

for name; do
	name=$(basename "${name%.c}")
	saved=tests/fuzz/corpus/${name#fuzz_}
	out=$plain n=$runs
	case $name in
	fuzz_lwip) out=$dir/t/fuzz-lwip n=5000 ;;
	# one run of it searches a table eight times
	fuzz_super) n=5000 ;;
	esac
	work=$dir/fuzz/$name
	repeat=
	case $time in
	quick)
		limit="-runs=$n -seed=1"
		work=$dir/t/fuzz/corpus/$name
		rm -rf "$work"
		;;
	frames=*)
		limit='-max_total_time=60'
		repeat="until_frames ${time#frames=}"
		;;
	*) limit="-max_total_time=$time -print_final_stats=1" ;;
	esac
	mkdir -p "$work"
	# shellcheck disable=SC2086 # words on purpose
	if $repeat "$out/tests/fuzz/$name" $limit -max_len=8192 -timeout=10 \
		-artifact_prefix="$work/" "$work" "$saved" 2>&1; then
		echo "ok - $name survives what it was fed"
	else
		echo "not ok - $name: see the files in $work"
		status=1
	fi
done
exit $status
