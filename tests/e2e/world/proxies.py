"""The corporate network of the world: an HTTP proxy on a private address, which wants a password. tinyproxy, the real one."""

import os
import subprocess

from .servers import answers, wait_for

PROXY = "10.1.2.3"


class Proxy:
    def __init__(self, folder, port=3128, user="tess", password="s3cretword", deny=()):
        os.makedirs(folder)
        self.port, self.log_file = port, folder + "/log"
        self.address = f"{PROXY}:{port}"
        self.url = f"http://{user}:{password}@{self.address}" if user else f"http://{self.address}"
        with open(folder + "/filter", "w", encoding="ascii") as file:
            file.write("".join(f"^{name}$\n" for name in deny))
        with open(folder + "/conf", "w", encoding="ascii") as file:
            file.write(f"Listen {PROXY}\nPort {port}\nTimeout 60\nMaxClients 100\nLogFile \"{self.log_file}\"\nLogLevel Connect\n"
                       f"Filter \"{folder}/filter\"\nFilterExtended On\nConnectPort 443\nConnectPort 80\nConnectPort 22\n"
                       + (f"BasicAuth {user} {password}\n" if user else ""))
        self.process = subprocess.Popen(["tinyproxy", "-d", "-c", folder + "/conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: answers(PROXY, port), "tinyproxy")

    def log(self):
        with open(self.log_file, encoding="utf-8", errors="replace") as file:
            return file.read()
