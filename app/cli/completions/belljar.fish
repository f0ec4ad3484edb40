# fish completion for belljar: the program itself knows what comes next.
function __belljar_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (commandline -ct)
            case ':folders'
                __fish_complete_directories (commandline -ct)
            case ':users'
                __fish_complete_users
            case ':command *'
                set -l before (string replace ':command ' '' -- $line)
                set -l rest $words[(math $before + 3)..-1]
                complete -C (string join ' ' -- $rest)
            case '*'
                echo $line
        end
    end
end
complete -c belljar -f -a '(__belljar_complete)'
