# SPDX-License-Identifier: MIT
# Completion for bash: `source runner/completion/stampede.bash`. It asks the programs themselves:
# options from --help-all, rows and workloads from --list, runs from results/.

_stampede_names() { # program, rows or workloads; in --list these come behind an empty line
	${1/%explore/run-stress} --list 2>/dev/null | awk -v what="$2" '
		!NF { behind = 1 }
		/^[a-z]/ && (what == "workloads") == (behind == 1) { print $1 }'
}

_stampede() {
	local program=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words
	case $before in
	--scheme | --schemes) words=$(_stampede_names "$program" rows) ;;
	--workload | --workloads) words=$(_stampede_names "$program" workloads) ;;
	--json | --results | --gaps) COMPREPLY=($(compgen -f -- "$word")) && return ;;
	*)
		if [[ $word == -* ]]; then
			words=$({ $program --help-all || $program --help; } 2>/dev/null |
				grep -oE -- '--[a-z][a-z-]*' | sort -u)
		else
			words=$(ls results 2>/dev/null)
		fi
		;;
	esac
	COMPREPLY=($(compgen -W "$words" -- "$word"))
}

# The installed programs are commands of one: stampede bench <TAB>.
_stampede_command() {
	local word=${COMP_WORDS[COMP_CWORD]}
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$(stampede --help 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p')" -- "$word"))
	elif [ "$COMP_CWORD ${COMP_WORDS[1]}" = "2 take" ]; then
		COMPREPLY=($(compgen -W "$(stampede take --help | sed -n 's/^rows://p')" -- "$word"))
	else
		_stampede "stampede ${COMP_WORDS[1]}"
	fi
}

complete -o default -F _stampede {build/,./build/}{bench,run-stress,compare,plots,explore,read-trace,judge-tracer}
complete -o default -F _stampede_command stampede
