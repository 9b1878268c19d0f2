"""Tests that the front end needs neither LibTorch nor CUDA, nor any library that a Linux may lack.

link_test.py <labreport>
"""

import re
import subprocess
import sys
import unittest

# Every Linux with glibc has these libraries. Any other might be absent on another machine.
SYSTEM_LIBRARIES = re.compile(r"^(libc|libm|libdl|libpthread|librt|ld-linux[-a-z0-9_]*)\.so\.\d+$")


def needed_libraries(program):
    output = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True)
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output.stdout)


def foreign_libraries(libraries):
    return [name for name in libraries if not SYSTEM_LIBRARIES.match(name)]


class FrontEnd(unittest.TestCase):
    program = None

    def test_needs_only_what_every_system_has(self):
        libraries = needed_libraries(self.program)
        self.assertIn("libc.so.6", libraries)
        self.assertEqual(foreign_libraries(libraries), [])

    def test_says_its_version_with_an_empty_environment(self):
        subprocess.run([self.program, "--version"], check=True, capture_output=True, env={})


class ForeignLibraries(unittest.TestCase):
    def test_refuses_what_must_not_be_needed(self):
        for name in ["libtorch_cpu.so", "libc10.so", "libcudart.so.13", "libcuda.so.1",
                     "libfmt.so.9", "libcmark-gfm.so.0.29.0.gfm.6", "libstdc++.so.6",
                     "libgcc_s.so.1"]:
            self.assertEqual(foreign_libraries(["libc.so.6", name]), [name])


if __name__ == "__main__":
    FrontEnd.program = sys.argv.pop()
    unittest.main()
