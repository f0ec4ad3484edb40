"""The words "@npm", "@pip" and "@go": they lead the tool to the hosts that its user's own configuration names, and nobody else there."""

import json
import os
import subprocess
import zipfile

from world import WorldTest, main, servers

REGISTRY = "allowed.example"


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb" if isinstance(content, bytes) else "w") as file:
        file.write(content)


def pack(path, files):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


class Registries(WorldTest):
    @classmethod
    def setUpClass(cls):
        cls.world.web, cls.world.denied  # both servers, before anything is asked
        cls.www = cls.world.base + "/web/www"
        cls.npm_registry()
        cls.pip_index()
        cls.go_proxy()

    @classmethod
    def npm_registry(cls):
        package = cls.world.base + "/tiny-npm/package"
        manifest = {"name": "tiny", "version": "1.0.0", "main": "index.js"}
        write(package + "/package.json", json.dumps(manifest))
        write(package + "/index.js", "module.exports = 'tiny from npm'\n")
        os.makedirs(cls.www + "/npm/files")
        servers.run("tar", "-C", cls.world.base + "/tiny-npm", "-czf", cls.www + "/npm/files/tiny-1.0.0.tgz", "package")
        manifest["dist"] = {"tarball": f"http://{REGISTRY}/npm/files/tiny-1.0.0.tgz"}
        write(cls.www + "/npm/tiny", json.dumps({"name": "tiny", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": manifest}}))

    @classmethod
    def pip_index(cls):
        info = "tiny-1.0.dist-info"
        pack(cls.www + "/files/tiny-1.0-py3-none-any.whl", {
            "tiny.py": "SAYS = 'tiny from pip'\n", info + "/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
            info + "/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            info + "/RECORD": f"tiny.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"})
        write(cls.www + "/simple/tiny/index.html", "<!DOCTYPE html><html><body><a href='/files/tiny-1.0-py3-none-any.whl'>tiny-1.0-py3-none-any.whl</a></body></html>")

    @classmethod
    def go_proxy(cls):
        module = "tiny.example/tiny@v1.0.0/"
        folder = cls.www + "/go/tiny.example/tiny/@v/"
        pack(folder + "v1.0.0.zip", {module + "go.mod": "module tiny.example/tiny\n", module + "tiny.go": "package tiny\n"})
        write(folder + "list", "v1.0.0\n")
        write(folder + "v1.0.0.mod", "module tiny.example/tiny\n")
        write(folder + "v1.0.0.info", '{"Version":"v1.0.0","Time":"2026-01-01T00:00:00Z"}')

    def tearDown(self):
        for name in (".npmrc", ".config/pip/pip.conf", ".config/go/env"):
            if os.path.exists(self.world.home + "/" + name):
                os.remove(self.world.home + "/" + name)
        for name in (".npmrc", "package.json", ".belljar/policy.toml"):
            if os.path.exists(self.jar.workspace + "/" + name):
                os.remove(self.jar.workspace + "/" + name)

    def at_home(self, name, text):
        write(self.world.home + "/" + name, text)

    def in_workspace(self, name, text):
        write(self.jar.workspace + "/" + name, text)

    def test_npm_installs_from_the_users_registry_and_the_workspaces_npmrc_leads_nowhere(self):
        self.at_home(".npmrc", f"registry=http://user:s3cret@{REGISTRY}/npm/\n//{REGISTRY}/npm/:_authToken=s3cret\n")
        self.in_workspace(".npmrc", "registry=http://denied.example/\n@evil:registry=http://denied.example/\n")
        self.in_workspace("package.json", '{"name": "project", "version": "1.0.0"}')
        policy = self.jar.policy(allow=["@npm"], more="[limits]\nprocesses = 1024\n")
        script = ("npm install --no-audit --no-fund tiny && node -p 'require(\"tiny\")'; "
                  "npm view @evil/thing --fetch-retries=0; curl -sS -m 5 http://second.example/; env")
        run = self.jar.run(["sh", "-c", script], policy=policy, timeout=120)
        self.assertIn("tiny from npm", run.out, repr(run))
        self.assertIn("/npm/files/tiny-1.0.0.tgz", self.world.web.log())
        self.assertIn(f"npm_config_registry=http://{REGISTRY}/npm/\n", run.out)
        self.assertNotIn("s3cret", run.out + run.err)
        self.assertTrue(self.jar.events(run.name, "dns", name="denied.example", verdict="denied"), repr(run))
        self.assertTrue(self.jar.events(run.name, "dns", name="second.example", verdict="denied"), repr(run))
        self.assertEqual(self.world.denied.seen, [])

    def test_pip_installs_from_the_users_index(self):
        self.at_home(".config/pip/pip.conf", f"[global]\nindex-url = http://user:s3cret@{REGISTRY}/simple/\ntrusted-host = {REGISTRY}\n")
        script = ("python3 -m pip install --no-input --disable-pip-version-check --target site tiny && "
                  "PYTHONPATH=site python3 -c 'import tiny; print(tiny.SAYS)'; env")
        run = self.jar.run(["sh", "-c", script], policy=self.jar.policy(allow=["@pip"]), timeout=120)
        self.assertIn("tiny from pip", run.out, repr(run))
        self.assertIn("/files/tiny-1.0-py3-none-any.whl", self.world.web.log())
        self.assertNotIn("s3cret", run.out + run.err)

    def test_go_downloads_from_the_users_proxy(self):
        self.at_home(".config/go/env", f"GOPROXY=http://user:s3cret@{REGISTRY}/go\nGOSUMDB=off\n")
        script = "mkdir -p gone && cd gone && printf 'module gone\\n\\ngo 1.19\\n' > go.mod && go get tiny.example/tiny && cat go.mod; env"
        run = self.jar.run(["sh", "-c", script], policy=self.jar.policy(allow=["@go"]), timeout=120)
        self.assertIn("require tiny.example/tiny v1.0.0", run.out, repr(run))
        self.assertNotIn("s3cret", run.out + run.err)

    def test_allow_takes_a_word_and_show_says_what_it_stands_for(self):
        self.at_home(".npmrc", f"registry=http://{REGISTRY}/npm/\n")
        self.succeeds(self.jar.run(["curl", "-sSf", f"http://{REGISTRY}/npm/tiny"], allow=["@npm"]))
        shown = self.jar.call("policy", "show", "node")
        self.assertIn(f'# "@npm": {REGISTRY} (~/.npmrc)', shown.out, repr(shown))
        as_json = self.json_of(self.jar.call("policy", "show", "node", "--json"))
        self.assertEqual(as_json["registries"][0]["hosts"], [REGISTRY])

    def test_a_denied_word_denies_its_hosts(self):
        self.at_home(".npmrc", f"registry=http://{REGISTRY}/npm/\n")
        run = self.jar.run(["curl", "-sSf", f"http://{REGISTRY}/npm/tiny"], policy=self.jar.policy(allow=["*.example.net", REGISTRY], deny=["@npm"]))
        self.assertNotEqual(run.status, 0, repr(run))
        self.assertTrue(self.jar.events(run.name, "dns", name=REGISTRY, verdict="denied"))

    def test_where_nothing_can_be_learnt_no_session_starts_and_one_line_says_what_to_write(self):
        policy = self.jar.policy(allow=["@maven"])
        run = self.jar.run(["touch", "ran"], policy=policy, environment=dict(os.environ, PATH="/nonexistent"))
        self.assertEqual(run.status, 125, repr(run))
        self.assertEqual(len(run.err.strip().splitlines()), 1, run.err)
        self.assertRegex(run.err, r'"@maven": .*~/\.m2/settings\.xml, or the hosts into egress\.allow')
        self.assertFalse(os.path.exists(self.jar.workspace + "/ran"))

    def test_no_program_of_the_workspace_is_asked(self):
        ran = self.world.base + "/ran-outside"
        self.in_workspace("bin/npm", f"#!/bin/sh\ntouch {ran}\necho http://denied.example/\n")
        os.chmod(self.jar.workspace + "/bin/npm", 0o755)
        path = f"{self.jar.workspace}/bin:./bin:/nonexistent"
        run = self.jar.run(["/bin/true"], policy=self.jar.policy(allow=["@npm"]), environment=dict(os.environ, PATH=path))
        self.assertFalse(os.path.exists(ran), repr(run))
        self.assertNotIn("denied.example", run.err)

    def test_what_another_session_could_write_is_neither_believed_nor_run(self):
        other, shared = self.world.home + "/other", self.world.home + "/shared"
        ran = self.world.base + "/ran-elsewhere"
        trap = f"#!/bin/sh\ntouch {ran}\necho http://denied.example/\n"
        for folder in (other, shared):
            os.makedirs(folder, exist_ok=True)
        script = f"for f in {other} {shared}; do printf '%s' \"$1\" > $f/npm; chmod +x $f/npm; echo registry=http://denied.example/ > $f/npmrc; done"
        writer = self.jar.policy(more=f'[filesystem]\nwrite = ["{shared}"]\n')
        self.succeeds(self.jar.run(["sh", "-c", script, "sh", trap], policy=writer, workspace=other))
        policy = self.jar.policy(allow=["@npm"])
        for folder in (other, shared):
            path = dict(os.environ, PATH=folder + ":/nonexistent")
            run = self.jar.run(["/bin/true"], policy=policy, environment=path)
            self.assertEqual((run.status, os.path.exists(ran)), (125, False), repr(run))
            os.symlink(folder + "/npmrc", self.world.home + "/.npmrc")
            run = self.jar.run(["/bin/true"], policy=policy)
            self.assertEqual(run.status, 125, repr(run))
            self.assertIn("a session may write", run.err)
            os.remove(self.world.home + "/.npmrc")

    def test_policy_show_runs_nothing_of_the_folder_where_one_stands(self):
        ran, folder = self.world.base + "/ran-by-show", self.world.home + "/cloned"
        write(folder + "/bin/npm", f"#!/bin/sh\ntouch {ran}\necho http://denied.example/\n")
        os.chmod(folder + "/bin/npm", 0o755)
        shown = subprocess.run([self.jar.program, "policy", "show", "node"], cwd=folder, capture_output=True, text=True,
                               env=dict(os.environ, PATH=folder + "/bin:/nonexistent"))
        self.assertFalse(os.path.exists(ran), shown.stdout + shown.stderr)
        self.assertNotIn("denied.example", shown.stdout)

    def test_a_workspaces_policy_may_name_a_word_and_only_narrows(self):
        self.at_home(".npmrc", f"registry=http://{REGISTRY}/npm/\n")
        policy = self.jar.policy(allow=["@npm", "second.example"])
        ask = lambda host: self.jar.run(["curl", "-sS", "-m", "5", "-o", "/dev/null", f"http://{host}/"], policy=policy)
        self.in_workspace(".belljar/policy.toml", 'version = 1\n[egress]\nallow = ["@npm", "@cargo"]\n')
        allowed, denied = ask(REGISTRY), ask("second.example")
        self.assertEqual(allowed.status, 0, repr(allowed))
        self.assertIn("'@cargo', which your policy does not allow", allowed.err)
        self.assertNotEqual(denied.status, 0, repr(denied))
        self.in_workspace(".belljar/policy.toml", f'version = 1\n[egress]\nallow = ["{REGISTRY}"]\n')
        by_name = ask(REGISTRY)
        self.assertEqual((by_name.status, by_name.err.count("does not allow")), (0, 0), repr(by_name))
        self.in_workspace(".belljar/policy.toml", 'version = 1\n[egress]\nallow = ["@npm"]\n')
        self.succeeds(self.jar.run(["curl", "-sSf", "-o", "/dev/null", f"http://{REGISTRY}/npm/tiny"], allow=["@npm"]))


if __name__ == "__main__":
    main()
