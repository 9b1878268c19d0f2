"""Tests the page "What fits?" over the recorded runs: its numbers, its address and the inputs that it refuses.

python3 fits_page_test.py LABREPORT
"""
import json
import re
import sys
import unittest
from urllib.parse import urlencode

from recorded_test import axe_source
from shipped import measured_runs
from site_browser import PHONE, WHOLE_RUNS, WIDE, BrowserTest

# These runs measured the memory of steps, of checkpoints and of states that two GPUs share.
MEMORY_RUNS = (*WHOLE_RUNS, "nvidia-h200/2026/20261123", "nvidia-h200/2026/20261124-081404",
               "nvidia-h200/2026/20261124-175733", "nvidia-h200/2025/20261124-180738")
STEPS = {"inference": "inference forward", "forward_backward": "forward+backward", "train_step": "training step"}


def measured_peaks():
    """Yields the page's inputs and the measured peak in bytes, for each H200 step that has a formula."""
    for run in measured_runs("nvidia-h200/"):
        for cell in json.loads((run / "run.json").read_text())["cells"]:
            params = cell["params"]
            if cell["kind"] not in ("memory", "checkpointing") or params.get("implementation"):
                continue
            if cell["launches"][0]["outcome"]["status"] != "ok":
                continue
            for metric in cell["launches"][0]["metrics"]:
                if (metric["tag"], metric["name"]) == ("memory", "peak_allocated") and params["mode"] in STEPS:
                    yield {"network": "2.7B" if params["d_model"] == 2560 else params["size"],
                           "step": STEPS[params["mode"]], "precision": params["precision"].upper(),
                           "batch": params["batch"], "context": params["context"],
                           "checkpoint": params.get("checkpoint_group", "none"), "ranks": 1}, metric["value"]


