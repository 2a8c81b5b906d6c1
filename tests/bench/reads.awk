# SPDX-License-Identifier: BSD-2-Clause
# The log of nbdkit's filter "log" --> the reads of a machine, as storm.c takes
# them: a line "PAUSE OFFSET LENGTH" each.  PAUSE are the ms for which nothing
# was in flight before it, or "-": another read was.

function hex(s,    i, n) {
	for (i = 3; i <= length(s); i++)
		n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return n + 0
}

function ms(time,    t) {
	split(time, t, ":")
	return (t[1] * 3600 + t[2] * 60 + t[3]) * 1000
}

# the value of " NAME=VALUE"
function value(name,    s) {
	s = $0
	sub(".* " name "=", "", s)
	sub(/ .*/, "", s)
	return s
}

$4 == "Read" {
	pause = flying++ ? "-" : begun ? int(ms($2) - idle + .5) : 0
	# past midnight
	if (pause != "-" && pause < 0)
		pause += 86400000
	begun = 1
	print pause, hex(value("offset")), hex(value("count"))
}

$4 == "...Read" {
	if (!--flying)
		idle = ms($2)
}
