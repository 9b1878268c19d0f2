// "What fits?": a reader's size, step, precision, context and batch, and the peak memory that the run's
// formulas predict for them, by part, against cards. Print and readers without scripts have the
// picture in its place.
"use strict";

const kGigabyte = 1e9;
const kGibibyte = 2 ** 30;
const kBarTop = 20; // px, in a drawing of 56
const kBarHeight = 28;
const kLeastApart = 0.13; // of the width: closer names of cards would touch

/** `parts` holds four numbers each, of 1, B S, B S² and S². */
function bytesOf(parts, batch, context) {
  const tokens = batch * context;
  return parts.map(([constant, token, pair, square]) =>
    constant + token * tokens + pair * tokens * context + square * context ** 2);
}

function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** The largest batch whose bytes at every instant are at most so many; 0: none. */
function largestBatch(peaks, context, bytes) {
  const batches = peaks.map(({ parts }) => {
    const none = sumOf(bytesOf(parts, 0, context));
    const each = sumOf(bytesOf(parts, 1, context)) - none;
    if (none > bytes) return 0;
    return each > 0 ? Math.floor((bytes - none) / each) : Infinity;
  });
  return Math.min(...batches);
}

function byteWords(bytes) {
  return bytes >= kGibibyte ? `${(bytes / kGibibyte).toFixed(2)} GiB`
    : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function shape(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

class WhatFits {
  constructor(data) {
    this.data = data;
    const { sizes, checks, first } = data;
    this.controls = {
      size: this.makeSelect(sizes, sizes[first.size]),
      step: this.makeSelect(checks.map(({ step }) => step), checks.at(-1).step),
      precision: this.makeSelect(checks.map(({ precision }) => precision), checks[0].precision),
      context: this.makeNumber(first.context),
      batch: this.makeNumber(first.batch),
    };
    const fields = Object.entries(this.controls).map(([name, control]) => {
      const label = element("label", "", name);
      label.htmlFor = control.id = `what-fits-${name}`;
      return element("div", "", label, control);
    });
    this.answer = element("output", "");
    this.bar = shape("svg", { "aria-hidden": "true" });
    this.key = element("ul", "what-fits-key");
    this.cards = element("table", "what-fits-cards");
    const form = element("form", "", ...fields);
    form.addEventListener("input", () => this.update());
    form.addEventListener("submit", (event) => event.preventDefault());
    this.stage = element("div", "what-fits", form, this.answer, this.bar, this.key, this.cards);
    this.update();
  }

  makeSelect(names, chosen) {
    const select = element("select", "");
    for (const name of new Set(names)) select.append(new Option(name, name, false, name === chosen));
    return select;
  }

  makeNumber(value) {
    const input = element("input", "");
    Object.assign(input, { type: "number", min: 1, max: 2 ** 20, required: true, value });
    return input;
  }

  update() {
    const { size, step, precision, context, batch } = this.controls;
    const check = this.data.checks.find((one) =>
      one.step === step.value && one.precision === precision.value);
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
    const all = peaks.map(({ parts }) => bytesOf(parts, Number(batch.value), Number(context.value)));
    const most = all.reduce((best, parts, i) => (sumOf(parts) > sumOf(all[best]) ? i : best), 0);
    this.tell(check, peaks[most].phase, sumOf(all[most]));
    this.draw(all[most]);
    this.list(all[most]);
    this.compare(peaks, Number(context.value), sumOf(all[most]));
  }

  tell(check, phase, peak) {
    const card = this.data.cards.find((one) => peak <= one * kGigabyte);
    const off = `${Math.abs(check.farthest)}\u00a0% too ${check.farthest < 0 ? "low" : "high"}`;
    const evidence = check.cells === 0 ? "This run measured no peak of this kind."
      : `This run measured ${check.cells} ${check.cells === 1 ? "peak" : "peaks"} of this kind: ` +
        `the prediction is at most ${off}.`;
    this.answer.replaceChildren(element("strong", "", byteWords(peak)), ` at the peak, in ${phase}: `,
      element("strong", "", card ? `fits a card of ${card} GB` : "fits none of these cards"), `. ${evidence}`);
  }

  draw(parts) {
    const { cards } = this.data;
    const peak = sumOf(parts);
    const next = cards.find((card) => peak <= card * kGigabyte) ?? cards.at(-1);
    const width = 1.06 * Math.max(peak, next * kGigabyte);
    const percent = (bytes) => `${(100 * bytes) / width}%`;
    this.bar.replaceChildren();
    let at = 0;
    parts.forEach((bytes, i) => {
      this.bar.append(shape("rect", { x: percent(at), width: percent(bytes), y: kBarTop,
        height: kBarHeight, fill: this.data.parts.range[i] }));
      at += bytes;
    });
    let last = -1;
    for (const bytes of cards.map((card) => card * kGigabyte)) {
      if (bytes > width) break;
      const x = percent(bytes);
      this.bar.append(shape("line", { x1: x, x2: x, y1: kBarTop - 4, y2: kBarTop + kBarHeight + 6 }));
      if (bytes / width - last < kLeastApart) continue;
      last = bytes / width;
      this.bar.append(shape("text", { x, y: kBarTop - 8, "text-anchor": last > 0.9 ? "end" : "middle" },
        `${bytes / kGigabyte} GB`));
    }
  }

  list(parts) {
    const { domain, range } = this.data.parts;
    this.key.replaceChildren();
    parts.forEach((bytes, i) => {
      if (bytes === 0) return;
      const swatch = shape("svg", { "aria-hidden": "true" },
        shape("rect", { width: "100%", height: "100%", fill: range[i] }));
      this.key.append(element("li", "", swatch, ` ${domain[i]} ${byteWords(bytes)}`));
    });
  }

  compare(peaks, context, peak) {
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

/** Behind a figure's picture, which stays for readers without scripts. */
function placeWhatFits(figure, data) {
  if (figure.querySelector(".what-fits")) return;
  [...figure.querySelectorAll(".frame")].at(-1).after(new WhatFits(data).stage);
}
