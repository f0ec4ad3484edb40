"""Python inside: a virtual environment, pip from an index, and what of the standard library has stumbled over sandboxes."""

import os

from world import WorldTest, main
from world.pip_index import PipIndex

FORKSERVER = """
import multiprocessing as mp
def square(n): return n * n
if __name__ == '__main__':
    for method in mp.get_all_start_methods():
        context = mp.get_context(method)
        with context.Pool(2) as pool: print(method, pool.map(square, range(4)))
        with context.Manager() as manager:
            shared = manager.dict()
            process = context.Process(target=shared.update, args=({'k': method},)); process.start(); process.join()
            print(shared['k'], process.exitcode)
        queue = context.Queue(); queue.put(b'x' * 100000); print(len(queue.get(timeout=20)))
        with context.Lock(), context.Semaphore(2): pass
"""

ASYNCIO = """
import asyncio, os, socket, sys, tempfile
async def serve(reader, writer):
    writer.write((await reader.read()).upper()); await writer.drain(); writer.close()
async def ask(connect):
    reader, writer = await connect
    writer.write(b'asked'); writer.write_eof()
    answer = await reader.read(); writer.close(); return answer.decode()
async def main():
    path = tempfile.mkdtemp() + '/socket'
    for where, connect in ((path, path), ('\\0abstract', '\\0abstract')):
        async with await asyncio.start_unix_server(serve, where):
            print(await ask(asyncio.open_unix_connection(connect)))
    for host in ('127.0.0.1', '::1'):
        async with await asyncio.start_server(serve, host, 0) as server:
            print(await ask(asyncio.open_connection(host, server.sockets[0].getsockname()[1])))
    one, other = socket.socketpair(); reader, writer = await asyncio.open_unix_connection(sock=one)
    other.sendall(b'pair'); print((await reader.read(4)).decode()); writer.close()
    process = await asyncio.create_subprocess_exec('cat', stdin=-1, stdout=-1)
    print((await process.communicate(b'child'))[0].decode(), process.returncode)
    loop = asyncio.get_running_loop(); standard_input = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(standard_input), sys.stdin)
    print((await standard_input.read()).decode())
    print(await loop.run_in_executor(None, os.getpid) == os.getpid())
asyncio.run(main())
"""

FACTS = """
import datetime, getpass, locale, os, pwd, socket, ssl, sys, tempfile, time, zoneinfo
print(pwd.getpwuid(os.getuid()).pw_dir == os.path.expanduser('~') == os.environ['HOME'], getpass.getuser())
print(os.cpu_count() == len(os.sched_getaffinity(0)), locale.setlocale(locale.LC_ALL, ''))
print(zoneinfo.ZoneInfo('Asia/Tokyo').utcoffset(datetime.datetime(2024, 1, 1)), tempfile.gettempdir())
print(ssl.create_default_context().cert_store_stats()['x509_ca'] > 10, socket.gethostname(), socket.getfqdn())
"""


class Python(WorldTest):
    def file(self, name, content):
        with open(f"{self.jar.workspace}/{name}", "w", encoding="utf-8") as file:
            file.write(content)
        return name

    def test_a_virtual_environment_and_pip_from_an_index(self):
        index = PipIndex(self.world.base + "/pip", self.world.authority)
        index.publish("leaf", "1.0", "VALUE = 'leaf 1.0'\n")
        index.publish("leaf", "2.0", "VALUE = 'leaf 2.0'\n")
        index.publish("tool", "0.3", "import leaf\ndef main(): print('tool with', leaf.VALUE)\n", requires=["leaf>=1"], command="the-tool")
        self.file("pip.conf", f"[global]\nindex-url = {index.ADDRESS}\ncert = {self.jar.workspace}/ca.pem\n")
        run = self.succeeds(self.jar.run(["bash", "-e", "-c", """
            export PIP_CONFIG_FILE=$PWD/pip.conf PIP_DISABLE_PIP_VERSION_CHECK=1
            python3 -m venv env; . env/bin/activate; pip install -q tool; the-tool; pip check; pip freeze
            pip install -q leaf==1.0; the-tool; pip uninstall -q -y tool; test ! -e env/bin/the-tool"""], allow=["pip.example"], timeout=120))
        self.assertEqual(run.out.splitlines(), ["tool with leaf 2.0", "No broken requirements found.", "leaf==2.0", "tool==0.3", "tool with leaf 1.0"])
        self.assertEqual({e["host"] for e in self.jar.events(run.name, "egress", verdict="allowed")}, {"pip.example"})

    def test_pip_outside_of_a_virtual_environment_is_refused_by_the_distribution_itself(self):
        run = self.jar.run(["python3", "-m", "pip", "install", "tool"])
        self.assertEqual(run.status, 1, repr(run))
        self.assertIn("externally-managed-environment", run.err)

    def test_multiprocessing_starts_processes_in_every_way(self):
        run = self.succeeds(self.jar.run(["python3", self.file("processes.py", FORKSERVER)]))
        for method in ("fork", "spawn", "forkserver"):
            self.assertIn(f"{method} [0, 1, 4, 9]\n{method} 0\n100000\n", run.out)

    def test_asyncio_talks_over_sockets_of_every_kind_and_to_children_and_its_own_input(self):
        run = self.succeeds(self.jar.run(["python3", self.file("talks.py", ASYNCIO)], stdin="input"))
        self.assertEqual(run.out.split("\n"), ["ASKED", "ASKED", "ASKED", "ASKED", "pair", "child 0", "input", "True", ""])

    def test_what_it_asks_of_the_system_is_there(self):
        run = self.succeeds(self.jar.run(["python3", self.file("facts.py", FACTS)]))
        self.assertEqual(run.out.splitlines(), [f"True {os.environ['USER']}", "True C.UTF-8", "9:00:00 /tmp", "True belljar localhost"])


if __name__ == "__main__":
    main()
