"""Tests the choice of two runs or GPUs at the head of comparisons: numbers, address, hostile names and all screens.

python3 compare_test.py SAMPLE_SITE LABREPORT
"""
import json
import pathlib
import re
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "site"))
from keyed_numbers import KeyedNumbers, different_values  # noqa: E402: a neighbor's, found by the line above
from recorded_test import axe_source  # noqa: E402
from site_browser import PHONE, WHOLE_RUNS, WIDE, BrowserTest  # noqa: E402

SECOND_RUN = "nvidia-h200/2026/20261123"
ATTENTION = "nvidia-h200/2025/20261124-080605"
LADDERS = ("nvidia-h200/2025/20261124-180132", "nvidia-h100-80gb-hbm3/2025/20261124-143619")
CHECKPOINTS = ("nvidia-h200/2026/20261124-081404", "nvidia-h100-80gb-hbm3/2026/20261124-182246")

ROWS = """(tables) => tables.map((table) => [table.caption.textContent,
  [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))])"""


def millions_or_billions(parameters):
    return f"{parameters / 1e9:.1f} B" if parameters >= 1e9 else f"{parameters / 1e6:.0f} M"


class Compare(BrowserTest):
    labreport = ""  # the program that renders recorded runs

    @classmethod
    def write_site(cls):
        recorded = cls.site.parent / "recorded"
        cls.render_shipped(cls.labreport, recorded, "--format", "html",
                           needed=(*WHOLE_RUNS, SECOND_RUN, ATTENTION, *LADDERS, *CHECKPOINTS))
        super().write_site()
        cls.sample, cls.site = cls.site, recorded
        cls.folders = [path.parent.relative_to(cls.site).as_posix()
                       for path in sorted(cls.site.glob("*/*/*/summary.json"))]
        cls.h200, cls.h100 = map(cls.folder_of, WHOLE_RUNS)

    @classmethod
    def folder_of(cls, place):
        return next(folder for folder in cls.folders if folder.startswith(place))

    def open_comparison(self, a="", b="", **settings):
        query = "&".join(f"{name}={value}" for name, value in (("a", a), ("b", b)) if value)
        return self.open(self.site / "compare.html", "?" + query, **settings)

    def tables(self, page):
        """Returns the rows of all tables by their titles."""
        tables = {}
        for title, rows in page.locator("#found table").evaluate_all(ROWS):
            tables.setdefault(title, []).extend(rows)
        return tables

    def choices(self, page):
        return [page.get_by_label(name, exact=True).input_value() for name in ("Compare", "with")]

    def headlines(self, page):
        return page.locator("#found li").all_inner_texts()

    def notice(self, page):
        return page.locator("#choice").get_by_role("status").inner_text()

    def numbers(self, folder, topic, unit):
        """Returns a run's numbers by the network's parameters, precision and name."""
        summary = json.loads((self.site / folder / "summary.json").read_text())
        return {(millions_or_billions(quantity["parameters"]), quantity["precision"], name): value
                for quantity in summary["quantities"]
                if (quantity["topic"], quantity["unit"]) == (topic, unit) for name, value in quantity["values"]}

    def test_prices_of_the_address_say_which_of_two_gpus_to_rent(self):
        page = self.open(self.site / "compare.html", "?a=nvidia-h200&b=nvidia-h100-80gb-hbm3&price_a=3.79&price_b=2.49")
        answer = page.locator(".prices output")
        self.assertRegex(answer.inner_text(), r", FP32: [\d.]+ on H200, [\d.]+ on H100; rent H100, \d+ % less\.")
        self.assertRegex(answer.inner_text(), r", BF16: .* rent H100, \d+ % less\.")
        self.assertIn("price_a=3.79&price_b=2.49", page.url)
        page.get_by_role("spinbutton", name="H200").fill("0.01")
        self.assertRegex(answer.inner_text(), r", BF16: .* rent H200, 100 % less\.")
        page.get_by_label("with", exact=True).select_option(self.h100)
        self.assertNotIn("price", page.url)
        page = self.open(self.site / "compare.html", "?a=nvidia-h200&b=nvidia-h100-80gb-hbm3&price_a=much")
        self.assertIn("no price as price_a", page.locator(".prices output").inner_text())
        self.assert_quiet()

    def test_numbers_are_those_of_the_summaries(self):
        page = self.open_comparison(self.h200, self.h100)
        h200, h100 = (self.numbers(folder, "Training step", "ms") for folder in (self.h200, self.h100))
        rows = [row for title, table in self.tables(page).items() if title.startswith("Training step (ms)")
                and "CPU" not in title for row in table]
        self.assertTrue(rows)
        for network, precision, *names, a, b, ratio in rows:
            name = names[0] if names else "step"  # The title of a table with one name has the name.
            parameters = network.partition("(")[2].rstrip(")")
            h200_ms, h100_ms = h200[parameters, precision, name], h100[parameters, precision, name]
            for text, value in ((a, h200_ms), (b, h100_ms)):
                self.assertAlmostEqual(float(text.replace(",", "")) / value, 1, delta=6e-4)
            self.assertEqual(ratio, f"{h100_ms / h200_ms:.2f}")
        self.assert_quiet()

    def test_a_key_has_the_value_of_other_pages(self):
        page = KeyedNumbers(self.open_comparison("nvidia-h200", "nvidia-h100-80gb-hbm3").content())
        others = {path.relative_to(self.site).as_posix(): KeyedNumbers(path.read_text(encoding="utf-8"))
                  for pattern in ("index.html", "topic/*/index.html") for path in self.site.glob(pattern)}
        for name in ("index.html", "topic/training-step/index.html"):
            self.assertTrue({key for key, _ in page.keyed} & {key for key, _ in others[name].keyed}, name)
        keyed = [("compare.html", page.keyed), *((name, other.keyed) for name, other in others.items())]
        self.assertEqual(different_values(keyed), {})
        self.assertEqual(page.without_key, [])

    def test_headlines_name_the_largest_networks_step_and_the_faster_gpu(self):
        lines = self.headlines(self.open_comparison(self.h200, self.h100))
        of_bf16 = next(line for line in lines if line.startswith("xl (3.4 B), BF16"))
        told, _, parts = of_bf16.partition(". Of the ")
        self.assertEqual(told, "xl (3.4 B), BF16: 302.7 ms on the H200, 371.6 ms on the H100: the H200 is 1.23× as fast")
        self.assertRegex(parts, r"^68\.9 ms between them, the optimizer makes 42\.8, other kernels 22\.7 and GEMMs 2\.6\.$")

    def test_headlines_of_two_gpus_tell_what_tuning_changes_what_ranks_add_and_what_fits(self):
        page = self.open_comparison("nvidia-h200", "nvidia-h100-80gb-hbm3")
        tuned, ranks, memory, bandwidth = self.headlines(page)[2:]
        self.assertEqual(tuned, "xl (3.4 B), BF16, tuned: 108.5 ms on the H200, 124.8 ms on the H100: the H200 is 1.15× as fast. "
                                "Tuning lowers its advantage from 1.22× (einsum).")
        self.assertRegex(ranks, r"^xl \(3\.4 B\), FP32, 2 ranks, fastest scheme: 663\.3 ms on the H200 \(buckets of 1 MB\), "
                                r"719\.7 ms .*\. Communication adds 11\.16 ms on the H200, 12\.37 ms on the H100\.$")
        self.assertEqual(memory, "Memory: 140.4 GiB on the H200, 79.65 GiB on the H100. The training step of xl (3.4 B) in BF16 at "
                                 "context 1,024 needs 93.81 GiB, which only the H200 has.")
        self.assertEqual(bandwidth, "Copy bandwidth: 4,244 GB/s on the H200, 3,010 GB/s on the H100: the H200 is 1.41× as fast.")

    def test_headlines_quote_the_numbers_of_the_tables(self):
        page = self.open_comparison(*map(self.folder_of, LADDERS))
        cells = page.locator("#found td.number").all_inner_texts()
        tuned = [re.findall(r"([\d,.]+) ms|([\d.]+)× as fast", line) for line in self.headlines(page)[:2]]
        told = [ms or times for line in tuned for ms, times in line]
        self.assertEqual(len(told), 6)
        self.assertEqual([text for text in told if text not in cells], [])

    def test_a_ladder_s_steps_have_the_precision_in_which_they_compute(self):
        page = self.open_comparison(*map(self.folder_of, LADDERS))
        rows = next(rows for title, rows in self.tables(page).items() if title.startswith("Fastest step"))
        largest = [(precision, change) for network, precision, change, *_ in rows if network.startswith("xl")]
        self.assertEqual(largest[:7], [("FP32", "einsum"), ("FP32", "matmul"), ("FP32", "SDPA"), ("FP32", "fused AdamW"),
                                       ("TF32", "TF32"), ("TF32", "CUDA graph"), ("TF32", "torch.compile")])
        self.assertEqual({precision for precision, _ in largest[7:]}, {"BF16"})

    def test_runs_of_one_gpu_are_told_apart_by_what_differs(self):
        other = self.folder_of(SECOND_RUN)
        page = self.open_comparison(self.h200, other)
        self.assertIn("in the run of the 2025 edition", self.headlines(page)[0])
        heads = page.locator("#found thead").first.inner_text()
        self.assertIn("the 2026 edition", heads)
        self.assertNotIn("H200", heads)

    def test_steps_that_the_cpu_sets_are_in_a_closed_drawer(self):
        page = self.open_comparison(self.h200, self.h100)
        drawer = page.locator("#found details:has(> summary:text('Set by the host’s CPU'))")
        self.assertNotIn("÷", drawer.locator("thead").first.text_content())
        self.assertFalse(drawer.locator(".tabled").first.is_visible())
        self.assertIn("small", drawer.locator("tbody").first.text_content())
        rows = page.locator("#found .tabled").first.locator("tbody tr").all_inner_texts()
        self.assertFalse([row for row in rows if row.startswith("small (129 M)\tBF16")])

    def test_numbers_of_one_side_are_counted_in_a_closed_drawer(self):
        page = self.open_comparison(self.folder_of(ATTENTION), self.h100)
        drawer = page.locator("#found details:has(> summary:text('Only on the H200'))")
        self.assertFalse(drawer.locator(".tabled").is_visible())
        count = int(drawer.locator("> summary").inner_text().split()[-2])
        self.assertEqual(drawer.locator("tbody tr").count(), count)

    def test_an_advantage_has_one_direction_in_every_unit(self):
        page = self.open_comparison("nvidia-h200", "nvidia-h100-80gb-hbm3")
        tables = self.tables(page)
        for unit, over in (("ms", 1), ("%", 0)):
            rows = next(rows for title, rows in tables.items() if title.startswith(f"Training step ({unit})"))
            for *_, a, b, ratio in rows:
                values = [float(text.replace(",", "")) for text in (a, b)]
                self.assertAlmostEqual(float(ratio), values[over] / values[1 - over], delta=0.012)
        self.assertGreater(page.locator("#found td.better").count(), 5)
        signs = page.locator("#found td:is(.better, .worse)").evaluate_all(
            "(cells) => cells.map((cell) => [Number(cell.dataset.sort) > 1, getComputedStyle(cell, '::before').content[1]])")
        self.assertLessEqual({tuple(sign) for sign in signs}, {(True, "▲"), (False, "▼")})

    def test_a_figure_shows_the_table_s_advantages_in_its_order_and_names_its_finding(self):
        for viewport in (WIDE, PHONE):
            page = self.open_comparison("nvidia-h200", "nvidia-h100-80gb-hbm3", viewport=viewport)
            figure = page.locator("#found figure")
            figure.locator("svg").wait_for()
            self.assertRegex(figure.locator("strong").inner_text(),
                             r"^Figure 1\. Training step: the H200 is 1\.\d\d to 1\.\d\d× as fast$")
            self.assertRegex(figure.locator("[role=img]").get_attribute("aria-label"), r"\d ms on the H200, [\d,]+ ms on")
            rows = page.locator("#found tbody").first.locator("tr")
            ratios = figure.locator("svg text").filter(has_text=re.compile(r"\d×$")).all_text_contents()
            self.assertEqual(ratios, [f"{text}×" for text in rows.locator("td:last-child").all_inner_texts()])
            self.assertEqual(figure.locator(".mark-rect.role-mark path").count(), len(ratios))
            times = figure.locator("svg text", has_text=" vs. ").all_text_contents()
            in_table = [row.split("\t")[-3:-1] for row in rows.all_inner_texts()]
            self.assertEqual(times, [] if viewport is PHONE else [f"{a} vs. {b} ms" for a, b in in_table])
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), viewport["width"])
            self.assert_quiet()
            page.context.close()

    def test_a_figure_draws_the_largest_network_of_a_long_topic(self):
        page = self.open_comparison(*map(self.folder_of, LADDERS))
        figure = page.locator("#found figure")
        figure.locator("svg").wait_for()
        self.assertRegex(figure.locator("strong").inner_text(),
                         r"^Figure 1\. Fastest step, xl \(3\.4 B\): the H200 is 1\.\d\d to 1\.\d\d× as fast$")
        labels = figure.locator(".role-axis-label text").all_text_contents()
        self.assertEqual([text for text in labels if "TF32" in text], ["TF32", "TF32, CUDA graph", "TF32, torch.compile"])
        self.assertEqual(sum(text.startswith("FP32, ") for text in labels), 4)
        self.assert_quiet()

    def test_runs_without_a_common_step_are_summed_up_by_what_they_share(self):
        page = self.open_comparison(*map(self.folder_of, CHECKPOINTS))
        self.assertRegex(self.headlines(page)[0], r"^Checkpointing, xl \(3\.4 B\), .*: [\d,]+ ms on the H200, [\d,]+ ms on the H100: ")

    def test_the_address_keeps_the_choice(self):
        page = self.open_comparison(a="nvidia-h200")
        choices = self.choices(page)
        self.assertEqual(choices[0], "nvidia-h200")
        self.assertFalse(choices[1].startswith("nvidia-h200/"), "a run that is one of the GPU's")
        self.assertNotEqual(*choices)
        self.assertTrue(page.url.endswith(f"?a={choices[0]}&b={choices[1]}"))
        page.get_by_label("with", exact=True).select_option(self.h100)
        address = page.url
        self.assertTrue(address.endswith(f"&b={self.h100}"))
        words = page.locator("main").inner_text()
        page.goto(address)
        self.assertEqual(page.locator("main").inner_text(), words)
        self.assertIn(page.locator("h1").inner_text(), page.title())
        self.assert_quiet()

    def test_an_unknown_name_is_reported(self):
        page = self.open_comparison("<b>nobody</b>", self.h100)
        self.assertEqual(self.notice(page), "No GPU or run here is called “<b>nobody</b>”. Choose another.")
        page.get_by_label("Compare", exact=True).select_option("nvidia-h200")
        self.assertIn("in common", self.notice(page))
        self.assertTrue(self.headlines(page))
        page.get_by_label("Compare", exact=True).select_option(self.h100)
        self.assertEqual(self.notice(page), "Both are the same. Choose another.")

    def test_two_runs_with_a_page_lead_to_it_and_others_away_from_it(self):
        page = self.open_comparison(self.h200, "nvidia-h100-80gb-hbm3")
        page.get_by_label("with", exact=True).select_option(self.h100)
        page.wait_for_url("**/diff/**")
        self.assertEqual(page.locator("h1").inner_text(), "H200 vs. H100")
        self.assertIn("Cell by cell", self.notice(page))
        self.assertEqual(self.choices(page), [self.h200, self.h100])
        self.assertEqual(page.evaluate("document.activeElement.labels[0].textContent"), "with")
        other = next(folder for folder in self.folders if folder not in (self.h200, self.h100))
        page.get_by_label("Compare", exact=True).select_option(other)
        page.wait_for_url(f"**/compare.html?a={other}&b={self.h100}**")
        self.assertEqual(page.evaluate("document.activeElement.labels[0].textContent"), "Compare")
        self.assertIn("compare them by the command below", self.notice(page))
        self.assertEqual(page.locator("output a").get_attribute("href"), "#reproduce")
        self.assert_quiet()

    def test_gpus_name_the_ready_comparisons_of_their_runs(self):
        page = self.open_comparison("nvidia-h200", "nvidia-h100-80gb-hbm3")
        self.assertTrue(self.notice(page).endswith("see the ready comparison H200 vs. H100, 2025."))
        ready = page.locator("output a[href^='diff/']")
        self.assertGreater(ready.count(), 0)
        for link in ready.evaluate_all("(links) => links.map((link) => link.getAttribute('href'))"):
            self.assertIn("H200 vs. H100", (self.site / link).read_text(encoding="utf-8"))

    def test_a_published_table_has_ready_comparisons_alone(self):
        page = self.open(next(self.site.glob("diff/nvidia-a100*/index.html")))
        table = self.choices(page)[1]
        self.assertIn("imported", table)
        page.get_by_label("Compare", exact=True).select_option("nvidia-h200")
        page.wait_for_url("**/compare.html**")
        self.assertIn("A published table has a page of its own", self.notice(page))
        ready = page.locator("output a[href^='diff/']").all_inner_texts()
        self.assertEqual(ready, ["H200 vs. A100, 2025"])
        self.assert_quiet()

    def test_tables_and_summary_have_one_direction_and_stand_in_the_contents(self):
        page = self.open_comparison("nvidia-h100-80gb-hbm3", "nvidia-h200")
        fast = re.search(r"the (\w+) is [\d.]+× as fast", page.locator("#summary li").first.inner_text())[1]
        heads = [text for text in page.locator("#found th").all_inner_texts() if "Advantage" in text]
        self.assertTrue(heads)
        for head in heads:
            self.assertIn(f"Advantage of {fast}", head)
        contents = page.locator(".contents a").evaluate_all("(links) => links.map(({ hash }) => hash)")
        self.assertEqual(contents[:2], ["#summary", "#numbers"])

    def test_every_number_leads_to_a_page(self):
        page = self.open_comparison("nvidia-h200", "nvidia-h100-80gb-hbm3")
        links = page.locator("#found td a").evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
        self.assertTrue(links)
        for link in set(links):
            path, _, anchor = link.partition("#")
            self.assertIn(f'id="{anchor}"' if anchor else "<h1", (self.site / path).read_text(encoding="utf-8"))

    def test_index_and_gpu_pages_lead_to_comparisons_and_load_no_summaries(self):
        for path, goal in (("index.html", "diff/"), ("nvidia-h200/index.html", "compare.html?a=nvidia-h200&b=")):
            page = self.open(self.site / path)
            self.assertFalse([url for url in self.requests if "summaries" in url])
            page.get_by_role("link", name="Any two GPUs or runs").click()
            page.get_by_label("Compare", exact=True).wait_for()
            self.assertIn(goal, page.url)

    def test_without_scripts_ready_comparisons_are_whole_and_named(self):
        page = self.open_comparison(java_script_enabled=False)
        self.assertIn("needs JavaScript", page.locator("main").inner_text())
        page.locator(".pairs a").first.click()
        self.assertIn("Figure 1.", page.locator("main").inner_text())
        page.get_by_role("link", name="ready comparisons").click()
        self.assertGreater(page.locator(".pairs a").count(), 1)

    def test_large_ratios_have_three_digits_and_a_demonstration_is_called_one(self):
        self.site = self.sample
        run, demonstration = (next(self.site.glob(f"{gpu}/*/*/summary.json")).parent.relative_to(self.site).as_posix()
                              for gpu in ("nvidia-h200", "cpu"))
        page = self.open_comparison(run, demonstration)
        self.assertRegex(page.locator("#choice p a").last.inner_text(), r" edition, a demonstration$")
        page.evaluate("window.texts = [0.5, 1.234, 9.99, 10.04, 194.96, 12345].map(ratioText)")
        self.assertEqual(page.evaluate("texts"), ["0.50", "1.23", "9.99", "10.0", "195", "12,300"])

    def test_names_of_runs_stay_text(self):
        self.site = self.sample
        one, other = (path.parent.relative_to(self.site).as_posix() for path in self.site.glob("hostile/*/*/index.html"))
        page = self.open_comparison(one, other)
        for place in ("#choice p", "caption", "#found tbody", "#found p"):
            text = " ".join(page.locator(place).all_inner_texts())
            self.assertIn("<script>document.title='owned'</script>", text, place)
        self.assertEqual(page.locator("#found :is(script, img, b, iframe)").count(), 0)
        self.assertNotEqual(page.title(), "owned")
        self.assertEqual(page.evaluate("document.documentElement.scrollWidth"), WIDE["width"])
        self.assert_quiet()

    def test_on_a_phone_no_choice_is_cut_and_what_it_measured_stands_below(self):
        page = self.open_comparison(*map(self.folder_of, LADDERS), viewport=PHONE)
        cut = page.get_by_label("Compare", exact=True).evaluate("""(select) => {
            const pen = document.createElement("canvas").getContext("2d"), arrow = 40;
            pen.font = getComputedStyle(select).font;
            return [...select.options].map(({ text }) => text).filter((text) => pen.measureText(text).width > select.clientWidth - arrow);
        }""")
        self.assertEqual(cut, [])
        about = page.locator("#choice p a")
        self.assertEqual(about.all_inner_texts(), ["How fast can a training step get?, 2025 edition"] * 2)
        self.assertEqual([link.get_attribute("href") for link in about.all()],
                         [self.folder_of(place) + "/index.html" for place in LADDERS])

    def test_on_a_phone_network_and_precision_stand_once_above_their_rows(self):
        page = self.open_comparison(*map(self.folder_of, LADDERS), viewport=PHONE)
        table = page.locator("#found table").first
        rows = table.locator("tbody tr")
        visible = "(cells) => cells.filter((cell) => cell.checkVisibility()).map((cell) => cell.textContent)"
        self.assertEqual(rows.nth(0).locator("th, td").evaluate_all(visible)[:3], ["xl (3.4 B)", "FP32", "einsum"])
        self.assertEqual(rows.nth(1).locator("th, td").evaluate_all(visible)[0], "matmul")
        self.assertEqual(rows.nth(4).locator("th, td").evaluate_all(visible)[:3], ["xl (3.4 B)", "TF32", "TF32"])
        table.locator("thead button").last.click()
        for i in range(rows.count()):
            self.assertEqual(len(rows.nth(i).locator("th, td").evaluate_all(visible)), 6)
        self.assert_quiet()

    def test_it_fits_every_screen_and_its_form_is_not_printed(self):
        for viewport, scheme in ((WIDE, "light"), (WIDE, "dark"), (PHONE, "light"), (PHONE, "dark")):
            page = self.open_comparison("nvidia-h200", "nvidia-h100-80gb-hbm3", viewport=viewport, color_scheme=scheme)
            self.open_details(page)
            with self.subTest(width=viewport["width"], scheme=scheme):
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), viewport["width"])
                self.assert_quiet()
                page.evaluate(axe_source())
                found = page.evaluate("axe.run({resultTypes: ['violations']})"
                                      ".then((all) => all.violations.map((one) => one.id + one.nodes[0].html))")
                self.assertEqual(found, [])
            page.context.close()
        page = self.open_comparison(self.h200, self.h100)
        page.emulate_media(media="print")
        self.assertFalse(page.locator(".controls").is_visible())


if __name__ == "__main__":
    Compare.labreport = sys.argv.pop(2)
    BrowserTest.program = sys.argv.pop(1)
    unittest.main()
