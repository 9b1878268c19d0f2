"""The image is built, and makes the demonstration without network, root and GPU; `make attack` has the time.

python3 container_whole_test.py [BASE]: an image to build on; else one is made of Debian's packages. It wants podman and
mmdebstrap. A machine of certificates, a kernel or a runtime of its own may need options of podman's: LABREPORT_PODMAN for
those before the verb, LABREPORT_PODMAN_BUILD and LABREPORT_PODMAN_RUN for those behind it.
"""
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

from sandbox import ROOT

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


class Image(unittest.TestCase):
    def test_makes_a_demonstration_without_network_and_root(self):
        with tempfile.TemporaryDirectory() as folder:
            base = BASE or make_base(folder)
            podman("build", "--network", "host", *options("LABREPORT_PODMAN_BUILD"), "--build-arg", "BASE=" + base,
                   "-t", IMAGE, ROOT)
            report = pathlib.Path(folder, "report")
            report.mkdir(mode=0o777)
            report.chmod(0o777)
            said = podman("run", "--rm", "--network", "none", *options("LABREPORT_PODMAN_RUN"), "-v", f"{report}:/report",
                          IMAGE, "PRESET=demo", "SIZES=demo-1")
            self.assertIn("report: /report/public/", said)
            page = next(report.glob("public/*/*/*/index.html"))
            self.assertNotEqual(page.stat().st_uid, 0)
            for name in ("report.pdf", "report.tex", "charts"):
                self.assertTrue((page.parent / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