class FitsPage(BrowserTest):
    @classmethod
    def write_site(cls):
        cls.render_shipped(cls.program, cls.site, "--format", "html", needed=MEMORY_RUNS)

    def open_page(self, inputs=None, **settings):
        page = self.open(self.site / "what-fits.html", **settings)
        if inputs is not None:
            page.goto(f"{(self.site / 'what-fits.html').as_uri()}?{urlencode(inputs)}")
        page.locator("[data-fits] form").wait_for()
        return page

    def result(self, page, gpu="NVIDIA H200"):
        return page.locator("[data-fits] section", has=page.get_by_role("heading", name=gpu)).inner_text()

    def answer(self, page):
        return page.locator("[data-fits] output").inner_text()

    def test_predictions_are_as_near_to_measured_peaks_as_the_page_says(self):
        page = self.open_page()
        checked = 0
        for inputs, measured_bytes in measured_peaks():
            page.goto(f"{(self.site / 'what-fits.html').as_uri()}?{urlencode(inputs)}")
            page.locator("[data-fits] section").first.wait_for()
            shown = self.result(page)
            with self.subTest(**inputs):
                self.assertNotIn("(extrapolated) at the peak", shown)
                number, unit = re.search(r"([\d.]+) ([GM]iB) at the peak", shown).groups()
                error = float(number) * {"GiB": 2**30, "MiB": 2**20}[unit] / measured_bytes - 1
                largest_error = float(re.search(r"at most ([\d.]+)", shown).group(1)) / 100
                self.assertLess(abs(error), largest_error + 0.001)
            checked += 1
        self.assertGreater(checked, 15)
        self.assert_quiet()

    def test_the_address_keeps_every_choice(self):
        page = self.open_page()
        for label, value in (("network", "small"), ("step", "training step"), ("precision", "FP32"),
                             ("blocks per checkpoint", "4")):
            page.get_by_label(label, exact=True).select_option(value)
        page.get_by_label("batch", exact=True).fill("2")
        page.get_by_label("context", exact=True).fill("640")
        before = self.result(page)
        page.wait_for_url(re.compile(r"\?network=small&step=training\+step&precision=FP32&batch=2&context=640"
                                     r"&checkpoint=4&ranks=1$"))
        page.reload()
        page.locator("[data-fits] section").first.wait_for()
        self.assertEqual(self.result(page), before)
        self.assert_quiet()

    def test_a_wrong_address_shows_a_problem_and_no_result(self):
        for state, words in (({"network": "9B"}, "network “9B”; there are small, medium"),
                             ({"step": "nap"}, "step “nap”; there are inference forward"),
                             ({"precision": "FP4"}, "precision “FP4”"),
                             ({"batch": "-1"}, "The batch is a whole number from 1 to 1,048,576, not “-1”."),
                             ({"context": "1e3"}, "The context is a whole number"),
                             ({"context": "2000000"}, "The context is a whole number"),
                             ({"network": "small", "checkpoint": "32"}, "small (129 M) has 12 blocks only."),
                             ({"ranks": "3"}, "ranks “3”; there are 1, 2, 4")):
            page = self.open_page(state)
            with self.subTest(**state):
                self.assertIn(words, self.answer(page))
                self.assertEqual(page.locator("[data-fits] section").count(), 0)
                self.assert_quiet()
            page.context.close()

    def test_a_wrong_input_shows_a_problem_until_it_is_corrected(self):
        page = self.open_page({"network": "2.7B"})
        for text in ("", "0", "1.5", "1048577"):
            page.get_by_label("context", exact=True).fill(text)
            self.assertEqual(self.answer(page), "The context is a whole number from 1 to 1,048,576.")
            self.assertEqual(page.locator("[data-fits] section").count(), 0)
        page.get_by_label("context", exact=True).fill("512")
        self.assertIn("at the peak", self.result(page))
        self.assert_quiet()

    def test_numbers_beyond_what_was_measured_are_called_extrapolated(self):
        plain = {"network": "2.7B", "step": "training step", "precision": "BF16", "batch": 4, "context": 1024}
        checkpoints = plain | {"precision": "FP32", "context": 2048, "checkpoint": 8}
        shared = plain | {"precision": "FP32", "context": 512, "batch": 2, "ranks": 2}
        for state, beyond in ((plain, {"context": 1025}), (plain, {"batch": 5}), (checkpoints, {"checkpoint": 16}),
                              (shared, {"ranks": 4})):
            for inputs, is_extrapolated in ((state, False), (state | beyond, True)):
                page = self.open_page(inputs)
                with self.subTest(**inputs):
                    self.assertEqual("(extrapolated) at the peak" in self.result(page), is_extrapolated)
                page.context.close()

    def test_the_longest_context_fits_and_the_next_does_not(self):
        state = {"network": "2.7B", "step": "training step", "precision": "BF16"}
        longest = re.search(r"longest context that fits: ([\d,]+)", self.result(self.open_page(state))).group(1)
        longest = int(longest.replace(",", ""))
        for context, words in ((longest, "Fits"), (longest + 1, "Does not fit")):
            self.assertIn(f"\n{words}: ", self.result(self.open_page(state | {"context": context})).replace("\n\n", "\n"))

    def test_steps_that_no_run_confirms_have_no_number(self):
        page = self.open_page({"network": "2.7B", "step": "inference forward", "checkpoint": "4"})
        self.assertIn("no run confirms formulas for such a step", self.answer(page))
        self.assertNotIn("GiB at the peak", self.result(page))

    def test_a_pass_fits_where_a_step_that_contains_it_does(self):
        inputs = {"network": "small", "step": "forward+backward", "precision": "BF16", "batch": 4, "context": 512}
        page = self.open_page(inputs)
        self.assertIn("Fits: ", self.result(page, "NVIDIA H100 80GB HBM3"))
        self.assertIn("of a training step, which contains this one.", self.result(page, "NVIDIA H100 80GB HBM3"))
        self.assertNotIn("contains", self.result(page))
        page = self.open_page(inputs | {"network": "2.7B", "context": 4096})
        self.assertIn("No run of this GPU confirms", self.result(page, "NVIDIA H100 80GB HBM3"))

    def test_no_pass_needs_a_larger_gpu_than_a_step_that_contains_it(self):
        page = self.open(self.site / "what-fits.html", java_script_enabled=False)
        names = ["H100", "H200", "more than 141 GB"]  # by memory
        page.get_by_text("The smallest GPU known to fit").first.click()
        smallest = {}
        for row in page.locator("#table-fits tbody tr").all_inner_texts():
            network, step, precision, *gpus = row.split("\t")
            smallest[network, precision, step] = [names.index(gpu.split(",")[0]) for gpu in gpus]
        compared = 0
        for (network, precision, step), gpus in smallest.items():
            longer = smallest.get((network, precision, "training step"))
            with self.subTest(network=network, precision=precision, step=step):
                self.assertTrue(longer is None or all(a <= b for a, b in zip(gpus, longer)), f"{gpus}, {longer}")
            compared += longer is not None and step != "training step"
        self.assertGreater(compared, 10)

    def test_without_scripts_a_table_names_the_smallest_gpu(self):
        page = self.open(self.site / "what-fits.html", java_script_enabled=False)
        longest = [row.split("\t") for row in page.locator("#table-longest tbody tr").all_inner_texts()]
        largest, = (row for row in longest if row[0] == "xl (3.4\u00a0B)")
        self.assertEqual(largest[1:], ["512", "512", "1,024", "1,024"], "H100 and H200, FP32 and BF16")
        self.assertTrue(page.locator("#table-longest td a").count())
        page.get_by_text("The smallest GPU known to fit").first.click()
        rows = page.locator("#table-fits tbody tr").all_inner_texts()
        step, = (row for row in rows if row.startswith("xl (3.4\u00a0B)\ttraining step\tBF16"))
        self.assertIn("\tH100\tH200\tmore than 141 GB, extrapolated", step)
        self.assertEqual(page.locator("[data-fits] form").count(), 0)

    def test_index_and_memory_page_link_to_it(self):
        for path in (self.site / "index.html", self.site / "topic/memory/index.html"):
            page = self.open(path)
            page.get_by_role("link", name="What fits", exact=True).click()
            page.locator("[data-fits] section").first.wait_for()
            page.get_by_role("link", name="labreport").click()
            page.wait_for_url("**/index.html")

    def test_it_fits_every_screen_and_is_printed(self):
        for viewport, scheme in ((WIDE, "light"), (WIDE, "dark"), (PHONE, "light"), (PHONE, "dark")):
            page = self.open_page(viewport=viewport, color_scheme=scheme)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), viewport["width"])
            self.assert_quiet()  # Axe itself requests the style sheet.
            page.evaluate(axe_source())
            found = page.evaluate("axe.run({resultTypes: ['violations']})"
                                  ".then((all) => all.violations.map((one) => one.id))")
            self.assertEqual(found, [])
            page.emulate_media(media="print")
            self.assertTrue(page.locator("[data-fits] section").first.is_visible())
            page.context.close()


if __name__ == "__main__":
    FitsPage.program = sys.argv.pop(1)
    unittest.main()
