"""Tests that the queries of docs/queries.md have answers in the recorded runs.

python3 queries_test.py LABREPORT
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/queries.md").read_text(encoding="utf-8")
RUNS = [file.parent for file in sorted(ROOT.glob("site/runs/*/*/*/run.json"))]


class Queries(unittest.TestCase):
    def answers(self, query, *runs):
        result = subprocess.run([LABREPORT, "query", *runs, "-", "--format", "json"], input=query, text=True,
                              capture_output=True, check=False)
        self.assertEqual(result.returncode, 0, f"{query}\n{result.stderr}")
        return json.loads(result.stdout)

    def test_each_has_an_answer(self):
        queries = re.findall(r"^```sql\n(.*?)^```", TEXT, re.M | re.S)
        self.assertGreaterEqual(len(queries), 10)
        for query in queries:
            with self.subTest(query):
                self.assertTrue(self.answers(query, *RUNS))

    def test_utilization_is_a_share(self):
        query = re.search(r"^with step as[^;]*as mfu\n[^;]*;", TEXT, re.M).group()
        shares = [row["mfu"] for row in self.answers(query, *RUNS)]
        self.assertTrue(all(0 < share < 1.05 for share in shares), shares)


if __name__ == "__main__":
    LABREPORT = sys.argv.pop()
    unittest.main()
