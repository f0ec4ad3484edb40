"""Shells, editors and terminals inside, used as a person uses them: tmux is the terminal, its keys are the person's."""

import os

from world import WorldTest, main

# Keys go to the pane; `see TEXT` waits until the screen shows it.
TMUX = r"""
screen() { tmux -L test -f /dev/null new-session -d -x 80 -y 24 -s pane "$@"; }
keys() { tmux -L test send-keys -t pane "$@"; }
see() { for _ in $(seq 100); do tmux -L test capture-pane -p -t pane 2>/dev/null | grep -qF -- "$1" && return 0; sleep 0.1; done
        echo "not seen: $1" >&2; tmux -L test capture-pane -p -t pane >&2; exit 1; }
gone() { for _ in $(seq 100); do tmux -L test has-session -t pane 2>/dev/null || return 0; sleep 0.1; done; echo 'not gone' >&2; exit 1; }
"""


class Shells(WorldTest):
    def in_tmux(self, script):
        return self.succeeds(self.jar.run(["bash", "-e", "-c", TMUX + script]))

    def read(self, name):
        with open(f"{self.jar.workspace}/{name}", encoding="utf-8") as file:
            return file.read()

    def test_bash_with_all_that_scripts_use(self):
        run = self.succeeds(self.jar.run(["bash", "-e", "-c", r"""
            diff <(echo same) <(echo same); read -r line < <(echo process); echo "$line"; cat <<< here-string
            coproc cat; echo coprocess >&"${COPROC[1]}"; read -r -u "${COPROC[0]}" line; echo "$line"; kill $COPROC_PID; wait $COPROC_PID || test $? = 143
            trap 'echo trapped' USR1; kill -USR1 $$; sleep 0.1 & wait -n; (exit 7) || echo $?; printf '%(%Y)T\n' 0
            mkfifo /tmp/pipe; echo fifo > /tmp/pipe & cat /tmp/pipe; exec 5<>/dev/tcp/127.0.0.1/9 || echo refused
            """]))
        self.assertEqual(run.out.split(), ["process", "here-string", "coprocess", "trapped", "7", "1970", "fifo", "refused"])

    def test_bash_as_a_login_shell_reads_the_system_s_profile(self):
        run = self.succeeds(self.jar.run(["bash", "-l", "-c", "shopt -q login_shell && echo $HOME $0"]))
        self.assertEqual(run.out.split(), [self.world.home, "bash"])

    def test_bash_has_job_control_in_a_terminal_of_tmux(self):
        self.in_tmux(r"""
            screen bash --norc --noprofile; keys 'PS1="ready: "' Enter; see 'ready:'
            keys 'sleep 100' Enter; sleep 0.3; keys C-z; see Stopped; keys 'bg' Enter; see 'sleep 100 &'; keys 'kill %1; wait %1; echo ended-$?' Enter; see ended-143
            keys 'cat' Enter; keys C-c; keys 'echo $?' Enter; see 130; keys 'stty size' Enter; see '24 80'; keys 'tput colors' Enter; keys exit Enter; gone""")

    def test_zsh_completes_and_expands(self):
        run = self.succeeds(self.jar.run(["zsh", "-c", "print ~; print -P %n@%m; autoload -Uz compinit; compinit; a=(/etc/p*file(.N)); print $a; print ${(U)USER}"]))
        self.assertEqual(run.out.split(), [self.world.home, "tess@belljar", "/etc/profile", "TESS"])
        os.makedirs(self.jar.workspace + "/a-long-folder", exist_ok=True)
        self.in_tmux(r"""
            screen zsh -f -i; keys 'autoload -Uz compinit; compinit; PS1="ready: "' Enter; see 'ready:'
            keys 'cd a-lo' Tab; see 'cd a-long-folder'; keys Enter; keys 'print $((6*7)) ${PWD:t}' Enter; see '42 a-long-folder'; keys exit Enter; gone""")

    def test_vim_edits_a_file_and_comes_back_to_it(self):
        self.in_tmux(r"""
            screen vim -u NONE -N edited; keys i 'first line' Enter 'second' Escape ':1s/first/changed/' Enter ':wq' Enter; gone
            screen vim edited; see 'changed line'; keys ':set ruler' Enter G dd ':w' Enter; see written; keys ':!echo from the shell' Enter; see 'from the shell'
            keys Enter ':q' Enter; gone""")
        self.assertEqual(self.read("edited"), "changed line\n")

    def test_less_pages_and_searches(self):
        self.in_tmux(r"""
            seq 1000 > long; screen less long; see 23; keys G; see 1000; keys '?^517$' Enter; see 517; keys q; gone
            screen sh -c 'seq 99 | less'; see 22; keys q; gone""")

    def test_tmux_splits_and_detaches(self):
        self.in_tmux(r"""
            screen sh; tmux -L test split-window -h -t pane 'echo beside; sleep 100'; sleep 0.3
            test $(tmux -L test list-panes -t pane | wc -l) = 2; tmux -L test capture-pane -p -t pane.1 | grep -q beside; tmux -L test kill-server; gone""")

    def test_script_gives_a_terminal_of_its_own(self):
        run = self.jar.run(["script", "-qec", "tty; exit 3", "/dev/null"])
        self.assertEqual((run.status, run.out.strip()), (3, "/dev/pts/0"), repr(run))


if __name__ == "__main__":
    main()
