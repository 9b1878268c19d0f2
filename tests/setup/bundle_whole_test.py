"""Unpacks a bundle and measures with it, without network and, if the machine allows it, as the user nobody.

python3 bundle_whole_test.py TORCH_PYTHON: TORCH_PYTHON is a Python that has torch.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from sandbox import ROOT

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from shipped import need_clone  # noqa: E402: a neighbor's, found by the line above

TORCH_PYTHON = sys.argv.pop()
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def works(words):
    # Starts it from a shell, like setup does, because setpriv itself may still start programs that no user may.
    start = ["sh", "-c", '"$0" -c "import torch"', TORCH_PYTHON]
    try:
        return subprocess.run([*words, *start], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


class Bundle(unittest.TestCase):
    def test_a_report_and_a_site_without_network(self):
        need_clone()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        environment = {"PATH": os.environ["PATH"], "HOME": folder.name}
        archive = folder.name + "/b.tar.gz"
        subprocess.run(["make", "-C", ROOT, "bundle", "OUT=" + archive], check=True,
                       env={name: value for name, value in os.environ.items() if "MAKE" not in name})
        confined = next(words for words in (["unshare", "-n", *NOBODY], ["unshare", "-n"], ["unshare", "-rn"], [])
                        if works(words))
        subprocess.run(["tar", "xzf", archive, "-C", folder.name], check=True)
        if NOBODY[0] in confined:
            subprocess.run(["chown", "-R", "65534:65534", folder.name], check=True)
        tree = pathlib.Path(folder.name, "labreport")
        for words in (["site"], ["report", "TORCH_PYTHON=" + TORCH_PYTHON, "PRESET=demo",
                                 "ARGS=--only benchmarking_script"]):
            subprocess.run([*confined, "make", *words], cwd=tree, env=environment, check=True)
        reports = [path.parent for path in tree.glob("site/public/*/*/*/report.pdf")]
        self.assertTrue([path for path in reports if list(path.glob("charts/*.svg"))])
        self.assertTrue(list(tree.glob("site/public/*/*/*-*/cells.csv")))
        self.assertGreater(len(reports), 3)


if __name__ == "__main__":
    unittest.main()
