# SPDX-License-Identifier: BSD-2-Clause
# Folds the stacks of perf script: a line "OUTERMOST;...;INNERMOST COUNT" for
# each.  Functions of the kernel end in "_[k]".

/^[^ \t]/ {
	comm = $1
	next
}

NF >= 3 && $1 ~ /^[0-9a-f]+$/ {
	name = $2
	sub(/\+0x[0-9a-f]+$/, "", name)
	gsub(/;/, ":", name)
	if ($NF ~ /^\(\[.*\]\)$/)
		name = name "_[k]"
	stack = name (stack ? ";" stack : "")
	next
}

/^[ \t]*$/ {
	if (stack)
		count[comm ";" stack]++
	stack = ""
}

END {
	if (stack)
		count[comm ";" stack]++
	for (s in count)
		print s, count[s]
}
