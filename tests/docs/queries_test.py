"""Tests that the queries of docs/queries.md have answers in the recorded runs.

python3 queries_test.py LABREPORT
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from shipped import ROOT, need_run, shipped_runs  # noqa: E402: a neighbor's, found by the line above

TEXT = (ROOT / "docs/queries.md").read_text(encoding="utf-8")
WHOLE_RUN = "nvidia-h200/2026/20261123"
ATTENTION = "nvidia-h200/2025/20261124-080605"


class Queries(unittest.TestCase):
    def answers(self, query, *runs):
        result = subprocess.run([LABREPORT, "query", *runs, "-", "--format", "json"], input=query, text=True,
                              capture_output=True, check=False)
        self.assertEqual(result.returncode, 0, f"{query}\n{result.stderr}")
        return json.loads(result.stdout)

    def test_each_has_an_answer(self):
        queries = re.findall(r"^```sql\n(.*?)^```", TEXT, re.M | re.S)
        self.assertGreaterEqual(len(queries), 10)
        runs = need_run(WHOLE_RUN), need_run(ATTENTION)
        for query in queries:
            with self.subTest(query):
                self.assertTrue(self.answers(query, *runs))

    def test_a_share_of_the_sustained_rate_is_one(self):
        query = re.search(r"^with step as[^;]*as gemm_share\n[^;]*;", TEXT, re.M).group()
        need_run()
        shares = [row["gemm_share"] for row in self.answers(query, *shipped_runs())]
        self.assertTrue(all(0 < share < 1.05 for share in shares), shares)


if __name__ == "__main__":
    LABREPORT = sys.argv.pop()
    unittest.main()
