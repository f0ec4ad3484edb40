# bash completion for belljar: the program itself knows what comes next.
_belljar() {
    local current=${COMP_WORDS[COMP_CWORD]} line word
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
            :folders) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
            :users) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -u -- "$current") ;;
            ":command "*)
                # Two words stand before: belljar run.
                if declare -F _command_offset >/dev/null; then
                    _command_offset $((${line#:command } + 2))
                else
                    compopt -o filenames
                    mapfile -t COMPREPLY < <(compgen -c -f -- "$current")
                fi ;;
            *) word=${line%%$'\t'*}; COMPREPLY+=("$word") ;;
        esac
    done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _belljar belljar
