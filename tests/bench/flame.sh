#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Draws where copy spends its time, as BUILD/copy.svg: flame.sh BUILD
O=$1
. "${0%/*}/../tap.sh"
bench=${0%/*}

serve_at -U "$work/socket" pattern 1G
perf record -q -g -F 999 -e cpu-clock -o "$work/data" -- "$O/nbdboot.debug" \
	copy "nbd+unix:///?socket=$work/socket" "$work/copy"
perf script -i "$work/data" 2>/dev/null | awk -f "$bench/fold.awk" |
	LC_ALL=C sort | awk -v title='nbdboot copy of 1 GiB' \
		-f "$bench/flame.awk" >"$O/copy.svg"
echo "$O/copy.svg"
