"""Tests with which options setup/build configures."""

import pathlib
import subprocess
import unittest

from sandbox import ROOT, Sandbox


class Warnings(Sandbox):
    def options(self, **environment):
        self.install("render")
        self.program(self.root + "/.venv/bin/cmake", '#!/bin/sh\necho "$*" > words\n')
        self.program(self.root + "/.venv/bin/ninja", "#!/bin/sh\n")
        subprocess.run(["setup/build", "render"], cwd=self.root, env={**self.environment, **environment}, check=True)
        return pathlib.Path(self.root, "words").read_text(encoding="utf-8").split()

    def test_are_no_errors_for_a_user(self):
        self.assertIn("CMAKE_COMPILE_WARNING_AS_ERROR=OFF", self.options())
        for file in [pathlib.Path(ROOT, "CMakeLists.txt"), *pathlib.Path(ROOT, "cmake").glob("*.cmake")]:
            self.assertNotIn("-Werror", file.read_text(encoding="utf-8"), file)

    def test_are_errors_where_asked_for(self):
        self.assertIn("CMAKE_COMPILE_WARNING_AS_ERROR=ON", self.options(LABREPORT_WERROR="ON"))

    def test_are_errors_in_ci(self):
        for name in (".ci/run", ".github/workflows/ci.yml"):
            self.assertRegex(pathlib.Path(ROOT, name).read_text(encoding="utf-8"), 'LABREPORT_WERROR[=:] ?"?ON')


if __name__ == "__main__":
    unittest.main()
