// "What fits?" shows the peak memory that formulas predict for a reader's step, by part. A report's
// figure compares it with cards, the page what-fits.html with the GPUs that were measured. Print and
// readers without scripts have the figure's picture and the page's table.
"use strict";

const kGigabyte = 1e9;
const kGibibyte = 2 ** 30;
const kBarTopPx = 20; // The drawing is 56 px high.
const kBarHeightPx = 28;
const kMostExcess = 0.05; // A prediction that exceeds every measured peak by more than this ratio is extrapolated.
const kMostNumber = 2 ** 20; // Batch and context have this limit.
const kLeastGap = 0.13; // Closer names of cards would touch; this is a ratio of the width.

/** `parts` has four numbers for each part: the coefficients of 1, B S, B S² and S² for batch B and context S. */
function bytesOf(parts, batch, context) {
  const tokens = batch * context;
  return parts.map(([fixed, token, pair, square]) =>
    fixed + token * tokens + pair * tokens * context + square * context ** 2);
}

function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Returns the instant with the most bytes: its phase, its parts in bytes and their sum. */
function peakOf(peaks, batch, context) {
  const all = peaks.map(({ phase, parts }) => {
    const bytes = bytesOf(parts, batch, context);
    return { phase, bytes, total: sumOf(bytes) };
  });
  return all.reduce((highest, peak) => (peak.total > highest.total ? peak : highest));
}

/** Returns the largest batch that needs at most `bytes` at every instant; 0 if none does. */
function largestBatch(peaks, context, bytes) {
  const batches = peaks.map(({ parts }) => {
    const fixedBytes = sumOf(bytesOf(parts, 0, context));
    const bytesPerSequence = sumOf(bytesOf(parts, 1, context)) - fixedBytes;
    if (fixedBytes > bytes) return 0;
    return bytesPerSequence > 0 ? Math.floor((bytes - fixedBytes) / bytesPerSequence) : Infinity;
  });
  return Math.min(...batches);
}

