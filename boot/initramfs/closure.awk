# SPDX-License-Identifier: BSD-2-Clause
# Prints the paths of modules and of what they need, from depmod's files; see
# closure() of mkinitramfs.sh, which defines base().
# one module, or all below a directory; 0: there is none
function look_up(word, found,    name, n) {
	if (word !~ /\//) {
		gsub(/-/, "_", word)
		found[1] = word
		return word in path || word in builtin
	}
	sub(/\/*$/, "/", word)
	for (name in path)
		if (index("/" path[name], "/" word))
			found[++n] = name
	for (name in builtin)
		n += index("/" builtin[name], "/" word) > 0
	return n
}
function add_word(word, needed,    found, name) {
	if (!look_up(word, found)) {
		if (needed) {
			missing = missing sep word
			sep = ", "
		} else {
			print word >>unknown
		}
	}
	for (name in found)
		if (needed || !only || found[name] in wanted)
			add(found[name], 0)
}
function add(name, needed,    n, i, part) {
	if (name in taken)
		return
	if (!(name in path)) {
		if (needed && !(name in builtin)) {
			missing = missing sep name
			sep = ", "
		}
		return
	}
	taken[name] = 1
	print path[name]
	n = split(deps[name], part, " ")
	for (i = 1; i <= n; i++)
		add(base(part[i]), 1)
	n = split(soft[name], part, " ")
	for (i = 1; i <= n; i++)
		add(part[i], 0)
}
FILENAME ~ /modules\.dep$/ {
	sub(/:$/, "", $1)
	name = base($1)
	path[name] = $1
	$1 = ""
	deps[name] = $0
}
FILENAME ~ /modules\.builtin$/ { builtin[base($1)] = $1 }
# Many soft dependencies name an algorithm, such as crypto-crc32c.
FILENAME ~ /modules\.alias$/ && $2 !~ /[:*]/ {
	gsub(/-/, "_", $2)
	alias[$2] = alias[$2] " " $3
}
FILENAME ~ /modules\.(soft|weak)dep$/ && $1 ~ /^(soft|weak)dep$/ {
	for (i = 3; i <= NF; i++) {
		if ($i ~ /:$/)
			continue
		gsub(/-/, "_", $i)
		soft[$2] = soft[$2] " " $i alias[$i]
	}
}
END {
	n = split(only, part, " ")
	for (i = 1; i <= n; i++)
		wanted[part[i]] = 1
	n = split(asked, part, " ")
	for (i = 1; i <= n; i++)
		add_word(part[i], 1)
	n = split(optional, part, " ")
	for (i = 1; i <= n; i++)
		add_word(part[i], 0)
	if (missing) {
		print missing >"/dev/stderr"
		exit 1
	}
}
