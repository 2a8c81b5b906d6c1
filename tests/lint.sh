#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What linters find wrong: lint.sh BUILD [soak]
#
# Only "soak" has what takes most of the time by far: clang's analyzer, which walks
# the paths of each function; and scripts of the tests together with those that they
# source, which shellcheck reads again for each.
set -u

dir=$1
depth=${2-}
status=0
mkdir -p "$dir/log"

result()
{
	if [ "$1" = 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		status=1
	fi
}

# Prints the files of the tree whose names match.
files()
{
	git ls-files -co --exclude-standard | grep -E "$1" |
		while read -r f; do
			[ ! -f "$f" ] || echo "$f"
		done
}

sourced='-x -P SCRIPTDIR -e SC2059'
of_tests='-e SC2059,SC1091,SC2034,SC2154,SC2164'
[ "$depth" != soak ] || of_tests=$sourced
# shellcheck disable=SC2086 # words on purpose
{
	files '^\.ci/run$|^boot/(initramfs-tools/|trace/nbd[a-z]*-[a-z]*$)|^[^t].*\.sh$' |
		xargs shellcheck $sourced &&
		files '^tests/.*\.sh$' | xargs -n1 shellcheck $of_tests
}
result $? 'shellcheck finds nothing'

make -s O="$dir/t/product" "$dir/t/product/autoconf.h" >&2
make -s O="$dir/t/lint-lwip" lwip_defconfig >&2 &&
	make -s O="$dir/t/lint-lwip" "$dir/t/lint-lwip/autoconf.h" >&2
# The boards' files are for their compilers and linker scripts.
sources=$(files '^(core|port|boot)/.*\.c$' |
	grep -vE 'uefi|/lwip/|metal/(virt|lm3s6965|main)\.c')
lwip_sources=$(files '^(port|boot)/lwip/.*\.c$')
flags='-D_GNU_SOURCE -DNBDBOOT_BUILT=0 -DCLI_COMMANDS= -DINIT_STEPS=
	-DBOOT_WORDS= -I.'
lwip_flags='-isystem build/lwip/src/include -Iport/lwip'
# shellcheck disable=SC2089 # the quotes are part of the value
mbedtls_flags='-isystem build/mbedtls/include
	-DMBEDTLS_CONFIG_FILE="tests/port/mbedtls.h"'

# behind those of .clang-tidy
tidy_checks=
[ "$depth" = soak ] || tidy_checks='-clang-analyzer-*'

# tidy AUTOCONF FLAG...: the files on standard input, by their configuration
tidy()
{
	cfg=$1
	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	flags="-std=c11 $flags $*" cfg=$cfg checks=$tidy_checks xargs -P2 -n3 sh -c \
		'clang-tidy --quiet --checks="$checks" "$@" \
		-- $flags -include "$cfg" -DNBDBOOT_VERSION=\"x\" 2>&1' sh
}

# check AUTOCONF FLAG-OR-FILE...
check()
{
	cfg=$1
	shift
	# shellcheck disable=SC2086 # words on purpose
	cppcheck --quiet --enable=warning,performance,portability --std=c11 \
		--inline-suppr --error-exitcode=1 \
		--suppress=missingIncludeSystem \
		--suppress=preprocessorErrorDirective -j2 --include="$cfg" \
		$flags -DNBDBOOT_VERSION='"x"' "$@"
}

# shellcheck disable=SC2086,SC2090 # words on purpose
{
	echo "$sources" | tidy "$dir/t/product/autoconf.h" $mbedtls_flags &&
		echo "$lwip_sources" |
		tidy "$dir/t/lint-lwip/autoconf.h" $lwip_flags
} >"$dir/log/clang-tidy.out"
rc=$?
grep -vE '^([0-9]+ warnings? generated|Suppressed|Use -header)' \
	"$dir/log/clang-tidy.out"
result $rc 'clang-tidy finds nothing'

# shellcheck disable=SC2086 # words on purpose
check "$dir/t/product/autoconf.h" $sources &&
	check "$dir/t/lint-lwip/autoconf.h" -Iport/lwip $lwip_sources
result $? 'cppcheck finds nothing'

for page in $(files '\.[1-8]$'); do
	mandoc -T lint -W warning "$page"
	result $? "mandoc finds nothing in $page"
done

# The units are installed first, as they need the path of the program.  A key of
# a newer systemd is no mistake.
units=$(cd "$dir/t" && pwd)/units
make -s O="$dir/t/product" install PREFIX="$units" >&2
if command -v systemd-analyze >/dev/null; then
	(
		cd "$units/lib/systemd/system" || exit 2
		systemd-analyze verify --man=no nbdboot-watch.service \
			nbdboot-watch@nbd0.service nbdboot@nbd1.service 2>&1 |
			grep -v "Unknown key 'SurviveFinalKillSignal'" >&2
		[ $? = 1 ]
	)
	result $? 'systemd-analyze finds nothing in the units'
else
	echo 'ok - systemd-analyze finds nothing in the units # SKIP allowed: no systemd'
fi
exit $status
