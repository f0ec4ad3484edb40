"""srt (@anthropic-ai/sandbox-runtime, what Claude Code calls its sandbox) inside: bubblewrap, socat and a seccomp filter of its own."""

import json
import os

from world import WorldTest, main, npm_tools

NESTED = "[workspace]\nnested = true\n"


class Srt(WorldTest):
    def srt(self, script, policy, weaker=True):
        settings = {"enableWeakerNestedSandbox": weaker, "network": {"allowedDomains": ["allowed.example", "denied.example"], "deniedDomains": []},
                    "filesystem": {"denyRead": [], "allowWrite": [self.jar.workspace], "denyWrite": []}}
        with open(self.jar.workspace + "/srt.json", "w", encoding="ascii") as file:
            json.dump(settings, file)
        node, cli = npm_tools.node(), npm_tools.installed("@anthropic-ai/sandbox-runtime/dist/cli.js")
        words = ["env", f"PATH={os.path.dirname(node)}:/usr/bin:/bin", node, cli, "--settings", self.jar.workspace + "/srt.json", "-c", script]
        return self.jar.run(words, policy=policy, options=["--read", npm_tools.FOLDER], timeout=90)

    def test_it_runs_with_nested_and_its_network_ends_at_the_session_s_rules(self):
        self.world.web
        self.world.denied.seen.clear()
        script = ("echo in srt; touch /usr/x 2>&1; touch made && echo wrote\n"
                  "curl -sS --max-time 20 http://allowed.example/ 2>&1; curl -sS --max-time 20 http://denied.example/ 2>&1; true")
        run = self.succeeds(self.srt(script, self.jar.policy(allow=["allowed.example"], more=NESTED)))
        self.assertIn("in srt\n", run.out)
        self.assertIn("Read-only file system", run.out)
        self.assertIn("wrote\n", run.out)
        self.assertIn("a page of the allowed host", run.out)
        self.assertTrue(self.jar.events(run.name, "egress", verdict="allowed", host="allowed.example"))
        self.assertTrue(self.jar.events(run.name, "dns", verdict="denied", name="denied.example"))
        self.assertEqual((self.world.denied.seen, self.world.names.asked("denied.example")), ([], []))

    def test_it_wants_its_setting_for_containers_and_without_nested_the_line_is_named(self):
        run = self.srt("echo in srt", self.jar.policy(more=NESTED), weaker=False)
        self.assertNotIn("in srt", run.out)
        self.assertIn("Can't mount proc", run.err)
        run = self.srt("echo in srt", self.jar.policy())
        self.assertNotIn("in srt", run.out)
        self.assertIn("`nested = true` under [workspace] in your policy allows it", run.err)


if __name__ == "__main__":
    main()
