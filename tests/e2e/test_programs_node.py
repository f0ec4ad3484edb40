"""Node and its package managers inside: npm, pnpm and yarn install from a registry and run scripts."""

import json
import os

from world import WorldTest, main
from world.npm_registry import NpmRegistry
from world.npm_tools import FOLDER, for_this_machine, installed


class Node(WorldTest):
    @classmethod
    def setUpClass(cls):
        world = cls.world
        cls.registry = NpmRegistry(world.base + "/npm", world.authority)
        cls.registry.publish({"name": "plain", "version": "1.2.0"}, {"index.js": "module.exports = 'plain';\n"})
        cls.registry.publish({"name": "@scope/tool", "version": "2.0.0", "bin": {"the-tool": "tool.js"}, "dependencies": {"plain": "^1.0.0"}},
                             {"tool.js": "#!/usr/bin/env node\nconsole.log('tool with ' + require('plain'));\n"})
        cls.registry.publish({"name": "built", "version": "0.1.0", "scripts": {"install": "node build.js"}},
                             {"build.js": "require('fs').writeFileSync('made', process.argv0);\n"})

    def project(self, name, **more):
        folder = f"{self.jar.workspace}/{name}"
        os.makedirs(folder)
        manifest = {"name": "project", "version": "1.0.0", "private": True, "dependencies": {"@scope/tool": "^2.0.0", "built": "*"},
                    "scripts": {"test": "the-tool && node test.js"}, **more}
        with open(folder + "/package.json", "w", encoding="utf-8") as file:
            json.dump(manifest, file)
        with open(folder + "/test.js", "w", encoding="utf-8") as file:
            file.write("require('node:test').test('of the project', () => {});\n")
        with open(folder + "/.npmrc", "w", encoding="utf-8") as file:
            file.write(f"registry={self.registry.ADDRESS}/\ncafile={self.jar.workspace}/ca.pem\n")
        return folder

    def inside(self, folder, script, **how):
        """Runs a shell script in the project, with the tools from npm visible and the registry allowed."""
        words = ["sh", "-e", "-c", f"cd {folder}; npm() {{ node {installed('npm/bin/npm-cli.js')} \"$@\"; }}\n" + script]
        return self.jar.run(words, options=["--read", FOLDER], allow=["npm.example"], timeout=120, **how)

    def test_npm_installs_runs_scripts_and_installs_the_same_again_from_its_lockfile(self):
        folder = self.project("with-npm")
        run = self.succeeds(self.inside(folder, "npm install; npm test; npm exec the-tool; npm ci; npm ls --all; npm outdated"))
        self.assertIn("tool with plain", run.out)
        self.assertRegex(run.out, r"[#ℹ] pass 1\b")
        with open(folder + "/package-lock.json", encoding="utf-8") as file:
            self.assertIn("node_modules/plain", json.load(file)["packages"])
        self.assertTrue(os.path.exists(folder + "/node_modules/built/made"), "the install script did not run")
        hosts = {event["host"] for event in self.jar.events(run.name, "egress", verdict="allowed")}
        self.assertEqual(hosts, {"npm.example"})

    def test_npm_says_that_the_registry_cannot_be_found_when_it_is_not_allowed(self):
        folder = self.project("denied")
        words = ["sh", "-c", f"cd {folder}; node {installed('npm/bin/npm-cli.js')} install --fetch-retries=0"]
        run = self.jar.run(words, options=["--read", FOLDER], timeout=120)
        self.assertEqual(run.status, 1, repr(run))
        self.assertIn("ENOTFOUND", run.err)
        self.assertEqual(self.jar.events(run.name, "dns", name="npm.example")[0]["verdict"], "denied")

    def test_pnpm_installs_and_runs_scripts(self):
        folder = self.project("with-pnpm", pnpm={"onlyBuiltDependencies": ["built"]})
        run = self.succeeds(self.inside(folder, f"pnpm() {{ node {installed('pnpm/bin/pnpm.cjs')} \"$@\"; }}\n"
                                                "pnpm install; pnpm test; pnpm exec the-tool; pnpm install --frozen-lockfile; pnpm ls"))
        self.assertIn("tool with plain", run.out)
        self.assertRegex(run.out, r"[#ℹ] pass 1\b")
        self.assertTrue(os.path.exists(folder + "/node_modules/built/made"), "the install script did not run")

    def test_pnpm_12_a_native_program_does_so_too(self):
        folder = self.project("with-pnpm-12")
        with open(folder + "/pnpm-workspace.yaml", "w", encoding="utf-8") as file:
            file.write(f"allowBuilds:\n  built: true\nstoreDir: {self.world.home}/store\n")
        pnpm = installed("@pnpm/" + for_this_machine("exe.linux") + "/pnpm")
        run = self.succeeds(self.inside(folder, f"pnpm() {{ {pnpm} \"$@\"; }}\npnpm install; pnpm test; pnpm exec the-tool; pnpm install --frozen-lockfile"))
        self.assertIn("tool with plain", run.out)
        self.assertRegex(run.out, r"[#ℹ] pass 1\b")
        self.assertTrue(os.path.exists(folder + "/node_modules/built/made"), "the install script did not run")
        self.assertFalse(os.path.exists(self.jar.workspace + "/.pnpm-store"), "the store is not where the project wants it")

    def test_yarn_1_installs_and_runs_scripts(self):
        folder = self.project("with-yarn")
        run = self.succeeds(self.inside(folder, f"yarn() {{ node {installed('yarn/bin/yarn.js')} \"$@\"; }}\n"
                                                "yarn install; yarn test; yarn run the-tool; yarn install --frozen-lockfile; yarn list"))
        self.assertIn("tool with plain", run.out)
        self.assertRegex(run.out, r"[#ℹ] pass 1\b")

    def test_yarn_4_installs_and_runs_scripts_with_and_without_a_node_modules_folder(self):
        for linker in ("pnp", "node-modules"):
            folder = self.project("with-yarn-4-" + linker)
            with open(folder + "/.yarnrc.yml", "w", encoding="utf-8") as file:
                file.write(f"npmRegistryServer: {self.registry.ADDRESS}\nhttpsCaFilePath: {self.jar.workspace}/ca.pem\nnodeLinker: {linker}\n"
                           "enableTelemetry: false\n")
            open(folder + "/yarn.lock", "w", encoding="utf-8").close()
            run = self.succeeds(self.inside(folder, f"yarn() {{ node {installed('@yarnpkg/cli-dist/bin/yarn.js')} \"$@\"; }}\n"
                                                    "yarn install; yarn test; yarn run the-tool; yarn install --immutable"))
            self.assertIn("tool with plain", run.out)
            self.assertRegex(run.out, r"[#ℹ] pass 1\b")


if __name__ == "__main__":
    main()
