# Completion for the programs of gpuvm, in bash: of options and of the commands of gpuvm-plan,
# gpuvm-linear and gpuvm-token as --help prints them, and of files.
#
# `cmake --install` puts it where bash-completion finds it by the name of the program;
# without that, `source tools/completion.bash`.

_gpuvm() {
  local word=$2 command=() help words
  [[ $1 =~ gpuvm-(plan|linear|token)$ && $COMP_CWORD -gt 1 ]] && command=("${COMP_WORDS[1]}")
  help=$("$1" "${command[@]}" --help 2>/dev/null)
  if [[ $word == -* ]]; then
    words=$(grep -oE '(^|[ ,])--?[a-z][A-Za-z0-9_-]*' <<<"$help" | tr -d ' ,')
  elif [[ $COMP_CWORD == 1 ]]; then
    words=$(sed -n '/^Subcommands:/,$ s/^  \([a-z]*\) .*/\1/p' <<<"$help")
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word" | sort -u)
}
complete -o default -F _gpuvm gpuvm-compile gpuvm-interpret gpuvm-linear gpuvm-lsp-server gpuvm-opt gpuvm-plan gpuvm-reduce gpuvm-run gpuvm-token gpuvm-tokenize
