#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The rules of the house, one TAP line each: rules.sh BUILD
#
# A rule is a function that prints what breaks it, and nothing if the tree keeps
# it.  It runs at the top of a tree.  Afterwards every rule is run on a small
# tree that breaks all of them, as proof that it can fail.
# shellcheck disable=SC2317,SC2016 # functions are called by their names
set -u

dir=$1
top='.ci .clang-format .clang-tidy .gitignore .shellcheckrc Kconfig LICENSE
	Makefile README.md boot configs core port tests'
mem='memcpy|memmove|memset|memcmp'

files()
{
	{ git ls-files -co --exclude-standard 2>/dev/null ||
		find . -name build -prune -o -type f -print | sed 's|^\./||'; } |
		while read -r f; do
			[ ! -f "$f" ] || echo "$f"
		done
}

# includes FILE-PATTERN: lines "file:what" with <> or "" kept
includes()
{
	files | grep -E "$1" | xargs -r grep -HEo \
		'^[[:space:]]*#[[:space:]]*include[[:space:]]+[<"][^>"]*[>"]' |
		sed 's/:.*[[:space:]]\([<"]\)/:\1/'
}

core_includes_only_itself_and_three_headers()
{
	includes '^core/.*\.[ch]$' | grep -vE \
		':(<std(def|int|bool)\.h>|"core/[a-z_]*\.h")$'
}

a_port_includes_no_other_port()
{
	includes '^port/.*\.[ch]$' | awk -F'[:"]' '
		{ split($1, own, "/"); split($3, inc, "/") }
		inc[1] == "port" && inc[3] && (inc[2] != own[2] || !own[3])'
}

# be.h has loads and stores alone.
port_includes_no_private_header_of_core()
{
	includes '^port/.*\.[ch]$' | grep '"core/' |
		grep -vE '"core/(be|nbd(_err|_io|_uri)?)\.h"$'
}

# In a copy of core's public headers every struct ends at its line
# "/* private */": who uses a member below that line does not compile.  Only files
# with a word of those lines behind an arrow or a dot are tried.
private_members_of_core_are_used_by_core_alone()
{
	bare=$(mktemp -d)
	mkdir "$bare/core"
	for h in core/nbd*.h; do
		awk -v words="$bare/words" '
			/^}/ { skip = 0 }
			/^\t\/\* private \*\/$/ { skip = 1 }
			skip { print >>words }
			!skip' "$h" >"$bare/$h"
	done
	conf=$build/autoconf.h
	[ -f "$conf" ] || conf=/dev/null
	words=$(grep -oE '[a-z_][a-z_0-9]*' "$bare/words" | sort -u | paste -s -d '|')
	files | grep -E '^(port|boot|tests)/.*\.c$' |
		xargs -r grep -lE "(->|\.)[[:space:]]*($words)\>" |
		xargs -r -P2 -n16 \
			gcc -fsyntax-only -w -I"$bare" -I. -include "$conf" \
			-isystem "${build%%/t/*}/mbedtls/include" \
			-D_GNU_SOURCE 2>&1 |
		grep 'no member named'
	rm -rf "$bare"
}

nothing_but_boot_and_tests_includes_boot()
{
	includes '^(core|port)/.*\.[ch]$' | grep '"boot/'
}

# The worlds other than Linux, which have a configuration and a room each.  In
# the objects of uefi, which are COFF, sections and strings are symbols, too.
# The rooms of boot/ by their floor: a file includes from its own room, and
# from rooms of lower floors.
worlds='lwip metal uefi'
boot_rooms='words 0 verity 0 seal 1 system 1 lwip 2 metal 2 device 2 mapper 2 copy 3 net 3'
boot_rooms="$boot_rooms root 3 watch 3 prefetch 3 images 3 keep 3 clone 3 cache 4 init 5 uefi 5"
boot_rooms="$boot_rooms reroot 6 cli 7"

includes_in_boot_go_down_only()
{
	includes '^boot/.*\.[ch]$' | awk -v rooms="$boot_rooms" -F'[:"]' '
		BEGIN {
			n = split(rooms, r, " ")
			for (i = 1; i < n; i += 2)
				floor[r[i]] = r[i + 1]
		}
		{ split($1, own, "/"); split($3, inc, "/") }
		inc[1] != "boot" || inc[2] == own[2] { next }
		!(own[2] in floor) || !(inc[2] in floor) ||
			floor[inc[2]] >= floor[own[2]]'
}

no_source_lies_loose_in_boot()
{
	files | grep -E '^boot/[^/]*\.[ch]$'
}

# Firmware, Linux and the tests compile the same.  Both have mbedTLS.
the_room_of_words_is_pure()
{
	includes '^boot/words/.*\.[ch]$' | grep -vE \
		':(<(std(arg|bool|def|int)|strings?)\.h>|"core/(be|nbd[a-z_]*)\.h"|"port/(ip|le|port|sha256|text)\.h"|"boot/words/[a-z0-9_]*\.h")$|uri_tls\.[ch]:"port/(credentials|mbedtls/tls)\.h"$'
}

