# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: BSD-2-Clause
# A server that fails at a step of its conversation with a machine
# (../interop/faults.c has the list of faults).  Sourced after lib.sh.

# faults_begin: compiles it; sets faulty, the port of the servers that fail
faults_begin()
{
	gcc -O2 -std=c11 -D_GNU_SOURCE -o "$work/faults" \
		"$here/../interop/faults.c" || die 'faults.c does not compile'
	mkfifo "$work/over"
	faulty=$(free_port)
}

# fail FAULT STEP FILE [--tls-certificates=DIR]: serves FILE, and fails, until
# fail_end
fail()
{
	daemon_at "$faulty" "$work/faults" "$VM_LIMIT" "$1" "$2" 0 \
		"exec nbdkit -s ${4:+--tls=require $4} file '$3'" "$faulty" \
		/bin/sh -c "read -r end <'$work/over'"
	failing=$server
}

# fail_end: sets happened, "fault" or "none"
fail_end()
{
	echo >"$work/over"
	wait "$failing" || true
	happened=$(sed -n 's/^exit [0-9]* [0-9]* \([a-z]*\) .*/\1/p' \
		"$work/daemon.log")
}
