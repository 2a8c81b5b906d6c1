#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each world links with the least and the most that a configuration may have.  What
# calls a part of core or port has to ask for it in its Kconfig: worlds.sh [BUILD]
# TAP on standard output.
set -u

# They share one directory: nothing of another CPU may be left of the
# configuration before.
O=${1:-build}/t/least
unset MAKEFLAGS MFLAGS MAKEOVERRIDES CC CFLAGS STATIC OPT HARDEN ARCH TLS IPV6
status=0
mkdir -p "$O"

# links SENTENCE MAKE-ARGUMENT...: what $O is configured for
links()
{
	sentence=$1
	shift
	if make -s -j2 O="$O" "$@" all >"$O/log" 2>&1; then
		echo "ok - $sentence"
	else
		echo "not ok - $sentence"
		tail -n 20 "$O/log" | sed 's/^/# /'
		status=1
	fi
}

# configure KCONFIG-CONF-OPTION...: by the lines of standard input
configure()
{
	cat >"$O/defconfig"
	CONFIG_=CONFIG_ KCONFIG_CONFIG="$O/.config" \
		KCONFIG_ALLCONFIG="$O/defconfig" kconfig-conf "$@" Kconfig \
		>/dev/null
}

make -s O="$O" metal_defconfig || exit 1
links 'metal, as it is configured'
for world in LINUX LWIP METAL UEFI; do
	{
		printf '%s\n' "CONFIG_WORLD_$world=y" CONFIG_METAL_VIRT=y
		for part in CORE_IO CORE_URI CORE_TLS PORT_POSIX PORT_LINUX \
			BOOT_CLI; do
			echo "# CONFIG_$part is not set"
		done
	} | configure --defconfig="$O/defconfig" || exit 1
	links "$world without all that a configuration may leave out" OPT=-O0
done
# whose defaults are the smallest
echo CONFIG_WORLD_UEFI=y | configure --allyesconfig || exit 1
links 'UEFI with all that it may have'
exit $status
