#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Shows the fault of the kernel that nbd-oops.md describes, around which
# boot/device/device.c works, in Debian's kernel or that of VM_SUITE, which is
# expected to crash.  TAP on standard output.
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree

find_kernel
add_busybox "$tree"
gcc -O2 -static -D_GNU_SOURCE -o "$tree/bin/nbd-oops" "$here/guest/nbd-oops.c" ||
	die 'nbd-oops.c does not compile'
cat >"$tree/test" <<'END'
#!/bin/sh
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
modprobe nbd
nbd-oops
poweroff -f
END
chmod 755 "$tree/test"
initramfs "$work/initramfs" nbd "$tree" >/dev/null
vm_cpus=1
vm_start "$work/initramfs" "rdinit=/test nbd.max_part=0 \
softlockup_panic=1 watchdog_thresh=3 ${VM_WORDS-slub_debug=FZP}"
while vm_wait '*'; do :; done
vm_stop
sed 's/^/# /' "$work/log"
check "$version: the thread that reads crashes in a socket that was freed" \
	said recv_work
finish
