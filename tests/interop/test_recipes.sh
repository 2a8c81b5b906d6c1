#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The commands of nbdboot-site(7) that serve images of other formats, or copy them,
# as they stand there: each gives the bytes of the image.  TAP on standard output.
O=${1:-build}
# shellcheck source=tests/tap.sh
. "${0%/*}/../tap.sh"
PATH=$PATH:/sbin:/usr/sbin
# their port is that of NBD, and their directory /srv
if [ ! "${RECIPES_INSIDE-}" ]; then
	RECIPES_INSIDE=1 exec unshare -rmn sh "$0" "$@"
fi
ip link set lo up
mount -t tmpfs srv /srv
mkdir -p /srv/nbd/shared

nbdboot=$(realpath "$O/nbdboot")
page=$PWD/boot/cli/nbdboot-site.7
# shellcheck source=tests/page.sh
. "${0%/*}/../page.sh"
files=$work/files

make_files()
{
	mkdir "$files"
	cd "$files" || exit
	truncate -s 8M root
	mke2fs -q -t ext4 root
	for format in qcow2 vmdk vdi vhdx vpc; do
		qemu-img convert -O $format root "root.$format"
	done
	gzip -k root
	# shellcheck disable=SC2046 # words on purpose
	$(sed -n 's/^\.Ql \(xz --block-size=.*\) \.$/\1/p' "$page") -k root
	zstd -q root
	tar cf root.tar root
	dd if=/dev/zero bs=64 count=1 2>/dev/null | cat - root >root.header
}

# Lines "WHAT|COMMAND" of the table.
recipes()
{
	sed -n '/^\.Bl -column "on a server of HTTP"/,/^\.El/s/^\.It //p' "$page" |
		sed -n 's/ Ta Ql /|/p'
}

# serves SENTENCE NAME COMMAND...: the export NAME begins with the image; vpc rounds
# its size up
serves()
{
	sentence=$1 name=$2
	shift 2
	daemon_at 10809 "$@"
	if "$nbdboot" copy "nbd://127.0.0.1/$name" "$work/copy" 2>"$work/err" &&
		cmp -n 8388608 "$work/copy" "$files/root"; then
		ok "$sentence"
	else
		not_ok "$sentence"
		show "$work/err"
	fi
	rm -f "$work/copy"
	unserve
}

# copies SENTENCE COMMAND: it makes an export of the image
copies()
{
	rm -f /srv/nbd/shared/root-1
	if sh -euc "$2" >"$work/err" 2>&1 </dev/null &&
		cmp root /srv/nbd/shared/root-1; then
		ok "$1"
	else
		not_ok "$1"
		show "$work/err"
	fi
}

make_files
daemon_at 8080 busybox httpd -f -p 127.0.0.1:8080 -h "$files"
web=$server
recipes >"$work/recipes"
check 'the table has its recipes' [ "$(grep -c . "$work/recipes")" = 7 ]
while IFS='|' read -r what command; do
	command=$(printf '%s\n' "$command" |
		sed 's,https://192.0.2.1,http://127.0.0.1:8080,; s/^nbdkit/& -f/')
	name=''
	case $command in
	*' -x '*) name=root-1 ;;
	*offset=64) command=$(echo "$command" | sed 's/file root/&.header/') ;;
	esac
	# shellcheck disable=SC2086 # words on purpose
	serves "$what: $command" "$name" $command </dev/null
done <"$work/recipes"
for format in vmdk vdi vhdx vpc; do
	serves "the same with $format" root-1 \
		qemu-nbd -r -t -e 0 -f $format -x root-1 root.$format
done
end_server "$web"
block copies
check 'there are commands that copy an image' [ "$(grep -c . "$work/block")" = 2 ]
while read -r command; do
	copies "a copy: $command" "$command"
done <"$work/block"
finish