# So the name of a file says in which room it is.  Two worlds share no room.
no_two_rooms_of_boot_have_a_source_of_one_name()
{
	files | grep -E '^boot/[^/]*/[^/]*\.c$' |
		grep -vE '^boot/(lwip|metal)/' | awk -F/ '
		seen[$NF]++ { print }'
}

# Mutable objects of boot that tests/statics.txt does not list, and lines of it
# that no object has.  A compiler numbers the statics of functions.
mutable_objects_of_boot_are_listed_with_a_reason()
{
	find "$build/boot" "$build"-*/boot -name '*.o' -exec nm -A {} + \
		2>/dev/null | awk '
		# of a source that is gone
		function is_old(file) {
			if (!(file in old)) {
				old[file] = (getline line <(file ".c")) < 0
				close(file ".c")
			}
			return old[file]
		}
		# $d and the like mark data in code of ARM
		$(NF - 1) ~ /^[bBdDCsS]$/ && $NF !~ /^[.$]/ {
			file = $1
			sub(/\.o:.*/, "", file)
			sub(/.*\/boot\//, "boot/", file)
			sub(/\.[0-9]+$/, "", $NF)
			if (!is_old(file))
				print file, $NF
		}' | sort -u | awk '
		FILENAME != "-" { if (NF > 2 && !/^#/) want[$1 " " $2] = 1; next }
		$0 in want { delete want[$0]; next }
		{ print $0 ": not listed" }
		END { for (s in want) print s ": listed, but there is none" }
		' tests/statics.txt -
}

# Commands may begin with cmd_, and the parser of root= in words with root_.
# What the parser of ip= in words asks of its program, net or uefi defines.
symbols_of_boot_begin_with_their_room()
{
	for objects in "$build"/boot/*/ "$build"-*/boot/*/; do
		room=$(basename "$objects")
		case $room in
		cli) prefix='cli_|cmd_' ;;
		words | system) prefix='boot_|root_' ;;
		net | uefi) prefix="${room}_|boot_ip_methods\$" ;;
		*) prefix=${room}_ ;;
		esac
		nm -A --defined-only -g "$objects"/*.o 2>/dev/null |
			awk -v prefix="^($prefix)" '
				$NF != "main" && $NF !~ /^\?\?_C@/ &&
					$NF !~ prefix { print $1, $NF }'
	done
}

a_command_file_defines_its_command_and_nothing_else()
{
	files | sed -n 's|^boot/cli/\(cmd_.*\)\.c$|\1|p' | while read -r c; do
		nm -A --defined-only -g "$build/boot/cli/$c.o" 2>/dev/null |
			awk -v want="$c" '$NF != want { print $1, $NF }'
	done
}

# build.mk chooses the commands and their options.
no_configuration_in_the_source_of_commands()
{
	files | grep -E '^boot/cli/.*\.[ch]$' | xargs -r grep -nE \
		'^[[:space:]]*#[[:space:]]*(el)?if.*CONFIG_' /dev/null
}

# Undefined symbols of an archive or of objects, less what they define.
undefined()
{
	[ -f "$build/libport.a" ] || echo 'there are: no objects'
	nm -A "$@" 2>/dev/null | awk '
		$(NF - 1) == "U" { want[$NF] = $1; next }
		{ have[$NF] = 1 }
		END { for (s in want) if (!(s in have)) print want[s], s }'
}

core_needs_nothing_but_four_functions()
{
	undefined "$build/libcore.a" | grep -vE " ($mem)$"
}

# Objects that call each other in a circle, by the names in it.
circles()
{
	nm -A "$@" 2>/dev/null | sed 's/:/ /' | awk '
		NF == 4 { where[$4] = $1; next }
		{ calls[$1 " " $3] = 1 }
		END {
			for (c in calls) {
				split(c, part)
				if (part[2] in where)
					print part[1], where[part[2]]
			}
		}' | tsort 2>&1 >/dev/null | sed '/contains a loop/d'
}

calls_in_core_go_one_way()
{
	circles "$build"/core/*.o
}

# Features call the runner of the boot, and the build makes its table of steps.
calls_in_init_go_one_way()
{
	circles "$build"/boot/init/*.o
}

# Lines "caller callee" of the objects of boot in a build: which names a function
# of which other, in its code or in a table of it.  What tables hold besides are
# values: a program defines boot_ip_methods for words, and init its steps.
callers()
{
	find "$1/boot" -name '*.o' -exec nm -A {} + 2>/dev/null |
		sed 's|^[^:]*/boot/||; s/\.o:/ /' | awk '
		NF == 4 && $3 == "T" { where[$4] = $1; next }
		NF == 3 && $2 == "U" { calls[$1 " " $3] = 1 }
		END {
			for (c in calls) {
				split(c, part)
				if (part[2] in where)
					print part[1], where[part[2]]
			}
		}'
}

# There is no list of circles that are allowed: what both files of one need goes
# into a file below them.
calls_between_files_of_boot_go_one_way()
{
	for b in "$build" "$build"-*; do
		callers "$b" | tsort 2>&1 >/dev/null | sed '/contains a loop/d'
	done
}

calls_between_rooms_of_boot_go_one_way()
{
	for b in "$build" "$build"-*; do
		callers "$b" | sed 's|/[^ ]*||g' | awk '$1 != $2' | sort -u |
			tsort 2>&1 >/dev/null | sed '/contains a loop/d'
	done
}

# Other worlds than Linux have builds of their own beside it.
product_objects()
{
	for b in "$build" "$build"-*; do
		find "$b/core" "$b/port" "$b/boot" "$b/liblwip" -name '*.o'
	done 2>/dev/null
}

nothing_allocates_memory()
{
	[ -f "$build/libport.a" ] || echo 'there are no objects'
	# shellcheck disable=SC2046 # words on purpose
	nm -A $(product_objects) 2>/dev/null | grep -E \
		' U ([mc]alloc|(re|val|c)alloc(array)?|free|v?asprintf|strn?dup|aligned_alloc|posix_memalign|getdelim|getline)$'
}

nothing_uses_stdio()
{
	# shellcheck disable=SC2046 # words on purpose
	undefined $(product_objects) | grep -E \
		' (no objects|v?(f|s|sn|d)?printf|v?(f|s)?scanf|f?puts|puts|putchar|perror|f(d|re)?open|fclose|fread|fwrite|fgets|std(in|out|err)|qsort|regcomp|glob|setlocale)$'
}

files_have_fewer_than_500_lines()
{
	files | grep -E '\.(c|h|sh|mk)$|^Makefile$|Kconfig$' |
		grep -v '^tests/' | xargs -r awk 'FNR == 500 { print FILENAME }'
}

# A public header is a contract that is read in one go.
public_headers_have_fewer_than_250_lines()
{
	files | grep -E '^(core/nbd|port/).*\.h$' |
		xargs -r awk 'FNR == 250 { print FILENAME }'
}

the_front_page_has_at_most_130_lines()
{
	awk 'FNR == 131 { print FILENAME }' README.md
}

files_begin_with_their_licence()
{
	files | grep -E '\.(c|h|sh|mk)$|^Makefile$|Kconfig$' |
		grep -v '^tests/' | xargs -r awk 'FNR == 1 { found = 0 }
			/SPDX-License-Identifier: BSD-2-Clause/ { found = 1 }
			FNR == 2 && !found { print FILENAME }'
}

no_configuration_inside_of_functions()
{
	files | grep -E '^(core|port|boot)/.*\.[ch]$' | xargs -r awk '
		FNR == 1 || /^}/ { inside = 0 }
		/^{/ { inside = 1 }
		inside && /^[ \t]*#[ \t]*(el)?if.*(CONFIG|LWIP|REASSEMBLY)/ {
			print FILENAME ":" FNR ": " $0
		}'
}

# build.mk chooses files, and the entries of tables.  The exceptions: a request
# of the table in core, what an engine without TLS never asks for, and what an
# interface of firmware receives for IPv6.
configured='core/request|port/dial|port/uefi/snp'

sources_do_not_know_the_configuration()
{
	files | grep -E '^(core|port|boot)/.*\.c$' |
		grep -vE "^($configured)\.c$" | xargs -r grep -nE \
		'^[[:space:]]*#[[:space:]]*(el)?if.*CONFIG_' /dev/null
}

# An enum nbd_err is negative, so a negative errno would be taken for one.
results_are_no_negative_errno()
{
	files | grep -E '^(core|port|boot)/.*\.[ch]$' |
		xargs -r grep -nE '(^|[^A-Za-z0-9_])-(errno|E[A-Z0-9]{3,})([^A-Z_a-z]|$)'
}

# Scripts of boot/ see text that others wrote: DHCP, a server, a file system.  It
# stays data: echo may turn \0047 into a quote, and what is sourced or evaluated is
# run.  Prints echo with a variable, and what tests/shell.txt does not list or
# lists in vain.
text_of_others_stays_data_in_shell()
{
	files | grep '^boot/' | grep -vE '\.([chpy0-9]+|mk)$' |
		while read -r f; do
			! head -n 3 "$f" | grep -qE '^#!.*(sh|ash)$|shell=sh' ||
				echo "$f"
		done | xargs -r awk '
		# a line and those that continue it
		{ line = line $0; at = at ? at : FNR }
		/\\$/ { sub(/\\$/, " ", line); next }
		{
			text = line
			sub(/^[ \t]*#.*/, "", text)
			said = text
			# what is in quotes, and where it goes
			gsub(/\047[^\047]*\047/, "", said)
			gsub(/>+[ \t]*[^ \t;|)]+/, "", said)
			if (said ~ /(^|[^A-Za-z0-9_.\/-])echo[ \t][^;|&]*[$`]/)
				print FILENAME ": " at ": " text
			while (match(text, /(^|[;&|({!]|then|do|else)[ \t]*(\.|source|eval)[ \t]+[^ \t;]+/)) {
				found = substr(text, RSTART, RLENGTH)
				text = substr(text, RSTART + RLENGTH)
				sub(/^[^.se]*(then|do|else)?[;&|({! \t]*/, "", found)
				print FILENAME, found
			}
			line = ""
			at = 0
		}' | sort -u | awk '
		FILENAME != "-" { if (NF > 3 && !/^#/) want[$1 " " $2 " " $3] = 1; next }
		$0 in want { delete want[$0]; next }
		{ print }
		END { for (s in want) print s ": listed, but there is none" }
		' tests/shell.txt -
}

# Each call of open() whose path is neither a literal nor a macro: file and
# path.  The path is made here, or is a device, or a user may name a pipe.
opened='boot/system/console:path boot/system/harden:person boot/copy/file:name
	boot/copy/file:part boot/copy/file:path
	boot/copy/hidden:part boot/copy/hidden:s->name
	boot/copy/rescue_map:name boot/copy/rescue_map:new
	boot/device/files:file_name boot/init/mount:dev boot/init/onfail:path
	boot/init/credentials:path port/linux/tpm_device:path
	boot/cli/cmd_keep:root boot/keep/walk:w->at
	boot/keep/walk:w.at
	boot/clone/clone:w->dev boot/clone/disk:disk->path
	boot/cache/fill:f->devices boot/cli/cmd_cache:path boot/init/cacher:b->dev
	boot/init/clone_target:path
	boot/init/part:path boot/cli/cmd_prefetch:dev boot/cli/cmd_prefetch:name
	boot/init/prefetch:r->below boot/init/prefetch:r->dev
	boot/init/verity:path boot/init/prefetch:path boot/init/prefetch:root boot/init/switch:name
	boot/init/discover:path boot/init/layers:path boot/mapper/stack:path
	boot/init/volume:path boot/mapper/below:path
	boot/init/odd:dev boot/init/ostree:o->newroot
	boot/init/ostree_find:o->newroot port/linux/inside:inside_path
	boot/init/toram:path boot/init/shutdown:to boot/lwip/copy:name
	boot/mapper/mapper:name
	boot/images/keep_tries:dir boot/images/keep_tries:k->dir boot/images/trial:t->run
	boot/prefetch/fetch:dev boot/prefetch/learn:path
	boot/prefetch/learn:l->dev boot/prefetch/learn:l->run boot/prefetch/learn:u->l->run
	boot/prefetch/trace:t->instances boot/reroot/kexec:path
	boot/reroot/prove:dev boot/reroot/replace:k->fifo
	boot/watch/ask:name boot/watch/liar:name boot/watch/takeover:name
	port/linux/dir:path
	port/linux/file:name port/linux/file:path port/linux/loop:file
	port/linux/loop:path port/linux/module:path port/linux/nbdk_ioctl:node
	port/linux/nbdk_sys:node port/linux/nbdk_users:path
	port/posix/open:path'

files_that_strangers_name_are_opened_by_open_plain()
{
	files | grep -E '^(boot|port)/.*\.c$' | grep -vE '/(uefi|metal)/' |
		xargs -r awk -v known="$opened" '
			BEGIN {
				n = split(known, k)
				for (i = 1; i <= n; i++)
					is[k[i]] = 1
			}
			!/^[ \t]*\/?\*/ &&
				match($0, /(^|[^A-Za-z0-9_>.])open(at)?\(/) {
				path = substr($0, RSTART + RLENGTH)
				if ($0 ~ /openat\(/)
					sub(/^[a-z_]+(\(\))?, /, "", path)
				sub(/[,()[ ].*/, "", path)
				file = FILENAME
				sub(/\.c$/, "", file)
				call = file ":" path
				if (path !~ /^("|[A-Z_]+$)/ && !(call in is))
					print FILENAME ":" FNR ": " path
			}'
}

# Calls that make, change or remove a file which may be on somebody's root: those
# that tests/writes.txt does not list with a reason, and lines of it that no call
# has.  /run is in RAM (`run` is a descriptor of it), and the kernel owns /proc, /sys
# and /dev.  A macro or an array with the path is looked up.
files_outside_of_run_are_written_with_a_reason()
{
	files | grep -E '^(boot|port)/.*\.[ch]$' | grep -vE '/(uefi|metal)/' |
		xargs -r awk '
		BEGIN {
			# the place of the path among the arguments
			n = split("open 1 creat 1 mkdir 1 rmdir 1 unlink 1 " \
				"chmod 1 truncate 1 mknod 1 symlink 2 link 2 " \
				"rename 2 openat 2 mkdirat 2 unlinkat 2 " \
				"file_write 2 init_shutdown_copy 2 " \
				"file_replace 2 file_replace_by 2 " \
				"reroot_put 1 symlinkat 3 renameat 4", w, " ")
			for (i = 1; i < n; i += 2) {
				place[w[i]] = w[i + 1]
				calls = calls (calls ? "|" : "") w[i]
			}
		}
		$1 == "#define" && match($0, /[A-Z0-9_]+[ \t]+["A-Z]/) {
			name = $2
			sub(/^[^ \t]+[ \t]+[^ \t]+[ \t]+/, "")
			is[name] = $0
			next
		}
		{ text[FILENAME] = text[FILENAME] " " $0 }
		# Cuts args into arg[], at the commas outside of parentheses.
		function cut(args,    i, c, depth, n) {
			n = 1
			arg[1] = ""
			for (i = 1; depth >= 0; i++) {
				c = substr(args, i, 1)
				depth += (c == "(") - (c == ")" || c == "")
				if (c == "," && !depth)
					arg[++n] = ""
				else if (depth >= 0)
					arg[n] = arg[n] c
			}
			arg[n + 1] = arg[n + 2] = ""
			for (i = 1; i <= n; i++) {
				gsub(/[ \t]+/, " ", arg[i])
				gsub(/^ | $/, "", arg[i])
			}
		}
		function in_ram(file, path,    i, word) {
			for (i = 0; i < 4; i++) {
				match(path, /^[A-Za-z0-9_]*/)
				word = substr(path, 1, RLENGTH)
				if ((file, word) in array)
					path = array[file, word]
				else if (word in is)
					path = is[word]
			}
			return path ~ /^"\/(run|proc|sys|dev)[\/"]/
		}
		function look(file, name,    at) {
			at = place[name]
			if (arg[1] ~ /^(int|const|struct|char) |^run$/ ||
			    (name ~ /^open/ && (arg[at + 1] arg[at + 2]) !~ \
				/O_(WRONLY|RDWR|CREAT|TRUNC)|^[a-z]/))
				return
			if (!in_ram(file, arg[at]))
				print file, name, arg[at]
		}
		function arrays(file, t,    def) {
			while (match(t, /char [a-z_]+\[\] = [A-Z"][^;]*;/)) {
				def = substr(t, RSTART + 5, RLENGTH - 6)
				t = substr(t, RSTART + RLENGTH)
				array[file, substr(def, 1, index(def, "[") - 1)] = \
					substr(def, index(def, "=") + 2)
			}
		}
		END {
			for (file in text) {
				t = text[file]
				while ((i = index(t, "/*")))
					t = substr(t, 1, i - 1) \
						substr(t, i + 1 + index( \
						substr(t, i + 2), "*/") + 2)
				sub(/\.[ch]$/, "", file)
				arrays(file, t)
				while (match(t, "(^|[^A-Za-z0-9_>.])(" calls ")\\(")) {
					name = substr(t, RSTART, RLENGTH - 1)
					sub(/^[^a-z]/, "", name)
					t = substr(t, RSTART + RLENGTH)
					cut(t)
					look(file, name)
				}
			}
		}' | sort -u | awk '
		# the path may have blanks, and a tab ends it
		FILENAME != "-" {
			if (split($0, part, "\t+") > 1 && !/^#/)
				want[part[1]] = 1
			next
		}
		$0 in want { delete want[$0]; next }
		{ print $0 ": not listed" }
		END { for (s in want) print s ": listed, but there is none" }
		' tests/writes.txt -
}

# Firmware has no such descriptors.
programs_take_the_standard_descriptors_first()
{
	files | grep -E '^boot/.*\.c$' | grep -vE '/(uefi|metal)/' |
		xargs -r grep -lE '^int main\(' | while read -r main; do
			grep -q '^	open_standard();$' "$main" ||
				echo "$main"
		done
}

# Definitions in tests of what tests/world/ plays, other than those that
# tests/world/own.txt lists with a reason, and lines of it that no definition has.
tests_play_the_kernel_in_one_place()
{
	files | grep -E '^tests/.*\.c$' | xargs -r awk '
		/^[a-z].*[ *]__wrap_[A-Za-z0-9_]+\(/ && !/;$/ {
			sub(/\(.*/, "")
			sub(/.*__wrap_/, "")
			print FILENAME ": " $0
		}' | sort -u | awk '
		FILENAME != "-" {
			if (split($0, part, "\t+") > 1 && !/^#/)
				want[part[1]] = 1
			next
		}
		{ name = $0; sub(/.*: /, "", name) }
		/^tests\/world\// { played[name] = 1; next }
		{ at[$0] = name }
		END {
			for (s in at) {
				if (at[s] in played && !(s in want))
					print s ": not listed"
				if (at[s] in played)
					delete want[s]
			}
			for (s in want)
				print s ": listed, but there is none"
		}' tests/world/own.txt -
}

# $! after `at ... &` is a shell, and the command outlives it.
tests_end_what_they_start_at_a_namespace()
{
	files | grep -E '^tests/.*\.sh$' | xargs -r awk '
		{ line = line $0 }
		/\\$/ { next }
		line ~ /^[ \t]*at .*[^&>]&$/ { print FILENAME ": " line }
		{ line = "" }'
}

# A server that was told to end may answer for a while: tap.sh's end_server
# waits for its end.  Those of a guest are daemons, nobody's children.
servers_have_ended_before_a_script_goes_on()
{
	files | grep -E '^tests/.*\.sh$' | grep -v '^tests/vm/guest/' |
		xargs -r awk 'FNR == 1 || /^[ \t]*(wait|until|\[) / { killed = "" }
			killed { print killed; killed = "" }
			/^[ \t]*kill (-9 |-TERM |-INT |-KILL )?"\$(server|nbdkit|radvd)"/ {
				killed = FILENAME ":" FNR ": " $0
			}'
}

# Lines of mutations.txt that do not change exactly one line of their file.
each_fault_of_the_mutations_is_possible()
{
	tab=$(printf '\t')
	grep -v '^#' tests/mutations.txt | while IFS=$tab read -r file rule _; do
		n=$(sed -- "$rule" "$file" 2>/dev/null |
			diff "$file" - 2>/dev/null | grep -c '^<')
		[ "$n" = 1 ] || echo "$file: $rule: changes $n lines"
	done
}

the_top_level_is_the_fixed_one()
{
	# shellcheck disable=SC2086 # words on purpose
	files | cut -d/ -f1 | sort -u | grep -vxF "$(printf '%s\n' $top)"
}

# Phrases that need a second reading: a pattern on each line.  "who" is for
# people, the antecedents below.
phrases='folders?
what there is
what is between
is said to( be)?
least block size
(is|are|was|were|be|been) told
(of|for|to) whom?
whom? (is|has|was|had|can|may|does|did|must|needs?|wants?|cannot|holds?|reads?)
whom? (writes?|asks?|calls?|changes?|comes?|ends?|gets?|listens?|looks?|makes?)
whom? (made|names?|owns?|renews?|runs?|sends?|serves?|starts?|takes?|uses?)
whom? (watches|watch|connects?|connected|loads?)'
people='people|persons?|(any|every|no|some)body|users?|readers?|those'

# A phrase may also be part of a name, or begin in one line and end in the next.
text_is_plain_english()
{
	files | grep -E '^((core|port|boot|tests)/|README\.md$)' |
		grep -vE '^tests/(fuzz/corpus/|rules\.sh$)' |
		xargs -r awk -v phrases="$(echo "$phrases" | paste -s -d '|')" \
			-v people="(^| )($people) who |told (apart|from)" '
			function has(text) {
				return (" " text " ") ~ ("[^a-z](" phrases ")[^a-z]") &&
					text !~ people
			}
			FNR == 1 { tail = "" }
			{
				text = tolower($0)
				gsub(/_/, " ", text)
				sub(/^[ \t]*(\/?\*+|#)?[ \t]*/, "", text)
				# the words on both sides of the break
				head = text
				if (match(text, /^[^ ]+( [^ ]+)?( [^ ]+)?/))
					head = substr(text, 1, RLENGTH)
				if (has(text) || (!has(tail) && !has(head) &&
				    tail && head && has(tail " " head)))
					print FILENAME ":" FNR ": " $0
				tail = text
				if (match(text, /[^ ]+ [^ ]+ [^ ]+$/))
					tail = substr(text, RSTART)
			}'
}

the_code_is_formatted()
{
	files | grep -E '\.[ch]$' |
		xargs -r clang-format --dry-run -Werror 2>&1 |
		grep -E 'error:|rror ' | head -n 10
}

rules='core_includes_only_itself_and_three_headers
	a_port_includes_no_other_port
	port_includes_no_private_header_of_core
	private_members_of_core_are_used_by_core_alone
	nothing_but_boot_and_tests_includes_boot
	includes_in_boot_go_down_only
	no_source_lies_loose_in_boot
	the_room_of_words_is_pure
	no_two_rooms_of_boot_have_a_source_of_one_name
	symbols_of_boot_begin_with_their_room
	mutable_objects_of_boot_are_listed_with_a_reason
	a_command_file_defines_its_command_and_nothing_else
	no_configuration_in_the_source_of_commands
	core_needs_nothing_but_four_functions
	calls_in_core_go_one_way
	calls_in_init_go_one_way
	calls_between_files_of_boot_go_one_way
	calls_between_rooms_of_boot_go_one_way
	nothing_allocates_memory
	nothing_uses_stdio
	files_have_fewer_than_500_lines
	public_headers_have_fewer_than_250_lines
	the_front_page_has_at_most_130_lines
	files_begin_with_their_licence
	no_configuration_inside_of_functions
	sources_do_not_know_the_configuration
	results_are_no_negative_errno
	text_of_others_stays_data_in_shell
	files_that_strangers_name_are_opened_by_open_plain
	files_outside_of_run_are_written_with_a_reason
	programs_take_the_standard_descriptors_first
	tests_play_the_kernel_in_one_place
	tests_end_what_they_start_at_a_namespace
	servers_have_ended_before_a_script_goes_on
	each_fault_of_the_mutations_is_possible
	the_top_level_is_the_fixed_one
	text_is_plain_english
	the_code_is_formatted'

bad_tree()
{
	mkdir -p core port/one port/two boot/system boot/words boot/cli boot/net \
		tests/world
	echo 'boot/net/a b is not there' >tests/statics.txt
	printf 'core/a.c\ts/int/long/\tfound\ncore/a.c\ts/x y/z/\tstale\n' \
		>tests/mutations.txt
	printf 'boot/net/a open b\tis not there\n' >tests/writes.txt
	mkdir -p build/core build/port build/boot/cli build/boot/net build/boot/init
	cp "$1/.clang-format" .
	touch stray
	{ echo '#include <string.h>' && echo 'int  x ;'; } >core/a.c
	printf 'struct s {\n\tint a;\n\t/* private */\n\tint b;\n};\n' \
		>core/nbd.h
	printf '#include "core/nbd.h"\nint f(struct s *s)\n{\n%s\n}\n' \
		'	return s->a + s->b;' >port/one/b.c
	echo '#include "port/two/b.h"' >port/one/a.c
	echo '#include "port/two/b.h"' >port/common.h
	echo '#include "core/core.h"' >port/two/b.c
	{ echo '#  include "boot/c.h"' && echo 'return -errno;'; } >port/two/c.c
	printf '#if CONFIG_Y\n#endif\nvoid f(void)\n{\n#ifdef CONFIG_X\n' \
		>boot/f.c
	printf '#endif\n#if LWIP_X\n#endif\n}\n' >>boot/f.c
	{
		echo '#include "boot/net/a.h"'
		printf '\tint fd = open(name, O_RDONLY);\n'
		printf '\tint fd = openat(at(), "name", O_RDONLY);\n'
		printf '\tmkdir("/etc", 0755), mkdir("/run/x", 0755);\n'
	} >boot/system/a.c
	printf 'int main(void)\n{\n\treturn 0;\n}\n' >boot/cli/main.c
	printf '#include "boot/net/a.h"\n#ifdef CONFIG_X\n#endif\n' >boot/cli/a.c
	touch boot/cli/cmd_a.c
	printf '#!/bin/sh\n[ ! x ] || . "$conf"\necho a \\\n"$x"\n' >boot/net/hook
	echo 'boot/net/hook eval x is not there' >tests/shell.txt
	echo 'int cmd_a, cmd_b;' | gcc -x c -c -o build/boot/cli/cmd_a.o -
	for header in '<unistd.h>' '<string.h>' '"core/wire.h"' '"core/nbd.h"'; do
		echo "#include $header"
	done >boot/words/root_a.c
	for room in cli net; do
		echo 'int net_a;' | gcc -x c -c -o build/boot/$room/a.o -
	done
	yes '/* SPDX-License-Identifier: BSD-2-Clause */' |
		head -n 500 >core/long.c
	head -n 250 core/long.c >core/nbd_long.h
	head -n 131 core/long.c >README.md
	{
		echo 'A folder, and the process who holds it.'
		echo 'Directories, and people who need them.'
		printf 'A phrase is\n# told across the break of a line.\n'
	} >boot/Kconfig
	printf '/* BSD-2-Clause */\nvoid the_watcher_is_told(void);\n' >tests/a.h
	echo 'int __wrap_poll(int n)' >tests/world/clock.c
	printf 'int __wrap_poll(int n)\nint __wrap_open(void)\n' >tests/a.c
	printf 'at "$s" a && at "$s" b\nat "$s" a \\\n\t>b &\n' >tests/a.sh
	printf '%s\n' 'kill "$server"' ask 'kill -9 "$nbdkit"' 'wait "$nbdkit"' \
		>>tests/a.sh
	printf 'tests/a.c: open\tis not played\n' >tests/world/own.txt
	echo 'void *malloc(unsigned long); void *strlen(void *);
		int printf(const char *, ...); void *f(void);
		void *f(void) { return strlen(malloc(printf("%d", 3))); }' |
		gcc -w -ffreestanding -x c -c -o build/core/m.o - &&
	echo 'int a(void), b(void); int a(void) { return b(); }' |
		gcc -x c -c -o build/core/a.o - &&
	echo 'int a(void), b(void); int b(void) { return a(); }' |
		gcc -x c -c -o build/core/b.o - &&
	echo 'int init_a(void), init_b(void); int init_a(void) { return init_b(); }' |
		gcc -x c -c -o build/boot/init/a.o - &&
	echo 'int init_a(void), init_b(void); int init_b(void) { return init_a(); }' |
		gcc -x c -c -o build/boot/init/b.o - &&
	echo 'int cli_c(void), net_c(void); int net_c(void) { return cli_c(); }' |
		gcc -x c -c -o build/boot/net/c.o - &&
	echo 'int cli_c(void), net_c(void); int cli_c(void) { return net_c(); }' |
		gcc -x c -c -o build/boot/cli/c.o - &&
		ar rc build/libcore.a build/core/m.o && ar rc build/libport.a
}

# If it does not build, the rules about objects fail for want of objects.  What
# -flto leaves of them does not show what the compiler itself calls, and a world
# without a libc has no __stack_chk_fail().
make -s -j2 O="$dir/t/rules" CFLAGS=-O0 HARDEN= objects-rules >/dev/null
failed=
for config in $worlds metal-virt; do
	make -s O="$dir/t/rules-$config" "${config}_defconfig" &&
		make -s -j2 O="$dir/t/rules-$config" OPT=-O0 HARDEN= \
			objects-rules >/dev/null || failed="$failed $config"
done
here=$(pwd)
case $dir in
/*) build=$dir/t/rules ;;
*) build=$here/$dir/t/rules ;;
esac
status=0
if [ "$failed" ]; then
	echo "not ok - every world compiles:$failed do not"
	status=1
else
	echo 'ok - every world compiles'
fi

# Else what one make has built is not made anew by the other.
case $(make -pnq O="$here/a/b" help 2>/dev/null | grep '^O := ') in
'O := a/b') echo 'ok - a build directory has one name, however it is given' ;;
*)
	echo 'not ok - a build directory has one name, however it is given'
	status=1
	;;
esac

# A tree whose path has a blank, too.
blank=$(mktemp -d)
mkdir "$blank/a b"
ln -s "$here"/* "$blank/a b/"
case $(make -pnq -C "$blank/a b" help 2>/dev/null | grep '^O := ') in
'O := build') echo 'ok - the path of the tree may have a blank' ;;
*)
	echo 'not ok - the path of the tree may have a blank'
	status=1
	;;
esac
rm -r "$blank"

# Others break some lines elsewhere.
case $(clang-format --version) in
*' version 14.'*) ;;
*)
	rules=${rules%the_code_is_formatted}
	echo 'ok - rule: the code is formatted # SKIP allowed: not clang-format 14'
	;;
esac

for rule in $rules; do
	found=$($rule)
	name=$(echo "$rule" | tr _ ' ')
	if [ "$found" ]; then
		echo "not ok - rule: $name"
		echo "$found" | sed 's/^/# /'
		status=1
	else
		echo "ok - rule: $name"
	fi
done

bad=$(mktemp -d)
trap 'rm -rf "$bad"' EXIT
cd "$bad" || exit 1
bad_tree "$here" || exit 1
build=$bad/build
for rule in $rules; do
	name=$(echo "$rule" | tr _ ' ')
	if [ "$($rule)" ]; then
		echo "ok - a tree that breaks it is found out: $name"
	else
		echo "not ok - a tree that breaks it is found out: $name"
		status=1
	fi
done

# The bad tree breaks each include rule once or twice, and no more lines than
# those may be reported.
for want in 'a_port_includes_no_other_port 2' \
	'no_configuration_inside_of_functions 2' \
	'sources_do_not_know_the_configuration 3' \
	'private_members_of_core_are_used_by_core_alone 1' \
	'includes_in_boot_go_down_only 1' 'the_room_of_words_is_pure 2' \
	'no_source_lies_loose_in_boot 1' \
	'no_two_rooms_of_boot_have_a_source_of_one_name 1' \
	'symbols_of_boot_begin_with_their_room 1' \
	'mutable_objects_of_boot_are_listed_with_a_reason 4' \
	'a_command_file_defines_its_command_and_nothing_else 1' \
	'no_configuration_in_the_source_of_commands 1' \
	'public_headers_have_fewer_than_250_lines 1' \
	'files_have_fewer_than_500_lines 1' 'the_top_level_is_the_fixed_one 1' \
	'files_that_strangers_name_are_opened_by_open_plain 1' \
	'files_outside_of_run_are_written_with_a_reason 2' \
	'tests_play_the_kernel_in_one_place 2' \
	'tests_end_what_they_start_at_a_namespace 1' \
	'servers_have_ended_before_a_script_goes_on 1' \
	'each_fault_of_the_mutations_is_possible 1' \
	'text_is_plain_english 3' 'calls_in_core_go_one_way 2' \
	'calls_in_init_go_one_way 2' \
	'calls_between_files_of_boot_go_one_way 4' \
	'calls_between_rooms_of_boot_go_one_way 2' \
	'results_are_no_negative_errno 1' \
	'text_of_others_stays_data_in_shell 3' \
	'nothing_allocates_memory 1' 'core_needs_nothing_but_four_functions 3'; do
	rule=${want% *}
	n=$($rule | wc -l)
	if [ "$n" -eq "${want#* }" ]; then
		echo "ok - and exactly there: $(echo "$rule" | tr _ ' ')"
	else
		echo "not ok - and exactly there: $rule: $n, not ${want#* }"
		status=1
	fi
done
exit $status
