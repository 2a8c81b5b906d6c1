# shellcheck shell=sh
# SPDX-License-Identifier: BSD-2-Clause
# TPMs: swtpm, each with a state of its own.  Sourced after tap.sh or lib.sh.

# tpm SOCKET NAME SWTPM-ARGUMENT...: the state is in $work/NAME; returns when it
# listens on SOCKET.  Sets tpm, its pid.
tpm()
{
	# shellcheck disable=SC2154 # of tap.sh
	tpm_socket=$1 tpm_name=$work/$2
	shift 2
	mkdir -p "$tpm_name"
	rm -f "$tpm_socket"
	swtpm socket --tpm2 --tpmstate dir="$tpm_name" "$@" \
		>"$tpm_name.log" 2>&1 &
	tpm=$!
	servers="$servers $tpm"
	# 00010000: it listens, and is not only bound
	until grep -q "00010000 .* $tpm_socket\$" /proc/net/unix; do
		kill -0 "$tpm" 2>/dev/null ||
			die "swtpm did not start: $(cat "$tpm_name.log")"
	done
}

# tpm_of_program NAME: a TPM that has been started, as firmware does; programs
# connect to $work/NAME.tpm
tpm_of_program()
{
	tpm "$work/$1.tpm" "$1" --server "type=unixio,path=$work/$1.tpm" \
		--ctrl "type=unixio,path=$work/$1.ctrl" \
		--flags not-need-init,startup-clear
}

# tpm_of_machine NAME: a TPM for one machine of QEMU, which takes $tpm_device
tpm_of_machine()
{
	tpm "$work/$1.ctrl" "$1" --ctrl "type=unixio,path=$work/$1.ctrl"
	# shellcheck disable=SC2034 # for the caller
	tpm_device="-chardev socket,id=tpm,path=$work/$1.ctrl
		-tpmdev emulator,id=tpm0,chardev=tpm -device tpm-tis,tpmdev=tpm0"
}

# tpm_end: ends the latest
tpm_end()
{
	end_server "$tpm"
}
