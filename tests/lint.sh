#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What linters find wrong: lint.sh BUILD
set -u

dir=$1
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

scripts=$(files '\.sh$|^\.ci/run$|^boot/initramfs-tools/')
# shellcheck disable=SC2086 # words on purpose
shellcheck -x -P SCRIPTDIR -e SC2059 $scripts
result $? 'shellcheck finds nothing'

make -s O="$dir/t/product" "$dir/t/product/autoconf.h" >&2
cfg="$dir/t/product/autoconf.h"
# The boards' files are for their compilers and linker scripts.
sources=$(files '^(core|port|boot)/.*\.c$' |
	grep -vE 'uefi|metal/(virt|lm3s6965|main)\.c')

export cfg
# shellcheck disable=SC2016 # expanded by the inner shell
echo "$sources" | xargs -P2 -n3 sh -c 'clang-tidy --quiet "$@" -- \
	-std=c11 -D_GNU_SOURCE -I. -include "$cfg" \
	-DNBDBOOT_VERSION=\"x\" -DNBDBOOT_BUILT=0 \
	-DCLI_COMMANDS= 2>&1' sh >"$dir/log/clang-tidy.out"
rc=$?
grep -vE '^([0-9]+ warnings? generated|Suppressed|Use -header)' "$dir/log/clang-tidy.out"
result $rc 'clang-tidy finds nothing'

# shellcheck disable=SC2086 # words on purpose
cppcheck --quiet --std=c11 --enable=warning,performance,portability \
	--inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem \
	--suppress=preprocessorErrorDirective -j2 -I. --include="$cfg" \
	-D_GNU_SOURCE -DNBDBOOT_VERSION='"x"' -DNBDBOOT_BUILT=0 \
	-DCLI_COMMANDS= $sources
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
			nbdboot-watch@nbd0.service 2>&1 |
			grep -v "Unknown key 'SurviveFinalKillSignal'" >&2
		[ $? = 1 ]
	)
	result $? 'systemd-analyze finds nothing in the units'
else
	echo 'ok - systemd-analyze finds nothing in the units # SKIP allowed: no systemd'
fi
exit $status
