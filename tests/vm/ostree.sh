# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# A deployment of ostree in $sysroot, made by its own program.  Sourced after
# lib.sh.
tree=$work/tree
sysroot=$work/sysroot
# the deployment must be deleted at the end
export OSTREE_SYSROOT_DEBUG=mutable-deployments

# A tree as ostree wants it: all of the system in /usr, and a kernel.
make_tree()
{
	add_busybox "$tree/usr"
	rm -f "$tree/usr/bin/init"
	mkdir -p "$tree/usr/sbin" "$tree/usr/etc" "$tree/usr/lib/modules/1"
	for entry in proc sys dev run tmp sysroot var boot; do
		mkdir "$tree/$entry"
	done
	ln -s usr/bin usr/sbin usr/lib "$tree"
	ln -s sysroot/ostree "$tree/ostree"
	install -m 755 "$here/guest/ostree.sh" "$tree/usr/sbin/init"
	echo 'ID=test' >"$tree/usr/lib/os-release"
	echo kernel >"$tree/usr/lib/modules/1/vmlinuz"
	echo deployed >"$tree/usr/marker"
	echo deployed >"$tree/usr/etc/marker"
}

# Sets word, the one of the boot loader's entry, and deployment.
deploy()
{
	{
		mkdir "$sysroot"
		ostree admin init-fs "$sysroot"
		ostree admin os-init --sysroot="$sysroot" test
		ostree commit --repo="$sysroot/ostree/repo" --branch=test \
			--owner-uid=0 --owner-gid=0 --tree=dir="$tree"
		ostree admin deploy --sysroot="$sysroot" --os=test test
	} >"$work/ostree.log" 2>&1 || {
		show "$work/ostree.log"
		die 'ostree cannot deploy'
	}
	word=$(sed -n 's/^options .*\(ostree=[^ ]*\).*/\1/p' \
		"$sysroot"/boot/loader/entries/*.conf)
	deployment=$(realpath "$sysroot${word#ostree=}")
	echo kept >"$sysroot/ostree/deploy/test/var/kept"
}
