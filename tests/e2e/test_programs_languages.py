"""Go, Rust and Java inside: builds and tests offline, and dependencies from stand-ins of their registries, by name."""

import os

from world import WorldTest, main
from world.registries import cargo_registry, go_proxy, write

ADD_GO = "package add\n\nfunc Add(a, b int) int { return a + b }\n"
ADD_TEST = ('package add\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(40, 2) != 42 {\n\t\tt.Fatal("wrong")\n\t}\n}\n'
            "func BenchmarkAdd(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tAdd(i, i)\n\t}\n}\n")
MAIN_RS = 'fn main() { println!("{}", inside::add(40, 2)); }\n'
LIB_RS = ("pub fn add(a: i32, b: i32) -> i32 { a + b }\n"
          "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(super::add(1, 1), 2); }\n}\n")
HELLO_JAVA = ("package inside;\npublic class Hello {\n    static int twice(int value) { return 2 * value; }\n"
              '    public static void main(String[] words) { System.out.println("twice " + twice(21)); }\n}\n')
TEST_JAVA = ("package inside;\npublic class HelloTest {\n    @org.junit.Test\n"
             "    public void doubles() { org.junit.Assert.assertEquals(42, Hello.twice(21)); }\n}\n")
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>inside</groupId><artifactId>hello</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency>
</dependencies></project>
"""
SETTINGS = ("<settings><mirrors><mirror><id>stand-in</id><mirrorOf>*</mirrorOf><url>{}</url></mirror></mirrors></settings>\n")


class Languages(WorldTest):
    def files(self, name, **texts):
        folder = f"{self.jar.workspace}/{name}"
        for file, text in texts.items():
            write(f"{folder}/{file}", text)
        return folder

    def www(self, name):
        self.world.web
        return f"{self.world.base}/web/www/{name}"

    def shell(self, folder, script, **how):
        return self.succeeds(self.jar.run(["bash", "-ec", f"cd {folder}\n{script}"], timeout=140, **how))

    def test_go_builds_vets_and_tests_offline_with_cgo_too(self):
        cgo = 'package main\n\n// int seven(void) { return 7; }\nimport "C"\nimport "fmt"\n\nfunc main() { fmt.Println(C.seven()) }\n'
        folder = self.files("go", **{"go.mod": "module inside.example/app\n\ngo 1.19\n", "add/add.go": ADD_GO, "add/add_test.go": ADD_TEST,
                                     "main.go": cgo})
        run = self.shell(folder, "go vet ./... && go test -bench . ./add && go build -o app . && ./app")
        self.assertRegex(run.out, r"ok\s+inside.example/app/add")
        self.assertTrue(run.out.endswith("\n7\n"), run.out)
        self.assertEqual(self.jar.denials(run.name), [])

    def test_go_downloads_a_module_from_a_proxy_that_is_allowed_and_from_none_that_is_not(self):
        go_proxy(self.www("go"), "greet.example/greet", "v1.2.3",
                 {"go.mod": "module greet.example/greet\n\ngo 1.19\n", "greet.go": 'package greet\n\nfunc Word() string { return "greetings" }\n'})
        source = 'package main\n\nimport (\n\t"fmt"\n\n\t"greet.example/greet"\n)\n\nfunc main() { fmt.Println(greet.Word()) }\n'
        folder = self.files("gomod", **{"go.mod": "module inside.example/app\n\ngo 1.19\n", "main.go": source})
        script = (f"export GOPROXY=https://allowed.example/go GOSUMDB=off SSL_CERT_FILE={self.jar.workspace}/ca.pem\n"
                  "go mod tidy && go run .")
        denied = self.jar.run(["bash", "-ec", f"cd {folder}\n{script}"])
        self.assertNotEqual(denied.status, 0)
        self.assertTrue(self.jar.events(denied.name, "dns", name="allowed.example", verdict="denied"))
        self.assertEqual(self.shell(folder, script, allow=["allowed.example"]).out, "greetings\n")
        self.assertIn("/go/greet.example/greet/@v/v1.2.3.zip", self.world.web.log())

    def test_cargo_builds_and_tests_offline(self):
        folder = self.files("rust", **{"Cargo.toml": '[package]\nname = "inside"\nversion = "0.1.0"\nedition = "2021"\n',
                                       "src/lib.rs": LIB_RS, "src/main.rs": MAIN_RS})
        run = self.shell(folder, "cargo test --offline 2>&1 && cargo run -q --offline --release")
        self.assertIn("test tests::adds ... ok", run.out)
        self.assertTrue(run.out.endswith("42\n"), run.out)
        self.assertEqual(self.jar.denials(run.name), [])

    def test_cargo_takes_a_crate_from_a_registry_that_replaces_the_usual_one(self):
        address = "https://allowed.example/cargo"
        cargo_registry(self.www("cargo"), address, "greet", "0.1.0",
                       {"Cargo.toml": '[package]\nname = "greet"\nversion = "0.1.0"\nedition = "2021"\n',
                        "src/lib.rs": 'pub fn word() -> &\'static str { "greetings" }\n'})
        folder = self.files("crate", **{
            "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ngreet = "0.1"\n',
            "src/main.rs": 'fn main() { println!("{}", greet::word()); }\n',
            ".cargo/vendored.toml": '[source.crates-io]\nreplace-with = "vendor"\n[source.vendor]\ndirectory = "vendor"\n',
            ".cargo/config.toml": '[source.crates-io]\nreplace-with = "stand-in"\n[source.stand-in]\n'
                                  f'registry = "{address}/index.git"\n[net]\ngit-fetch-with-cli = true\n'
                                  f'[http]\ncainfo = "{self.jar.workspace}/ca.pem"\n'})
        script = f"export GIT_SSL_CAINFO={self.jar.workspace}/ca.pem\ncargo run -q && cargo vendor -q --respect-source-config >/dev/null"
        run = self.shell(folder, script, allow=["allowed.example"])
        self.assertEqual(run.out, "greetings\n")
        self.assertIn("/cargo/crates/greet-0.1.0.crate", self.world.web.log())
        run = self.shell(folder, "mv .cargo/vendored.toml .cargo/config.toml && cargo run -q --offline")
        self.assertEqual(run.out, "greetings\n")

    def test_java_compiles_and_runs_and_starts_threads(self):
        source = HELLO_JAVA.replace("twice(21));", "java.util.stream.IntStream.range(0, 1000).parallel().map(i -> 2).sum());")
        folder = self.files("java", **{"inside/Hello.java": source})
        self.assertEqual(self.shell(folder, "javac inside/Hello.java && java inside.Hello").out, "twice 2000\n")

    def test_maven_packages_with_plugins_of_a_visible_repository_and_of_one_behind_the_door(self):
        folder = self.files("maven", **{"pom.xml": POM, "src/main/java/inside/Hello.java": HELLO_JAVA,
                                        "src/test/java/inside/HelloTest.java": TEST_JAVA,
                                        "near.xml": SETTINGS.format("file:///usr/share/maven-repo"),
                                        "far.xml": SETTINGS.format("https://allowed.example/maven")})
        run = self.shell(folder, "mvn -B -ntp -s near.xml package && java -cp target/hello-1.jar inside.Hello")
        self.assertIn("Tests run: 1, Failures: 0, Errors: 0", run.out)
        self.assertTrue(run.out.endswith("twice 42\n"), run.out)
        os.symlink("/usr/share/maven-repo", self.www("maven"))
        script = (f"keytool -importcert -noprompt -alias world -file {self.jar.workspace}/ca.pem -keystore ~/trust -storepass changeit >&2\n"
                  'rm -r target; MAVEN_OPTS="-Djavax.net.ssl.trustStore=$HOME/trust -Djavax.net.ssl.trustStorePassword=changeit"'
                  ' mvn -B -ntp -q -s far.xml package\n'
                  "java -cp target/hello-1.jar inside.Hello")
        run = self.shell(folder, script, allow=["allowed.example"])
        self.assertTrue(run.out.endswith("twice 42\n"), run.out)
        self.assertIn("/maven/org/apache/maven/plugins/", self.world.web.log())


if __name__ == "__main__":
    main()
