"""Stand-ins of package registries, as files that the world's web server hands out: what a client asks for is their protocol."""

import hashlib
import io
import json
import os
import tarfile
import zipfile

from .servers import run


def write(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def go_proxy(folder, module, version, files):
    """The GOPROXY protocol (go help goproxy) for one version of one module; `files` by their names in it."""
    at = f"{folder}/{module}/@v/"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        for name, text in files.items():
            packed.writestr(f"{module}@{version}/{name}", text)
    write(at + "list", version + "\n")
    write(at + version + ".info", json.dumps({"Version": version, "Time": "2024-01-01T00:00:00Z"}))
    write(at + version + ".mod", files["go.mod"])
    write(at + version + ".zip", archive.getvalue())


def cargo_registry(folder, address, crate, version, files):
    """A crate and the index that names it: a git repository as files (The Cargo Book, Registry Index), at `address`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"{crate}-{version}/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    write(f"{folder}/crates/{crate}-{version}.crate", packed.getvalue())
    index = folder + "/index"
    entry = {"name": crate, "vers": version, "deps": [], "features": {}, "yanked": False,
             "cksum": hashlib.sha256(packed.getvalue()).hexdigest()}
    write(f"{index}/{crate[:2]}/{crate[2:4]}/{crate}", json.dumps(entry) + "\n")
    write(index + "/config.json", json.dumps({"dl": address + "/crates/{crate}-{version}.crate", "api": None}))
    git = ["git", "-c", "user.name=index", "-c", "user.email=index@allowed.example", "-C", index]
    run("git", "init", "-q", "-b", "master", index)
    run(*git, "add", ".")
    run(*git, "commit", "-qm", "one crate")
    run("git", "clone", "-q", "--bare", index, folder + "/index.git")
    run("git", "-C", folder + "/index.git", "update-server-info")
