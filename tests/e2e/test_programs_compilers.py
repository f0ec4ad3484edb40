"""C and C++ inside: compilers, sanitizers, builds, a compiler cache of its own and one shared with the host."""

import os

from world import WorldTest, main

HELLO_C = '#include <stdio.h>\nint main(void) { printf("hello from %s\\n", NAME); return 0; }\n'
HELLO_CC = ('#include <iostream>\n#include <thread>\n#include <vector>\nint main() {\n    std::vector<std::thread> all;\n'
            '    int sum = 0;\n    all.emplace_back([&] { sum = 42; });\n    for (auto& one : all) one.join();\n'
            '    std::cout << "sum " << sum << "\\n";\n    return sum == 42 ? 0 : 1;\n}\n')
MAKEFILE = ("all: app\napp: main.o part.o\n\t$(CC) -o $@ $^\n%.o: %.c part.h\n\t$(CC) -c -o $@ $<\n"
            "clean:\n\trm -f app *.o\n")
CMAKE = ("cmake_minimum_required(VERSION 3.16)\nproject(inside CXX)\nfind_package(Threads REQUIRED)\n"
         "add_executable(app app.cc)\ntarget_link_libraries(app Threads::Threads)\n"
         "enable_testing()\nadd_test(NAME runs COMMAND app)\n")
OVERFLOW = "#include <stdlib.h>\nint main(int n, char** v) { (void)v; char* p = malloc(4); p[3 + n] = 1; free(p); return 0; }\n"


class Compilers(WorldTest):
    def folder(self, name, **files):
        """A folder in the workspace with these files (a '_' in the keyword stands for the dot); its path."""
        path = f"{self.jar.workspace}/{name}"
        os.makedirs(path)
        for file, text in files.items():
            with open(f"{path}/{file.replace('_', '.')}", "w", encoding="ascii") as target:
                target.write(text)
        return path

    def shell(self, folder, script, **how):
        return self.succeeds(self.jar.run(["sh", "-ec", f"cd {folder}\n{script}"], timeout=140, **how))

    def test_gcc_and_clang_compile_link_and_run_c_and_threads_of_cpp(self):
        folder = self.folder("compile", hello_c=HELLO_C, hello_cc=HELLO_CC)
        run = self.shell(folder, "for c in gcc clang; do $c -Wall -Werror -O2 -g -DNAME=\"\\\"$c\\\"\" -o h-$c hello.c; ./h-$c; done\n"
                                 "for c in g++ clang++; do $c -std=c++17 -pthread -O2 -o s-$c hello.cc; ./s-$c; done")
        self.assertEqual(run.out, "hello from gcc\nhello from clang\nsum 42\nsum 42\n")

    def test_the_address_sanitizer_finds_a_fault_and_the_leak_sanitizer_a_leak(self):
        leak = "#include <stdlib.h>\nint main(void) { return malloc(7) == 0; }\n"
        folder = self.folder("sanitizers", over_c=OVERFLOW, leak_c=leak)
        run = self.jar.run(["sh", "-c", f"cd {folder} && gcc -g -fsanitize=address -o over over.c && ./over"])
        self.assertEqual(run.status, 1, repr(run))
        self.assertIn("heap-buffer-overflow", run.err)
        # It stops the program's threads by ptrace from a process of its own.
        run = self.jar.run(["sh", "-c", f"cd {folder} && gcc -O0 -g -fsanitize=address -o leak leak.c && ./leak"])
        self.assertNotIn("LeakSanitizer has encountered a fatal error", run.err)
        self.assertIn("7 byte(s) leaked", run.err)

    def test_make_builds_in_parallel_and_only_what_changed(self):
        folder = self.folder("make", Makefile=MAKEFILE, part_h="int part(void);\n", part_c='#include "part.h"\nint part(void) { return 7; }\n',
                             main_c='#include "part.h"\nint main(void) { return part() - 7; }\n')
        run = self.shell(folder, "make -j2 && ./app && make && touch part.c && make")
        self.assertEqual(run.out.count("-c -o main.o"), 1, run.out)
        self.assertEqual(run.out.count("-c -o part.o"), 2, run.out)
        self.assertIn("Nothing to be done", run.out)

    def test_cmake_configures_and_builds_with_ninja_and_with_make_and_ctest_runs(self):
        folder = self.folder("cmake", app_cc=HELLO_CC, CMakeLists_txt=CMAKE)
        run = self.shell(folder, "for g in Ninja 'Unix Makefiles'; do rm -rf b; cmake -S . -B b -G \"$g\" && cmake --build b -j2 && ctest --test-dir b; done")
        self.assertEqual(run.out.count("100% tests passed"), 2, run.out)

    def test_ccache_hits_in_the_session_and_across_sessions_where_the_policy_shares_its_folder(self):
        folder = self.folder("ccache", part_c="int part(void) { return 1; }\n")
        script = "ccache -z >/dev/null; ccache gcc -c -o part.o part.c; ccache gcc -c -o part.o part.c; ccache --print-stats"
        own = self.shell(folder, script).out
        self.assertIn("direct_cache_hit\t1\n", own)
        cache = f"{self.world.home}/.cache/ccache"
        os.makedirs(cache)
        policy = self.jar.policy(more='[filesystem]\nwrite = ["~/.cache/ccache"]\n')
        self.shell(folder, script, policy=policy)
        again = self.shell(folder, "ccache -z >/dev/null; ccache gcc -c -o part.o part.c; ccache --print-stats", policy=policy).out
        self.assertIn("direct_cache_hit\t1\n", again)
        self.assertTrue(os.listdir(cache))


if __name__ == "__main__":
    main()
