#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Unpacks the QEMU of Debian 13 for x86-64 in a directory of the build; nothing is
# installed: qemu.sh DIR.  Prints the command that runs it here.  It knows the
# SHA instructions of a CPU, which that of Debian 12 (7.2) does not.
set -eu

dir=${1:?directory}
case $dir in
/*) ;;
*) dir=$PWD/$dir ;;
esac
command=$dir/qemu-system-x86_64

die()
{
	echo "qemu: $*" >&2
	exit 1
}

# One at a time: what another script unpacks now is there afterwards.
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9
if [ -e "$command" ]; then
	echo "$command"
	exit 0
fi
[ "$(id -u)" = 0 ] || die 'mmdebstrap has to be run by root'
PATH=$PATH:/sbin:/usr/sbin
command -v mmdebstrap >/dev/null || die 'mmdebstrap is missing (make deps)'
echo 'qemu: fetching that of Debian 13' >&2
rm -rf "$dir/root"
TMPDIR=$dir mmdebstrap --mode=root --variant=extract \
	--include=qemu-system-x86,seabios trixie "$dir/root" \
	"${FETCH_MIRROR:-http://deb.debian.org/debian}" >"$dir/log" 2>&1 || {
	tail -n 20 "$dir/log" >&2
	die 'mmdebstrap failed (is the package mirror reachable?)'
}
# by its own libraries; the last step, as this file marks the others as done
usr=$dir/root/usr
cat >"$command.new" <<END
#!/bin/sh
exec '$usr/lib64/ld-linux-x86-64.so.2' \\
	--library-path '$usr/lib/x86_64-linux-gnu' \\
	'$usr/bin/qemu-system-x86_64' -L '$usr/share/qemu' \\
	-L '$usr/share/seabios' "\$@"
END
chmod 755 "$command.new"
mv "$command.new" "$command"
echo "$command"
