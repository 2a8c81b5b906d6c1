# SPDX-License-Identifier: BSD-2-Clause
# A strict parser of Prometheus' text format (version 0.0.4): prints what is
# wrong with it, and then fails.

function wrong(why)
{
	print FNR ": " why ": " $0
	bad = 1
}

# HELP and TYPE come before all samples of a metric, and once.
/^# (HELP|TYPE) / {
	if (seen[$2 $3]++)
		wrong("twice")
	if (samples[$3])
		wrong("behind its samples")
	if ($3 !~ /^[a-zA-Z_:][a-zA-Z0-9_:]*$/)
		wrong("no name")
	if ($2 == "TYPE") {
		type[$3] = $4
		if (NF != 4 || $4 !~ /^(counter|gauge|histogram|summary|untyped)$/)
			wrong("no type")
	}
	next
}

/^#/ || /^$/ {
	wrong("no line of ours")
	next
}

{
	name = $0
	sub(/[{ ].*/, "", name)
	rest = substr($0, length(name) + 1)
	labels = ""
	if (match(rest, /^\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\[\\"n])*",?)*\}/)) {
		labels = substr(rest, 1, RLENGTH)
		rest = substr(rest, RLENGTH + 1)
	}
	if (!(name in type))
		wrong("a sample without a type")
	if (name != last && samples[name])
		wrong("not with the others of its metric")
	if (type[name] == "counter" && name !~ /_total$/)
		wrong("a counter that does not end in _total")
	if (rest !~ /^ -?[0-9]+(\.[0-9]+)?$/)
		wrong("no value")
	if (series[name labels]++)
		wrong("a series twice")
	samples[name]++
	last = name
	n++
}

END {
	if (!n)
		print "no sample"
	exit bad || !n
}
