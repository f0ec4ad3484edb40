"""The small tools inside, what programs ask of the system, and what is refused with a sentence."""

import hashlib
import os

from world import WorldTest, main


class Tools(WorldTest):
    def lines(self, script, **how):
        return self.succeeds(self.jar.run(["bash", "-e", "-c", script], **how)).out.splitlines()

    def test_sqlite_keeps_a_database_in_the_workspace_with_a_write_ahead_log(self):
        self.assertEqual(self.lines("""
            sqlite3 data.db 'pragma journal_mode = wal; create table t(a); insert into t values (1), (2);'
            sqlite3 data.db 'begin immediate; insert into t values (3); commit; select sum(a) from t; pragma integrity_check;'"""), ["wal", "6", "ok"])
        self.assertEqual(os.stat(self.jar.workspace + "/data.db").st_uid, os.getuid())

    def test_rg_and_fd_search_with_threads_and_respect_gitignore(self):
        self.assertEqual(self.lines("""
            mkdir -p search/deep; cd search; git init -q; echo ignored > .gitignore; echo needle > deep/found; echo needle > ignored; echo other > beside
            rg -l needle; rg --threads 8 -c needle | sort; fdfind found; fdfind found -x echo ran:"""),
            ["deep/found", "deep/found:1", "deep/found", "ran: ./deep/found"])

    def test_jq_awk_sed_tar_and_their_like_work_on_pipes(self):
        self.assertEqual(self.lines("""
            echo '{"a": [1, 2]}' | jq -c '.a | map(. + 1)'; seq 5 | awk '{s += $1} END {print s}'; echo abc | sed s/b/B/
            mkdir -p packed; echo in > packed/file; tar cz packed | tar tz | tail -1; seq 3 | xargs -P 3 -n 1 | sort -r | paste -sd,; find packed -type f -newermt 2000-01-01
            dd if=/dev/zero bs=1M count=3 status=none | wc -c; echo x | tee packed/tee; flock packed/lock echo locked; timeout 0.1 sleep 9 || echo $?"""),
            ["[2,3]", "15", "aBc", "packed/file", "3,2,1", "packed/file", "3145728", "x", "locked", "124"])

    def test_curl_and_wget_reach_what_is_allowed_and_say_what_is_not(self):
        """What the user's environment says of proxies does not pass; HTTPS_PROXY is the door's (test_proxy.py)."""
        self.world.web
        proxies = {**os.environ, **{name: "http://127.0.0.1:9/" for name in ("http_proxy", "ALL_PROXY", "all_proxy")}}
        lines = self.lines("curl -sS https://allowed.example/ --cacert ca.pem; wget -qO- http://allowed.example/; curl -sS http://denied.example/ 2>&1 || echo $?; "
                           "wget -nv http://denied.example/ 2>&1 || echo $?", allow=["allowed.example"], environment=proxies)
        self.assertEqual(lines, ["a page of the allowed host"] * 2 + ["curl: (6) Could not resolve host: denied.example", "6",
                                "wget: unable to resolve host address ‘denied.example’", "4"])

    # What programs ask of the system ----------------------------------------------------------------------------------
    def test_the_account_is_the_user_s_by_every_way_of_asking(self):
        lines = self.lines("id -un; whoami; getent passwd $(id -u) | cut -d: -f1,6,7; echo ~ ~tess $HOME; getent group $(id -g) | cut -d: -f1; hostname")
        home = self.world.home
        self.assertEqual(lines, ["tess", "tess", f"tess:{home}:/bin/bash", f"{home} {home} {home}", "tess", "belljar"])

    def test_language_time_zone_and_terminal_are_the_user_s(self):
        environment = {**os.environ, "TZ": "Asia/Tokyo", "LC_TIME": "C", "TERM": "tmux-256color"}
        lines = self.lines("locale charmap; locale | grep LC_TIME; date +%Z; TZ= date +%Z; tput colors; readlink -f /etc/localtime",
                           environment=environment)
        self.assertEqual(lines, ["UTF-8", "LC_TIME=C", "JST", "UTC", "256", os.path.realpath("/etc/localtime")])

    def test_the_certificates_of_authorities_are_the_host_s(self):
        bundle = "/etc/ssl/certs/ca-certificates.crt"
        with open(bundle, "rb") as file:
            expected = hashlib.sha256(file.read()).hexdigest()
        lines = self.lines(f"sha256sum < {bundle} | cut -c1-64; n=$(ls /etc/ssl/certs/*.pem | wc -l); test $n -gt 10; openssl verify /etc/ssl/certs/*.pem | grep -c OK$ > /dev/null")
        self.assertEqual(lines, [expected])

    def test_processors_memory_and_the_process_itself_can_be_asked_for(self):
        lines = self.lines("""
            nproc; getconf _NPROCESSORS_ONLN; grep -c ^processor /proc/cpuinfo; readlink /proc/self/exe /proc/self/cwd; grep -q libc /proc/self/maps
            grep -q proc /proc/self/mountinfo; tr '\\0' ' ' < /proc/self/cmdline; echo; ls /proc/self/task | wc -l; echo through > /proc/self/fd/1
            free -b | grep -c Mem; uptime -s > /dev/null; ps -o comm= -p $$; grep -c . /proc/self/limits > /dev/null; cat /proc/sys/kernel/random/uuid | wc -c""")
        count = str(len(os.sched_getaffinity(0)))
        self.assertEqual(lines, [count, count, str(os.cpu_count()), "/usr/bin/readlink", self.jar.workspace, "tr \\0   ", "1", "through", "1", "bash", "37"])

    def test_the_agent_of_gnupg_that_it_starts_itself_signs(self):
        lines = self.lines("export GNUPGHOME=/tmp/keys; mkdir -m 700 $GNUPGHOME; gpg -q --batch --passphrase '' --quick-gen-key t@x 2>/dev/null; "
                           "echo text > signed; gpg -q --batch --clearsign signed; gpg -q --verify signed.asc 2>&1 | grep -c Good; gpgconf --kill all")
        self.assertEqual(lines, ["1"])

    # What is refused --------------------------------------------------------------------------------------------------
    def test_what_needs_root_is_refused_in_the_program_s_own_words(self):
        for command, sentence in (("sudo true", "no new privileges"), ("mount -t tmpfs none /tmp", "must be superuser"),
                                  ("dmesg", "Operation not permitted"), ("chroot / true", "Operation not permitted"),
                                  ("hostname other", "must be root"), ("unshare -r true", "Operation not permitted")):
            run = self.jar.run(["sh", "-c", command])
            self.assertNotEqual(run.status, 0, command)
            self.assertIn(sentence, run.err)

    def test_services_of_the_host_are_not_there(self):
        for command in ("systemctl status", "journalctl -q -n 1 | grep .", "busctl status", "test -e /var/run/docker.sock", "test -e /run/user"):
            self.assertNotEqual(self.jar.run(["sh", "-c", command + " 2>/dev/null"]).status, 0, command)


if __name__ == "__main__":
    main()
