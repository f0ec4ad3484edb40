"""A git server on git.example: smart HTTP (git-http-backend(1)) behind nginx with TLS; its repositories serve ssh as well.

Reading needs no login; a push over https does, as everywhere: `USER` and `TOKEN`.
"""

import os
import subprocess

from .servers import GIT, answers, run, wait_for

USER, TOKEN = "tess", "a-token-for-git"


class GitServer:
    def __init__(self, folder, authority):
        self.repositories = folder + "/repositories"
        os.makedirs(self.repositories)
        socket, passwords = folder + "/cgi.sock", folder + "/passwords"
        with open(passwords, "w", encoding="ascii") as file:
            file.write(f"{USER}:{run('openssl', 'passwd', '-apr1', TOKEN).strip()}\n")
        backend = run("git", "--exec-path").strip() + "/git-http-backend"
        cgi = "".join(f"      fastcgi_param {name} {value};\n" for name, value in (
            ("SCRIPT_FILENAME", backend), ("GIT_PROJECT_ROOT", self.repositories), ("GIT_HTTP_EXPORT_ALL", "1"),
            ("PATH_INFO", "$uri"), ("QUERY_STRING", "$query_string"), ("REQUEST_METHOD", "$request_method"),
            ("CONTENT_TYPE", "$content_type"), ("CONTENT_LENGTH", "$content_length"), ("REMOTE_USER", "$remote_user"),
            ("REMOTE_ADDR", "$remote_addr"), ("HTTP_CONTENT_ENCODING", "$http_content_encoding"),
            ("GIT_PROTOCOL", "$http_git_protocol")))
        temp = "".join(f"  {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(folder + "/nginx.conf", "w", encoding="ascii") as file:
            file.write(f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;\n"
                       f"events {{ worker_connections 128; }}\nhttp {{\n{temp}  access_log {folder}/access.log;\n"
                       f"  client_max_body_size 1g;\n"
                       f"  map \"$uri $arg_service\" $realm {{ default off; ~receive-pack \"a push\"; }}\n"
                       f"  server {{\n    listen {GIT}:443 ssl http2;\n"
                       f"    ssl_certificate {authority.certificate}; ssl_certificate_key {authority.key};\n"
                       f"    location / {{\n      auth_basic $realm; auth_basic_user_file {passwords};\n"
                       f"      fastcgi_pass unix:{socket};\n{cgi}    }}\n  }}\n}}\n")
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
        self.processes = [subprocess.Popen(["fcgiwrap", "-c", "4", "-s", "unix:" + socket], **quiet),
                          subprocess.Popen(["nginx", "-p", folder, "-c", folder + "/nginx.conf"], **quiet)]
        wait_for(lambda: os.path.exists(socket) and answers(GIT, 443), "the git server")

    def repository(self, name):
        """A new bare repository with one commit on `main`; returns its folder."""
        bare, seed = f"{self.repositories}/{name}", f"{self.repositories}/../seed-{name}"
        run("git", "init", "-q", "--bare", "-b", "main", bare)
        run("git", "-C", bare, "config", "http.receivepack", "true")
        run("git", "init", "-q", "-b", "main", seed)
        with open(seed + "/README", "w", encoding="ascii") as file:
            file.write("from the server\n")
        run("git", "-C", seed, "add", ".")
        run("git", "-C", seed, "-c", "user.name=Server", "-c", "user.email=server@git.example", "commit", "-q", "-m", "First")
        run("git", "-C", seed, "push", "-q", bare, "main")
        return bare

    def subjects(self, name, branch="main"):
        """The subjects of a branch's commits, as the server has them."""
        return run("git", "-C", f"{self.repositories}/{name}", "log", "--format=%s", branch).splitlines()
