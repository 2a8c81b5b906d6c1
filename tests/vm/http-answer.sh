#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# One connection of an HTTP server on standard input and output: the files of DIR,
# without queries.  The body of a file *.conf has the FRAMING length, chunked or
# close (RFC 9112, 6.3).
#
#   http-answer.sh DIR FRAMING
set -eu

dir=$1 framing=$2
cr=$(printf '\r')

chunks()
{
	# at most 100 bytes each
	len=$(stat -c %s "$1") at=0
	while [ "$at" -lt "$len" ]; do
		n=$((len - at < 100 ? len - at : 100))
		printf '%x;x=y\r\n' "$n"
		dd if="$1" bs=1 skip="$at" count="$n" status=none
		printf '\r\n'
		at=$((at + n))
	done
	printf '0\r\nX-End: yes\r\n\r\n'
}

while IFS=' ' read -r method target version; do
	while IFS= read -r line && [ "${line%"$cr"}" ]; do :; done
	path=${target#http://*/}
	file=$dir/${path%%[?]*}
	echo "$method $target $version" >&2
	if ! [ -f "$file" ]; then
		printf 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'
		continue
	fi
	kind=length
	case $file in
	*.conf) kind=$framing ;;
	esac
	printf 'HTTP/1.1 200 OK\r\n'
	case $kind in
	length) printf 'Content-Length: %d\r\n\r\n' "$(stat -c %s "$file")" ;;
	chunked) printf 'Transfer-Encoding: chunked\r\n\r\n' ;;
	close) printf 'Connection: close\r\n\r\n' ;;
	esac
	[ "$method" = GET ] || continue
	case $kind in
	chunked) chunks "$file" ;;
	*) cat "$file" ;;
	esac
	[ "$kind" != close ] || break
done
