#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Slow servers and slow networks, as latency, top and the scripts of boot/trace
# show them; tune, list --metrics and report.  One machine, TAP on standard
# output.
# bpftrace brings a compiler, which is slow in a machine without KVM.
VM_LIMIT=${VM_LIMIT:-900}
# shellcheck source=tests/vm/lib.sh
. "${0%/*}/lib.sh"

tree=$work/tree

find_kernel
make_guest "$tree" guest/latency.sh fio jq tc script bpftrace dash mawk
mkdir -p "$tree/trace"
cp "$here"/../../boot/trace/nbd* "$tree/trace"
cp "$here/prometheus.awk" "$tree"
key=0123456789abcdef0123456789abcdef
mkdir "$work/tls"
echo "desk:$key" >"$work/tls/keys.psk"
initramfs "$work/initramfs" 'nbd tcp_diag unix_diag sch_netem' "$tree" \
	"$work/tls" | sed 's/^/# /'
vm_memory=2048
guest_tests "$work/initramfs" "test.key=$key luks.password=hunter2 \
root=nbd://192.0.2.1/disk nbdboot.debug"
finish
