#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nbdboot exports with the servers that people run.
O=${1:-build}
. "${0%/*}/../tap.sh"
nbdboot=$O/nbdboot
free=$(free_port)
ip6=${SERVER_IP6-::1}

same()
{
	if printf "$1" | cmp -s - "$work/out" && [ "$status" = 0 ]; then
		ok "$2"
	else
		not_ok "$2"
		show "$work/out"
		show "$work/err"
	fi
}

# ---- nbdkit ----

serve 0 memory 1M
run "$nbdboot" exports "nbd://127.0.0.1:$port"
same '[default export]\n' 'nbdkit over IPv4'
run "$nbdboot" exports -p "$port" 127.0.0.1
same '[default export]\n' 'a host and -p in place of a URI'

serve_at -i "$ip6" -p 0 memory 1M
run "$nbdboot" exports "nbd://[$ip6]:$(port_of "$server")/"
same '[default export]\n' 'nbdkit over IPv6'

serve_at -U "$work/sock" memory 1M
run "$nbdboot" exports "$work/sock"
same '[default export]\n' 'nbdkit over a UNIX socket'
run "$nbdboot" exports "nbd+unix:///?socket=$work/sock"
same '[default export]\n' 'nbdkit over a UNIX socket, by URI'

serve 0 eval get_size='echo 1M' list_exports='
	printf "INTERLEAVED\nroot\nthe system\nhome\n\n"
	printf "b\\033[31m\\tad\nof \\342\\200\\256 lines\\302\\233\n"'
run "$nbdboot" exports "nbd://127.0.0.1:$port"
same 'root\tthe system\nhome\nb\\x1b[31m\\x09ad\tof \\xe2\\x80\\xae lines\\xc2\\x9b\n' \
	'names and descriptions are escaped for the terminal'
run "$nbdboot" exports --json "nbd://127.0.0.1:$port"
names=$(jq -r '.[].name' "$work/out" | tr '\n' '|')
if [ "$names" = "$(printf 'root|home|b\033[31m\tad|')" ] &&
	! LC_ALL=C grep -q '[[:cntrl:]]' "$work/out"; then
	ok 'JSON has the names as they are, and no control character'
else
	not_ok 'JSON has the names as they are, and no control character'
	show "$work/out"
fi

serve 0 eval get_size='echo 1M' \
	list_exports='echo NAMES; seq -f "%0500.0f" 1 9000'
peak()
{
	/usr/bin/time -f %M -o "$work/peak" "$@" >"$work/out"
	cat "$work/peak"
}
many=$(peak "$nbdboot" exports "nbd://127.0.0.1:$port")
if seq -f %0500.0f 1 9000 | cmp -s - "$work/out"; then
	ok 'a list of 9000 exports is printed whole'
else
	not_ok 'a list of 9000 exports is printed whole'
fi
serve 0 memory 1M
one=$(peak "$nbdboot" exports "nbd://127.0.0.1:$port")
# the list has 4,400 KiB; the number of touched pages varies a little
if [ "$many" -le $((one + 400)) ]; then
	ok "a long list takes no more memory than a short one" \
		"($many and $one KiB)"
else
	not_ok "a long list takes $many KiB, a short one $one KiB"
fi

for mask in 0 1 2 3; do
	serve 0 --mask-handshake=$mask memory 1M
	run "$nbdboot" exports "nbd://127.0.0.1:$port"
	if [ $((mask & 1)) = 1 ]; then
		same '[default export]\n' "handshake flags masked with $mask"
	else
		expect 1 'not fixed newstyle' \
			"handshake flags masked with $mask: no list, and why"
	fi
done
serve 0 -o memory 1M
run "$nbdboot" exports "nbd://127.0.0.1:$port"
expect 1 'oldstyle' 'an oldstyle server is refused by name'

# one that ends after the first entry, "a"
cat >"$work/ends" <<'END'
printf 'NBDMAGICIHAVEOPT\000\001'
head -c 20 >/dev/null
printf '\000\003\350\211\004\125\145\251\000\000\000\003\000\000\000\002'
printf '\000\000\000\005\000\000\000\001a'
END
daemon_at "$free" socat "TCP-LISTEN:$free,bind=127.0.0.1,reuseaddr,fork" \
	"EXEC:sh $work/ends"
run "$nbdboot" exports --json "nbd://127.0.0.1:$free"
expect 1 'NBD_OPT_LIST: the server closed the connection' 'a list that is cut'
if [ "$(jq -c . "$work/out")" = '[{"name":"a","description":""}]' ]; then
	ok 'what came of it is JSON'
else
	not_ok 'what came of it is JSON'
	show "$work/out"
fi
free=$(free_port)

# ---- qemu-nbd ----

truncate -s 1M "$work/disk"
daemon_at "$free" qemu-nbd -p "$free" -b 127.0.0.1 -t -f raw -x disk0 \
	-D 'a qemu disk' "$work/disk"
run "$nbdboot" exports -p "$free" 127.0.0.1
same 'disk0\ta qemu disk\n' 'qemu-nbd'

# ---- nbd-server ----

free=$(free_port)
cat >"$work/nbd.conf" <<END
[generic]
listenaddr = 127.0.0.1
port = $free
allowlist = true
[first]
exportname = $work/disk
[second]
exportname = $work/disk
END
nbd_server_at "$free" "$work/nbd.conf"
run "$nbdboot" exports "nbd://127.0.0.1:$free"
sort -o "$work/out" "$work/out"
same 'first\nsecond\n' 'nbd-server'
sed -i /allowlist/d "$work/nbd.conf"
free=$(free_port)
sed -i "s/^port.*/port = $free/" "$work/nbd.conf"
nbd_server_at "$free" "$work/nbd.conf"
run "$nbdboot" exports "nbd://127.0.0.1:$free"
expect 1 'forbids' 'nbd-server without allowlist: its message is shown'

finish
