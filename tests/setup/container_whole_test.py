"""Builds the image from a clone, and tests that it measures and renders the preset `demo` without network, root and GPU.

python3 container_whole_test.py [BASE]: BASE is the image to build on; without it, mmdebstrap makes one of Debian's
packages. Unusual machines may need options of podman: LABREPORT_PODMAN holds those before the verb, and
LABREPORT_PODMAN_BUILD and LABREPORT_PODMAN_RUN those after it.
"""
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

from sandbox import ROOT

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from shipped import need_clone  # noqa: E402: a neighbor's, found by the line above

BASE = sys.argv.pop() if len(sys.argv) > 1 else None
IMAGE = "localhost/labreport-test"


def options(name):
    return shlex.split(os.environ.get(name, ""))


def podman(*words):
    return subprocess.run(["podman", *options("LABREPORT_PODMAN"), *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def make_base(folder):
    subprocess.run(["mmdebstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", folder + "/base.tar"], check=True)
    podman("import", folder + "/base.tar", IMAGE + "-base")
    return IMAGE + "-base"


def clone_of_a_careful_user(folder):
    """Returns a clone that only its owner can read, because of a strict umask."""
    tree = folder + "/labreport"
    subprocess.run(["git", "clone", "--quiet", ROOT, tree], check=True, umask=0o077)
    return tree


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_clone()
        with tempfile.TemporaryDirectory() as folder:
            podman("build", "--network", "host", *options("LABREPORT_PODMAN_BUILD"), "--build-arg",
                   "BASE=" + (BASE or make_base(folder)), "-t", IMAGE, clone_of_a_careful_user(folder))

    def check_report_of(self, user, *words):
        with tempfile.TemporaryDirectory() as folder:
            os.chown(folder, user, user)
            said = podman("run", "--rm", "--network", "none", "--user", f"{user}:{user}", "--cap-drop", "all",
                          *options("LABREPORT_PODMAN_RUN"), "-v", f"{folder}:/report", IMAGE, "PRESET=demo",
                          "SIZES=demo-1", *words)
            self.assertIn("report: /report/public/", said)
            page = next(pathlib.Path(folder).glob("public/*/*/*/index.html"))
            self.assertEqual(page.stat().st_uid, user)
            for name in ("report.pdf", "report.tex"):
                self.assertTrue((page.parent / name).exists(), name)
            charts = {suffix: {path.stem for path in page.parent.glob("charts/*" + suffix)}
                      for suffix in (".svg", ".pdf", ".png")}
            self.assertTrue(charts[".svg"])
            self.assertEqual(charts[".svg"], charts[".pdf"])
            self.assertEqual(charts[".svg"], charts[".png"])

    def test_makes_a_demonstration_without_network_and_root(self):
        self.check_report_of(1000)

    def test_serves_a_user_it_does_not_know(self):
        self.check_report_of(4321, "ARGS=--only mixed_precision_accumulation")


if __name__ == "__main__":
    unittest.main()