function grouped(number) {
  return number.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

function byteText(bytes) {
  const gibibytes = bytes / kGibibyte;
  return gibibytes < 0.01 ? `${(bytes / 2 ** 20).toFixed(1)} MiB`
    : `${gibibytes < 1 ? gibibytes.toPrecision(3) : grouped(gibibytes)} GiB`;
}

function svgElement(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function selectOf(names, chosen, labels = names) {
  const select = element("select", "");
  names.forEach((name, i) => select.append(new Option(labels[i], name, false, name === chosen)));
  return select;
}

function numberInput(value) {
  const input = element("input", "");
  Object.assign(input, { type: "number", min: 1, max: kMostNumber, required: true, value });
  return input;
}

/** Makes a form of controls by name; a name is the label unless `labels` has another. */
function formOf(controls, labels, update) {
  const form = element("form", "controls", ...Object.entries(controls).map(([name, control]) => {
    const label = element("label", "", labels[name] ?? name);
    label.htmlFor = control.id = `choice-${name}`;
    return element("div", "", label, control);
  }));
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  return form;
}

/** Returns "at most 1.4 % too low". */
function errorText(percent) {
  return `at most ${Math.abs(percent)}\u00a0% too ${percent < 0 ? "low" : "high"}`;
}

/** Draws a bar of the parts. `marks` are lines across it, in rising order of bytes; `width` is in bytes. */
function drawBar(bar, bytes, colors, marks, width) {
  const percent = (part) => `${(100 * part) / width}%`;
  bar.replaceChildren();
  let at = 0;
  bytes.forEach((part, i) => {
    bar.append(svgElement("rect", { x: percent(at), width: percent(part), y: kBarTopPx,
      height: kBarHeightPx, fill: colors[i] }));
    at += part;
  });
  let lastRatio = -1;
  for (const [place, name] of marks) {
    if (place > width) break;
    const x = percent(place);
    bar.append(svgElement("line", { x1: x, x2: x, y1: kBarTopPx - 4, y2: kBarTopPx + kBarHeightPx + 6 }));
    if (place / width - lastRatio < kLeastGap) continue;
    lastRatio = place / width;
    bar.append(svgElement("text", { x, y: kBarTopPx - 8, "text-anchor": lastRatio > 0.9 ? "end" : "middle" }, name));
  }
}

/** Lists the parts that are not empty, each after its color. */
function listParts(key, bytes, { domain, range }) {
  key.replaceChildren();
  bytes.forEach((part, i) => {
    if (part === 0) return;
    const swatch = svgElement("svg", { "aria-hidden": "true" },
      svgElement("rect", { width: "100%", height: "100%", fill: range[i] }));
    key.append(element("li", "", swatch, ` ${domain[i]} ${byteText(part)}`));
  });
}

class WhatFits {
  constructor(data) {
    this.data = data;
    const { sizes, checks, first } = data;
    const unique = (names) => [...new Set(names)];
    this.controls = {
      size: selectOf(sizes, sizes[first.size]),
      step: selectOf(unique(checks.map(({ step }) => step)), checks.at(-1).step),
      precision: selectOf(unique(checks.map(({ precision }) => precision)), checks[0].precision),
      context: numberInput(first.context),
      batch: numberInput(first.batch),
    };
    this.answer = element("output", "");
    this.bar = svgElement("svg", { class: "what-fits-bar", "aria-hidden": "true" });
    this.key = element("ul", "what-fits-key");
    this.cards = element("table", "what-fits-cards");
    this.stage = element("div", "what-fits", formOf(this.controls, {}, () => this.update()),
      this.answer, this.bar, this.key, this.cards);
    this.update();
  }

  update() {
    const { size, step, precision, context, batch } = this.controls;
    const check = this.data.checks.find((entry) =>
      entry.step === step.value && entry.precision === precision.value);
    const valid = context.checkValidity() && batch.checkValidity();
    const shown = valid && check.sizes !== undefined;
    for (const part of [this.bar, this.key, this.cards]) part.toggleAttribute("hidden", !shown);
    if (!shown) {
      this.answer.textContent = valid ? `Left out: the formulas are up to ` +
        `${Math.abs(check.farthest)}\u00a0% off the peaks that this run measured.`
        : "Context and batch are whole numbers from 1 on.";
      return;
    }
    const peaks = check.sizes[size.selectedIndex];
    const { phase, bytes, total } = peakOf(peaks, Number(batch.value), Number(context.value));
    const isExtrapolated = Number(batch.value) > check.batch || Number(context.value) > check.context ||
      total > (1 + kMostExcess) * check.most;
    this.showAnswer(check, phase, total, isExtrapolated);
    this.showBar(bytes, total);
    listParts(this.key, bytes, this.data.parts);
    this.showCards(peaks, Number(context.value), total);
  }

  showAnswer(check, phase, peak, isExtrapolated) {
    const card = this.data.cards.find((gigabytes) => peak <= gigabytes * kGigabyte);
    const evidence = check.cells === 0 ? "Extrapolated: this run measured no peak of this kind."
      : isExtrapolated ? `Extrapolated: this run measured peaks of this kind up to ${byteText(check.most)}, ` +
        `batch ${check.batch} and context ${check.context.toLocaleString("en")}.`
      : `This run measured ${check.cells} ${check.cells === 1 ? "peak" : "peaks"} of this kind: ` +
        `the prediction is ${errorText(check.farthest)}.`;
    this.answer.replaceChildren(element("strong", "", byteText(peak)), ` at the peak, in ${phase}: `,
      element("strong", "", card ? `fits a card of ${card} GB` : `needs more than ${this.data.cards.at(-1)} GB`), `. ${evidence}`);
  }

  showBar(bytes, peak) {
    const { cards, parts } = this.data;
    const next = cards.find((card) => peak <= card * kGigabyte) ?? cards.at(-1);
    const marks = cards.map((card) => [card * kGigabyte, `${card} GB`]);
    drawBar(this.bar, bytes, parts.range, marks, 1.06 * Math.max(peak, next * kGigabyte));
  }

  showCards(peaks, context, peak) {
    const rows = [["Card", ...this.data.cards.map((card) => `${card} GB`)],
      ["Fits", ...this.data.cards.map((card) => (peak <= card * kGigabyte ? "yes" : "no"))],
      ["Largest batch", ...this.data.cards.map((card) => {
        const batch = largestBatch(peaks, context, card * kGigabyte);
        return batch === 0 ? "–" : batch.toLocaleString("en");
      })]];
    this.cards.replaceChildren(...rows.map(([head, ...cells], i) => {
      const row = element("tr", "", element("th", "", head));
      row.firstChild.scope = "row";
      row.append(...cells.map((text) => element(i === 0 ? "th" : "td", "", text)));
      return row;
    }));
  }
}

/** Finds the longest context whose peak is at most `bytes` by bisection, because peaks grow with it. */
function longestContext(peaks, batch, bytes) {
  let fits = 0, tooLong = kMostNumber + 1;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (peakOf(peaks, batch, middle).total <= bytes) fits = middle;
    else tooLong = middle;
  }
  return fits;
}

// Each step contains those before it, so it needs at least as much memory.
const kStepsByLength = ["inference forward", "forward with grad", "forward+backward", "training step"];
const kFitLabels = { checkpoint: "blocks per checkpoint", ranks: "GPUs sharing the optimizer" };

/** The page keeps its state in the address's query and shows a section of results for each GPU. */
class FitsPage {
  constructor(data) {
    this.data = data;
    const { networks, gpus, first } = data;
    const evidence = gpus.flatMap((gpu) => gpu.evidence);
    const names = (key) => [...new Set(evidence.map((entry) => entry[key]))];
    this.controls = {
      network: selectOf(networks.map(({ key }) => key), first.network, networks.map(({ label }) => label)),
      step: selectOf(names("step"), first.step),
      precision: selectOf(names("precision"), first.precision),
      batch: numberInput(first.batch),
      context: numberInput(first.context),
    };
    if (evidence.some(({ blocks }) => blocks > 0)) {
      const blocks = networks.flatMap(({ formulas }) => Object.values(formulas)
        .flatMap((byPrecision) => Object.values(byPrecision)).flatMap(Object.keys));
      const sorted = [...new Set(blocks)].map(Number).sort((a, b) => a - b).filter((count) => count > 0);
      this.controls.checkpoint = selectOf(["none", ...sorted.map(String)], "none");
    }
    if (evidence.some(({ ranks }) => ranks > 0)) {
      this.controls.ranks = selectOf(["1", ...Object.keys(networks[0].shards)], "1");
    }
    this.answer = element("output", "");
    this.gpus = element("div", "");
    this.stage = element("div", "", formOf(this.controls, kFitLabels, () => this.update()), this.answer,
      this.gpus);
    const problem = this.readAddress(new URLSearchParams(location.search));
    if (problem) this.showProblem(problem);
    else this.showResults();
  }

  /** Sets the controls; returns the problem of the address or, if all is well, undefined. */
  readAddress(query) {
    for (const [name, control] of Object.entries(this.controls)) {
      const value = query.get(name);
      if (value === null) continue;
      const names = control.options && [...control.options].map((option) => option.value);
      if (names && !names.includes(value)) {
        return `The address asks for ${name} “${value}”; there are ${names.join(", ")}.`;
      }
      if (!names && !/^[1-9][0-9]*$/.test(value)) return `${this.numberRule(name)}, not “${value}”.`;
      control.value = value;
    }
    return this.findProblem();
  }

  numberRule(name) {
    return `The ${name} is a whole number from 1 to ${kMostNumber.toLocaleString("en")}`;
  }

  /** Returns the problem of the controls or, if all is well, undefined. */
  findProblem() {
    for (const name of ["batch", "context"]) {
      if (!this.controls[name].checkValidity()) return `${this.numberRule(name)}.`;
    }
    const { layers, label } = this.network();
    if (Number(this.choice("checkpoint", "none")) > layers) return `${label} has ${layers} blocks only.`;
    return undefined;
  }

  network() {
    return this.data.networks[this.controls.network.selectedIndex];
  }

  choice(name, fallback) {
    return this.controls[name]?.value ?? fallback;
  }

  update() {
    const problem = this.findProblem();
    if (problem) return this.showProblem(problem);
    const query = new URLSearchParams(Object.entries(this.controls)
      .map(([name, control]) => [name, control.value]));
    history.replaceState(null, "", `?${query}`);
    this.showResults();
  }

  showProblem(problem) {
    this.answer.textContent = problem;
    this.gpus.replaceChildren();
  }

  showResults() {
    const blocks = Number(this.choice("checkpoint", "0").replace("none", "0"));
    const ranks = Number(this.choice("ranks", "1"));
    const { step, precision, batch, context } = this.controls;
    const chosenStep = { step: step.value, precision: precision.value, blocks, ranks,
      batch: Number(batch.value), context: Number(context.value) };
    const results = this.data.gpus.map((gpu) => this.resultOf(gpu, chosenStep));
    const fitting = results.filter(({ fits }) => fits).map(({ gpu }) => `the ${gpu.short_name}`);
    const known = results.filter(({ evidence }) => evidence);
    this.answer.replaceChildren(element("strong", "", this.network().label), known.length === 0
      ? ": no run confirms formulas for such a step." : fitting.length === 0
        ? ` needs more than the ${this.data.gpus.at(-1).short_name} has.` : ` fits ${new Intl.ListFormat("en").format(fitting)}.`);
    // All bars have one scale.
    const width = 1.06 * Math.max(...results.flatMap(({ gpu, peak }) => [gpu.bytes, peak?.total ?? 0]));
    this.gpus.replaceChildren(...results.map((result) => this.sectionOf(result, chosenStep, width)));
  }

  /** Without evidence for the step, a longer step that fits is evidence that this one does. */
  resultOf(gpu, { step, precision, blocks, ranks, batch, context }) {
    const kind = gpu.evidence.filter((entry) => entry.precision === precision &&
      entry.blocks > 0 === blocks > 0 && entry.ranks > 0 === ranks > 1);
    const results = kStepsByLength.slice(kStepsByLength.indexOf(step))
      .map((name) => kind.find((entry) => entry.step === name)).filter((evidence) => evidence)
      .map((evidence) => {
        const peaks = this.peaksOf(evidence, blocks, ranks);
        const peak = peakOf(peaks, batch, context);
        return { gpu, evidence, peak, fits: peak.total <= gpu.bytes,
          longest: longestContext(peaks, batch, gpu.bytes) };
      });
    return results.find(({ evidence, fits }) => evidence.step === step || fits) ?? { gpu };
  }

  /** Returns the formulas with the evidence's workspaces and with one rank's part of the optimizer state. */
  peaksOf({ step, precision, workspace }, blocks, ranks) {
    const { formulas, shards } = this.network();
    const { domain } = this.data.parts;
    const adjusted = (part, i) => (domain[i] === "temporary" ? [part[0] + workspace, ...part.slice(1)]
      : domain[i] === "optimizer state" && ranks > 1 ? [shards[ranks], 0, 0, 0] : part);
    return formulas[step][precision][blocks].map(({ phase, parts }) => ({ phase, parts: parts.map(adjusted) }));
  }

  sectionOf({ gpu, evidence, peak, fits, longest }, { step, blocks, ranks, batch, context }, width) {
    const name = element("h2", "", gpu.name, " ", element("span", "unit", byteText(gpu.bytes)));
    const missing = "No run of this GPU confirms formulas for such a step.";
    if (!evidence) return element("section", "", name, element("p", "muted", missing));
    const isExtrapolated = batch > evidence.batch || blocks > evidence.blocks ||
      (ranks > 1 && ranks > evidence.ranks);
    const extrapolationMark = (length) => (isExtrapolated || length > evidence.context ? " (extrapolated)" : "");
    const longestWords = longest === 0 ? "No context fits at this batch."
      : `The longest context that fits: ${longest.toLocaleString("en")}${extrapolationMark(longest)}.`;
    const words = element("p", "", element("strong", "", fits ? "Fits" : "Does not fit"), ": ",
      element("strong", "", byteText(peak.total)),
      `${extrapolationMark(context)} at the peak, in ${peak.phase}` +
      (evidence.step === step ? `. ${longestWords}` : ` of a ${evidence.step}, which contains this one.`));
    const bar = svgElement("svg", { class: "what-fits-bar", "aria-hidden": "true" });
    drawBar(bar, peak.bytes, this.data.parts.range, [[gpu.bytes, byteText(gpu.bytes)]], width);
    const key = element("ul", "what-fits-key");
    listParts(key, peak.bytes, this.data.parts);
    const run = element("a", "", "measured");
    run.href = evidence.run;
    const measured = [`batch ${evidence.batch}${evidence.ranks > 0 ? " on each GPU" : ""}`, `context ${evidence.context.toLocaleString("en")}`];
    if (evidence.blocks > 0) measured.push(`${evidence.blocks} blocks per checkpoint`);
    if (evidence.ranks > 0) measured.push(`${evidence.ranks} GPUs`);
    return element("section", "", name, words, bar, key, element("p", "muted",
      evidence.peaks === 1 ? "One peak of this kind was " : `${evidence.peaks} peaks of this kind were `, run,
      `, up to ${measured.join(", ")}: the prediction is ` +
      `${errorText(Math.round(1000 * evidence.farthest) / 10)}.`));
  }
}

/** Adds the form after a figure's picture, which is kept for readers without scripts. */
function placeWhatFits(figure, data) {
  if (figure.querySelector(".what-fits")) return;
  [...figure.querySelectorAll(".frame")].at(-1).after(new WhatFits(data).stage);
}

/** Starts the page what-fits.html, whose data is in a separate script. */
function placeFits() {
  const place = document.querySelector("[data-fits]");
  if (!place) return;
  loadScript(place.dataset.fits)
    .then(() => place.append(new FitsPage(window.labreportFits).stage))
    .catch((problem) => { place.textContent = `The calculator is left out: ${problem.message}.`; });
}
