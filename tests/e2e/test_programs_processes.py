"""Process trees as programs make them: daemons and orphans, and signals that follow from a death."""

from world import WorldTest, main

DOUBLE_FORK = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(0.2); open('daemon', 'w').write(str(os.getppid())); os._exit(0)
    os._exit(0)
os.wait(); time.sleep(0.6)
states = [open(f'/proc/{p}/stat').read().rsplit(')', 1)[1].split()[0] for p in os.listdir('/proc') if p.isdigit()]
print(open('daemon').read(), 'Z' in states)
"""

DEATH_SIGNAL = """
import ctypes, os, signal, subprocess, sys, threading, time
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)
def child(): return subprocess.Popen(['sleep', '30'], preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
started = []
thread = threading.Thread(target=lambda: started.append(child())); thread.start(); thread.join()
print('of a thread', started[0].wait(10))          # prctl(2): the parent is the thread that forked
middle = subprocess.Popen([sys.executable, '-c', '''
import ctypes, os, subprocess
p = subprocess.Popen(['sleep', '30'], preexec_fn=lambda: ctypes.CDLL(None).prctl(1, 9)); print(p.pid, flush=True); os._exit(0)'''], stdout=subprocess.PIPE)
pid = int(middle.communicate()[0])
for _ in range(100):
    if not os.path.exists(f'/proc/{pid}'): break
    time.sleep(0.05)
print('of a process', not os.path.exists(f'/proc/{pid}'))
"""


class Processes(WorldTest):
    def test_a_daemon_of_two_forks_is_adopted_by_process_1_and_leaves_no_zombie(self):
        self.assertEqual(self.succeeds(self.jar.python(DOUBLE_FORK)).out, "1 False\n")

    def test_signals_that_follow_from_a_parent_s_death_arrive(self):
        self.assertEqual(self.succeeds(self.jar.python(DEATH_SIGNAL)).out, "of a thread -9\nof a process True\n")

    def test_a_signal_to_everything_spares_process_1_and_reaches_the_rest(self):
        run = self.succeeds(self.jar.run(["bash", "-c", "sleep 30 & pid=$!; sleep 0.2; trap '' TERM; kill -TERM -1; wait $pid; echo $?; ps -o comm= -p 1"]))
        self.assertEqual(run.out.split(), ["143", "belljar-init"])

    def test_a_process_group_ends_by_one_signal(self):
        run = self.succeeds(self.jar.run(["bash", "-c", "setsid sh -c 'sleep 30 & sleep 30' & sleep 0.3; kill -- -$!; wait $!; echo $?; sleep 0.2; pgrep -c sleep; true"]))
        self.assertEqual(run.out.split(), ["143", "0"])

    def test_what_nohup_started_ends_with_the_session(self):
        before = self.jar.processes()
        self.succeeds(self.jar.run(["bash", "-c", "nohup sleep 300 >/dev/null 2>&1 & disown; setsid -f sleep 300; echo started"]))
        self.assertEqual(self.jar.nothing_left(before), {})

    def test_many_children_at_once_are_all_collected(self):
        run = self.succeeds(self.jar.run(["bash", "-c", "for n in $(seq 200); do (exit 3) & all+=($!); done; for pid in ${all[@]}; do wait $pid; [ $? = 3 ] && count=$((count+1)); done; echo $count"]))
        self.assertEqual(run.out, "200\n")


if __name__ == "__main__":
    main()
