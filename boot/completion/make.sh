#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints the completion of nbdboot for a shell: make.sh PROGRAM bash|zsh|fish
#
# The commands and options are those of `nbdboot help`, which prints the tables
# of the program.
set -eu

program=${1:?program} shell=${2:?shell}
tab=$(printf '\t')
say()
{
	printf '%s\n' "$@"
}

# Lines "COMMAND<tab>SUMMARY".
commands()
{
	"$program" help | sed -n 's/^  \([a-z][a-z-]*\)  *\(.*\)/\1\t\2/p'
}

# options COMMAND: lines "LETTER<tab>NAME<tab>VALUE<tab>HELP", empty if not there
options()
{
	"$program" help "$1" | awk '
		/^-/ {
			letter = name = value = ""
			for (i = 1; i <= NF; i++) {
				word = $i
				sub(/,$/, "", word)
				sub(/\[=.*/, "", word) # a value that may lack
				if (word ~ /^--/)
					name = substr(word, 3)
				else if (word ~ /^-/)
					letter = substr(word, 2)
				else if (word !~ /^\(/ && !value && name)
					value = word
				else
					break
			}
			getline help
			sub(/^\t/, "", help)
			print letter "|" name "|" value "|" help
		}' | tr '|' '\t'
}

# words COMMAND: all spellings of its options, and --help, which all have
words()
{
	printf -- '--help '
	"$program" help "$1" | sed -n '/^-/{
		s/,//; s/^\(--*[a-zA-Z-]*\)\( --[a-z-]*\)\{0,1\}.*/\1\2/p
	}' | tr '\n' ' '
}

# takes_device COMMAND: an operand is the name of a device
takes_device()
{
	"$program" help "$1" | sed '/^\(nbdboot\|\t\)/!q' | grep -q 'nbdN\]*\(\.\.\.\]*\)\{0,1\}$'
}

for_bash()
{
	cat <<-'END'
		# bash completion of nbdboot(8)
		_nbdboot()
		{
			local cur=${COMP_WORDS[COMP_CWORD]} words='' devices=''
			COMPREPLY=()
			if ((COMP_CWORD == 1)); then
	END
	printf "\t\twords='%s'\n" "$(commands | cut -f1 | tr '\n' ' ')"
	# shellcheck disable=SC2016 # for the completion
	say '	else' '		case ${COMP_WORDS[1]} in'
	commands | while IFS=$tab read -r command summary; do
		printf "\t\t%s) words='%s'" "$command" "$(words "$command")"
		! takes_device "$command" || printf ' devices=1'
		say ' ;;'
	done
	cat <<-'END'
			esac
			if [[ $devices && $cur != -* ]]; then
				words=$(compgen -G '/sys/block/nbd[0-9]*')
				words=${words//\/sys\/block\//}
			elif [[ $cur != -* && ${COMP_WORDS[1]} == help ]]; then
				words=$(nbdboot help | sed -n 's/^  \([a-z][a-z-]*\)  *.*/\1/p')
			elif [[ $cur != -* ]]; then
				# the shell itself completes and quotes names of files
				compopt -o default
				return
			fi
		fi
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	}
	complete -F _nbdboot nbdboot
	END
}

# zsh gives ":", "[" and "]" a meaning, and the quote ends the word.
zsh_text()
{
	say "$1" | sed -e 's/[]:[]/\\&/g' -e "s/'/'\\\\''/g"
}

for_zsh()
{
	say '#compdef nbdboot' '# zsh completion of nbdboot(8)' \
		'_nbdboot_devices() {' \
		'	compadd -- /sys/block/nbd[0-9]*(N:t)' '}' '' \
		'local -a commands' 'commands=('
	commands | while IFS=$tab read -r command summary; do
		say "	'$command:$(zsh_text "$summary")'"
	done
	cat <<-'END'
		)
		if ((CURRENT == 2)); then
			_describe command commands
			return
		fi
		local command=$words[2]
		shift words
		((CURRENT--))
		case $command in
	END
	commands | while IFS=$tab read -r command summary; do
		printf '%s)\n\t_arguments -s %s\n' "$command" "\\"
		say "		'(- *)'{-h,--help}'[explain this command]' \\"
		options "$command" | zsh_options
		rest=_files
		! takes_device "$command" || rest=_nbdboot_devices
		say "		'*:operand:$rest'" '	;;'
	done
	say 'esac'
}

# The empty fields of a line end its reading by IFS: a tab is white space.
zsh_options()
{
	while IFS= read -r line; do
		letter=${line%%"$tab"*} line=${line#*"$tab"}
		name=${line%%"$tab"*} line=${line#*"$tab"}
		value=${line%%"$tab"*}
		text=$(zsh_text "${line#*"$tab"}")
		case $value in
		'') value='' ;;
		nbdN) value=":$value:_nbdboot_devices" ;;
		*) value=":$value:_files" ;;
		esac
		[ ! "$letter" ] || say "		'-${letter}[$text]$value' \\"
		say "		'--${name}[$text]$value' \\"
	done
}

for_fish()
{
	say '# fish completion of nbdboot(8)' 'function __nbdboot_devices' \
		'	command ls /sys/block | string match "nbd*"' 'end' \
		'complete -c nbdboot -n __fish_use_subcommand -f' \
		"complete -c nbdboot -s h -l help -d 'explain this command'"
	commands | while IFS=$tab read -r command summary; do
		say "complete -c nbdboot -n __fish_use_subcommand -a $command \
-d '$(fish_text "$summary")'"
		here="-n '__fish_seen_subcommand_from $command'"
		! takes_device "$command" ||
			say "complete -c nbdboot $here -f -a '(__nbdboot_devices)'"
		options "$command" | fish_options "$here"
	done
}

fish_text()
{
	say "$1" | sed "s/[\\\\']/\\\\&/g"
}

fish_options()
{
	while IFS= read -r line; do
		letter=${line%%"$tab"*} line=${line#*"$tab"}
		name=${line%%"$tab"*} line=${line#*"$tab"}
		value=${line%%"$tab"*}
		say "complete -c nbdboot $1 ${letter:+-s $letter }-l $name \
${value:+-r }-d '$(fish_text "${line#*"$tab"}")'"
	done
}

"for_$shell"
