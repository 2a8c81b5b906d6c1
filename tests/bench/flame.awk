# SPDX-License-Identifier: BSD-2-Clause
# Draws a flame graph as SVG from the sorted lines of fold.awk:
#
#	perf script | awk -f fold.awk | sort | awk -v title=TEXT -f flame.awk
#
# A frame is as wide as its share of all samples, and stands on its caller.

function escaped(text)
{
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	return text
}

# Ends the frames of depth and more: they reach from from[] to now.
function close_frames(depth)
{
	for (; open >= depth; open--) {
		n++
		name[n] = stack[open]
		level[n] = open
		first[n] = from[open]
		last[n] = now
		if (open > deepest)
			deepest = open
	}
}

# One color for each function: the kernel's are orange, others blue.
function color(text, i, sum)
{
	for (i = 1; i <= length(text); i++)
		sum = (sum * 31 + index(letters, substr(text, i, 1))) % 997
	if (text ~ /_\[k\]$/)
		return sprintf("#%02x%02x%02x", 225 + sum % 25, 120 + sum % 70, 60)
	return sprintf("#%02x%02x%02x", 90 + sum % 60, 150 + sum % 50, 215)
}

BEGIN {
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.0123456789"
	open = 0
}

{
	count = $NF
	line = $0
	sub(/ [0-9]+$/, "", line)
	depth = split(line, frame, ";")
	same = 1
	while (same <= depth && same <= open && stack[same] == frame[same])
		same++
	close_frames(same)
	for (; same <= depth; same++) {
		stack[same] = frame[same]
		from[same] = now + 0
		open = same
	}
	now += count
}

END {
	close_frames(1)
	if (!now)
		exit 1
	height = (deepest + 2) * 16 + 24
	printf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE svg " \
		"PUBLIC \"-//W3C//DTD SVG 1.1//EN\" " \
		"\"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n"
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" " \
		"viewBox=\"0 0 1200 %d\" font-family=\"sans-serif\" " \
		"font-size=\"11\">\n", height
	printf "<rect width=\"1200\" height=\"%d\" fill=\"#fff\"/>\n" \
		"<text x=\"600\" y=\"18\" font-size=\"15\" " \
		"text-anchor=\"middle\">%s: %d samples</text>\n",
		height, escaped(title), now
	for (i = 1; i <= n; i++) {
		width = (last[i] - first[i]) * 1180 / now
		if (width < 0.5)
			continue
		x = 10 + first[i] * 1180 / now
		y = height - level[i] * 16 - 10
		text = name[i]
		sub(/_\[k\]$/, "", text)
		printf "<g><title>%s: %d samples, %.1f %%</title><rect " \
			"x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"15\" " \
			"fill=\"%s\"/>", escaped(text), last[i] - first[i],
			(last[i] - first[i]) * 100 / now, x, y,
			width < 1 ? 1 : width - 0.5, color(name[i])
		if (width > 24)
			printf "<text x=\"%.1f\" y=\"%d\">%s</text>", x + 3,
				y + 11, escaped(substr(text, 1, int(width / 6.5)))
		print "</g>"
	}
	print "</svg>"
}
