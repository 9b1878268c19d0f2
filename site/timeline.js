// Shows a training step kernel by kernel: lanes of phases, blocks, modules and kernels on a canvas, zoomed
// by wheel, pinch, keys and buttons. Print and readers without scripts get the picture instead.
"use strict";

const kLanes = [
  { name: "phase", height: 22 },
  { name: "block", height: 22 },
  { name: "module", height: 22 },
  { name: "kernel", height: 64 },
];
const kLaneGap = 3;
const kAxisHeight = 20;
const kLeastViewNs = 2000;
const kLetterPx = 6.4; // A letter of the canvas' font has this width.
const kZoomFactor = 1.6;
const kPanRatio = 0.2; // A move shifts the view by this ratio of its width.
const kKernelLane = kLanes.length - 1;
const kLeastKernelPx = 2; // Kernels that are narrower on average would alias; their shares of coarser spans are drawn.
const kLeastSpanPx = 4; // Spans of a lane have at least this mean width, or the lane shows those of the lane above it.
const kLeastToldShare = 0.05; // Kinds of kernels with a smaller share of a span are not told.
const kCanvasHeight =
  kLanes.reduce((sum, lane) => sum + lane.height + kLaneGap, 0) + kAxisHeight;

/** Joins adjacent kernels with the same key into the spans of a lane; `from` and `to` are in ns. */
function spansOf(step, key) {
  const spans = [];
  for (let i = 0; i < step.count; ++i) {
    const name = key(i);
    const last = spans.at(-1);
    if (last && last.name === name) {
      last.to = step.ends[i];
      last.last = i;
    } else {
      spans.push({ name, from: step.starts[i], to: step.ends[i], first: i, last: i });
    }
  }
  return spans;
}

/** Returns for each class the time of all its kernels before each kernel, so that a difference is the time in between. */
function busyTimes(step) {
  const classes = Array.from({ length: step.count }, (_, i) => step.classIndex(i));
  return Array.from({ length: Math.max(-1, ...classes) + 1 }, (_, index) => {
    const times = new Float64Array(step.count + 1);
    classes.forEach((kind, i) => {
      times[i + 1] = times[i] + (kind === index ? step.ends[i] - step.starts[i] : 0);
    });
    return times;
  });
}

/** `kernels` has four numbers for each kernel: ns since the previous start, duration in ns, row, block + 1 or 0. */
function unpackStep({ label, rows, kernels }, texts) {
  const count = kernels.length / 4;
  const step = { label, count, starts: new Float64Array(count), ends: new Float64Array(count) };
  let start = 0;
  for (let i = 0; i < count; ++i) {
    start += kernels[4 * i];
    step.starts[i] = start;
    step.ends[i] = start + kernels[4 * i + 1];
  }
  step.duration = step.ends.reduce((most, end) => Math.max(most, end), 1);
  const word = (i, column) => texts[rows[kernels[4 * i + 2]][column]];
  step.phase = (i) => word(i, 0) || "unattributed";
  step.module = (i) => word(i, 1);
  step.classIndex = (i) => rows[kernels[4 * i + 2]][2];
  step.kernel = (i) => word(i, 3);
  step.block = (i) => (kernels[4 * i + 3] ? `block ${kernels[4 * i + 3] - 1}` : "");
  const path = (i) => `${step.phase(i)}\n${step.block(i)}`;
  step.lanes = [
    spansOf(step, step.phase),
    spansOf(step, path),
    spansOf(step, (i) => `${path(i)}\n${step.module(i)}`),
  ];
  step.busy = busyTimes(step);
  return step;
}

/** Returns the first index whose end is after `time`. */
function firstEndingAfter(time, count, endOf) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(middle) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

function hint() {
  return matchMedia("(pointer: coarse)").matches
    ? "Tap a phase or a block to zoom in, drag to move, pinch to zoom."
    : "Click a phase or a block to zoom in, drag to move; then the wheel and the keys + and − zoom too.";
}

function timeText(ns) {
  const [value, unit] = ns >= 1e6 ? [ns / 1e6, "ms"] : [ns / 1e3, "µs"];
  return `${value >= 1000 ? Math.round(value).toLocaleString("en") : value.toPrecision(4)} ${unit}`;
}

function percentText(ratio) {
  return `${ratio < 0.001 ? (100 * ratio).toPrecision(2) : (100 * ratio).toFixed(1)} % of the step`;
}

/** Returns 1, 2 or 5 times a power of ten, so that at most `most` ticks fit into the span. */
function tickSpacing(span, most) {
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
}

function element(name, className, ...children) {
  const node = document.createElement(name);
  node.className = className;
  node.append(...children);
  return node;
}

class Timeline {
  constructor(data, label) {
    this.classes = data.classes.domain;
    this.steps = data.steps.map((step) => unpackStep(step, data.texts));
    this.canvas = element("canvas", "");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-roledescription", "timeline");
    this.canvas.setAttribute("aria-label", `${label} Keys: + and − zoom, ← and → move, Shift with ` +
      "them goes from kernel to kernel, Home shows the whole step.");
    this.detail = element("p", "timeline-detail");
    this.detail.setAttribute("role", "status");
    this.key = this.makeKey(data.classes);
    this.stage = element("div", "timeline", this.makeChoice(data.first),
      this.makeButtons(), this.canvas, this.key, this.detail);
    this.pointers = new Map();
    this.width = 0;
    this.choose(data.first);
    this.listen();
  }

  makeChoice(first) {
    const box = element("fieldset", "switch", element("legend", "", "Step"));
    box.hidden = this.steps.length < 2;
    this.steps.forEach(({ label }, i) => {
      const button = element("input", "");
      button.type = "radio";
      button.name = "timeline-step";
      button.checked = i === first;
      button.addEventListener("change", () => this.choose(i));
      box.append(element("label", "", button, ` ${label}`));
    });
    return box;
  }

  makeButtons() {
    const middle = () => (this.view.from + this.view.to) / 2;
    const actions = [
      ["+", "Zoom in", () => this.zoom(1 / kZoomFactor, middle())],
      ["−", "Zoom out", () => this.zoom(kZoomFactor, middle())],
      ["←", "Earlier", () => this.pan(-kPanRatio)],
      ["→", "Later", () => this.pan(kPanRatio)],
      ["One block", "", () => this.showBlock()],
      ["Whole step", "", () => this.show(0, this.step.duration)],
    ];
    const bar = element("div", "timeline-buttons");
    for (const [text, label, action] of actions) {
      const button = element("button", "", text);
      button.type = "button";
      if (label) button.setAttribute("aria-label", label);
      button.addEventListener("click", () => {
        action();
        this.deselectUnseen();
      });
      if (text === "One block") this.blockButton = button;
      bar.append(button);
    }
    bar.append(element("p", "timeline-hint", hint()));
    return bar;
  }

  /** Makes swatches of SVG shapes, so that the style sheet darkens their colors like those of charts. */
  makeKey({ domain, range }) {
    const key = element("p", "timeline-key");
    domain.forEach((name, i) => {
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const side of ["width", "height"]) rect.setAttribute(side, "100%");
      rect.setAttribute("fill", range[i]);
      svg.append(rect);
      key.append(element("span", "", svg, ` ${name}`));
    });
    return key;
  }

  readInks() {
    const style = getComputedStyle(document.documentElement);
    const ink = (name) => style.getPropertyValue(`--${name}`).trim();
    this.inks = { text: ink("ink"), muted: ink("muted"), rule: ink("rule"), paper: ink("paper"),
      bands: [ink("hair"), ink("rule")] };
    this.colors = [...this.key.querySelectorAll("rect")].map((rect) => getComputedStyle(rect).fill);
    this.font = `11px ${style.getPropertyValue("--sans")}`;
  }

  choose(index) {
    this.step = this.steps[index];
    this.blockButton.hidden = !this.step.lanes[1].some(({ first }) => this.step.block(first));
    this.show(0, this.step.duration);
    this.select(undefined);
  }

  show(from, to) {
    const least = Math.min(kLeastViewNs, this.step.duration);
    const span = Math.min(Math.max(to - from, least), this.step.duration);
    const begin = Math.min(Math.max((from + to - span) / 2, 0), this.step.duration - span);
    this.view = { from: begin, to: begin + span };
    Object.assign(this.stage.dataset, { from: Math.round(begin), to: Math.round(begin + span) });
    if (!this.selection) this.detail.textContent = this.describeView();
    this.redraw();
  }

  zoom(factor, around) {
    const { from, to } = this.view;
    const span = Math.min(Math.max((to - from) * factor, kLeastViewNs), this.step.duration);
    const begin = around - ((around - from) / (to - from)) * span;
    this.show(begin, begin + span);
  }

  pan(views) {
    const shift = views * (this.view.to - this.view.from);
    const limitedShift = Math.min(Math.max(shift, -this.view.from), this.step.duration - this.view.to);
    this.show(this.view.from + limitedShift, this.view.to + limitedShift);
  }

  /** Shows the second block's forward pass, which has no start-up, or else the first block. */
  showBlock() {
    const blocks = this.step.lanes[1].filter(({ first }) => this.step.block(first));
    const { from, to } = blocks[1] ?? blocks[0] ?? { from: 0, to: this.step.duration };
    this.show(from, to);
  }

  /** Selects the next or the previous kernel and centers it in the view. */
  selectNeighbor(offset) {
    const middle = (this.view.from + this.view.to) / 2;
    const at = this.selection?.lane === kKernelLane ? this.selection.first : this.kernelAt(middle) - offset;
    const next = Math.min(Math.max(at + offset, 0), this.step.count - 1);
    const shift = (this.step.starts[next] + this.step.ends[next]) / 2 - middle;
    this.show(this.view.from + shift, this.view.to + shift);
    this.select(this.kernelSpan(next));
  }

  kernelAt(time) {
    const { count, ends } = this.step;
    return Math.min(firstEndingAfter(time, count, (i) => ends[i]), count - 1);
  }

  kernelSpan(i) {
    return { lane: kKernelLane, from: this.step.starts[i], to: this.step.ends[i], first: i, last: i };
  }

  /** Returns the span under a point of the canvas; nothing in a gap. */
  spanAt(x, y) {
    const { from, to } = this.view;
    const time = from + (x / this.width) * (to - from);
    const toleranceNs = (2 / this.width) * (to - from); // These are two pixels.
    let top = 0;
    for (let lane = 0; lane < kLanes.length; ++lane) {
      const isInside = y >= top && y < top + kLanes[lane].height;
      top += kLanes[lane].height + kLaneGap;
      if (!isInside) continue;
      const level = this.levelOf(lane);
      if (level === kKernelLane) {
        const span = this.kernelSpan(this.kernelAt(time));
        return span.from <= time + toleranceNs ? span : undefined;
      }
      const spans = this.step.lanes[level];
      const span = spans[firstEndingAfter(time, spans.length, (i) => spans[i].to)];
      return span && span.from <= time + toleranceNs ? { ...span, lane: level } : undefined;
    }
    return undefined;
  }

  /** Selects a span: the line below the lanes names it, and a frame marks it. */
  select(span) {
    const changed = span?.first !== this.selection?.first || span?.lane !== this.selection?.lane;
    this.selection = span;
    if (!changed && this.detail.textContent) return;
    this.detail.replaceChildren(...(span ? this.describe(span) : [this.describeView()]));
    this.redraw();
  }

  /**
   * Returns the lane whose spans are drawn in `lane`: the lane itself if its spans are wide enough to be told apart, else the
   * next lane above it of which that is true.
   */
  levelOf(lane) {
    const { step, view: { from, to } } = this;
    const isWide = (level) => {
      const [count, startOf, endOf] = level === kKernelLane
        ? [step.count, (i) => step.starts[i], (i) => step.ends[i]]
        : [step.lanes[level].length, (i) => step.lanes[level][i].from, (i) => step.lanes[level][i].to];
      const inView = firstEndingAfter(to, count, startOf) - firstEndingAfter(from, count, endOf);
      return this.width / Math.max(inView, 1) >= (level === kKernelLane ? kLeastKernelPx : kLeastSpanPx);
    };
    let level = lane;
    while (level > 0 && !isWide(level)) --level;
    return level;
  }

  /** Says which time is in view, how many kernels ran in it, and what stands for them if they are too narrow. */
  describeView() {
    const { step, view: { from, to } } = this;
    const begun = firstEndingAfter(to, step.count, (i) => step.starts[i]);
    const ended = firstEndingAfter(from, step.count, (i) => step.ends[i]);
    const level = this.levelOf(kKernelLane);
    const kernels = `${Math.max(begun - ended, 0).toLocaleString("en")} kernels` +
      (level === kKernelLane ? "" : `; bars show their shares of the time of each ${kLanes[level].name}`);
    if (to - from >= step.duration) return `${timeText(step.duration)}, ${kernels}`;
    return `${timeText(to - from)}, ${percentText((to - from) / step.duration)}, at ${timeText(from)}: ${kernels}`;
  }

  describe({ lane, from, to, first, last }) {
    const { step } = this;
    const place = [step.phase(first), step.block(first), step.module(first).replaceAll("/", " › ")]
      .slice(0, lane + 1).filter(Boolean).join(" › ");
    const times = `${timeText(to - from)}, ${percentText((to - from) / step.duration)}, at ` +
      timeText(from);
    if (lane < kKernelLane) {
      const kernels = last - first + 1;
      const shares = this.sharesOf(first, last + 1, to - from)
        .map((share, index) => ({ share, name: this.classes[index] }))
        .filter(({ share }) => share >= kLeastToldShare).sort((a, b) => b.share - a.share)
        .map(({ share, name }) => `${name} ${(100 * share).toFixed(0)} %`);
      return [element("strong", "", place), ` ${times}, ${kernels.toLocaleString("en")} ` +
        `${kernels === 1 ? "kernel" : "kernels"}: ${shares.join(", ")}`];
    }
    return [element("code", "", step.kernel(first)), ` ${this.classes[step.classIndex(first)]}, ${times}; `,
      place];
  }

  /** Returns for each class the share of `duration` that its kernels from `first` to before `end` take. */
  sharesOf(first, end, duration) {
    return this.step.busy.map((times) => (times[end] - times[first]) / Math.max(duration, 1));
  }

  /** Deselects a span that is no longer in view. */
  deselectUnseen() {
    const { selection, view } = this;
    if (selection && (selection.to < view.from || selection.from > view.to)) this.select(undefined);
  }

  redraw() {
    this.frameRequest ??= requestAnimationFrame(() => {
      this.frameRequest = undefined;
      if (this.canvas.isConnected) this.draw();
    });
  }

  draw() {
    const ratio = devicePixelRatio || 1;
    const size = [Math.round(this.width * ratio), Math.round(kCanvasHeight * ratio)];
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) {
      [this.canvas.width, this.canvas.height] = size;
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, kCanvasHeight);
    pen.font = this.font;
    pen.textBaseline = "middle";
    const scale = this.width / (this.view.to - this.view.from);
    const x = (time) => (time - this.view.from) * scale;
    let top = 0;
    kLanes.forEach(({ height }, lane) => {
      const level = this.levelOf(lane);
      if (level === kKernelLane) this.drawKernels(pen, x, top, height);
      else if (lane === kKernelLane) this.drawShares(pen, x, top, height, level);
      else this.drawSpans(pen, x, top, height, level, lane);
      if (this.selection?.lane === lane) this.drawSelection(pen, x, top, height);
      top += height + kLaneGap;
    });
    this.drawAxis(pen, x, top);
  }

  /** Draws the spans of `level`. They have a text only in their own lane. */
  drawSpans(pen, x, top, height, level, lane) {
    const spans = this.step.lanes[level];
    let i = firstEndingAfter(this.view.from, spans.length, (at) => spans[at].to);
    for (; i < spans.length && spans[i].from < this.view.to; ++i) {
      const left = Math.max(x(spans[i].from), 0);
      const right = Math.min(x(spans[i].to), this.width);
      pen.fillStyle = this.inks.bands[i % 2];
      pen.fillRect(left, top, Math.max(right - left, 0.5), height);
      if (level === lane) this.write(pen, this.label(spans[i], lane), left, right, top + height / 2, this.inks.text);
    }
  }

  /** Draws a bar for each span of `level`, as long as the time until the next: the shares that each class has of it. */
  drawShares(pen, x, top, height, level) {
    const ratio = devicePixelRatio || 1;
    const edge = (time) => Math.round(Math.min(Math.max(x(time), 0), this.width) * ratio) / ratio; // Seams would alias.
    const spans = this.step.lanes[level];
    let i = firstEndingAfter(this.view.from, spans.length, (at) => spans[at].to);
    for (; i < spans.length && spans[i].from < this.view.to; ++i) {
      const { first, last, from } = spans[i];
      const end = spans[i + 1]?.from ?? this.step.duration;
      let below = 0;
      this.sharesOf(first, last + 1, end - from).forEach((share, index) => {
        const above = Math.min(below + share, 1); // Two streams may be busy at once.
        pen.fillStyle = this.colors[index];
        pen.fillRect(edge(from), top + height * (1 - above), edge(end) - edge(from), height * (above - below));
        below = above;
      });
    }
  }

  label({ first }, lane) {
    if (lane === 0) return this.step.phase(first);
    const module = this.step.module(first);
    return lane === 1 ? this.step.block(first) : module.slice(module.lastIndexOf("/") + 1);
  }

  write(pen, text, left, right, y, ink) {
    const letters = Math.floor((right - left - 8) / kLetterPx);
    if (text.startsWith("block ") && letters < text.length) text = text.slice("block ".length);
    if (!text || letters < Math.min(text.length, 4)) return;
    pen.fillStyle = ink;
    pen.fillText(text.length <= letters ? text : `${text.slice(0, letters - 1)}…`, left + 4, y);
  }

  drawKernels(pen, x, top, height) {
    const { step, view } = this;
    for (let i = this.kernelAt(view.from); i < step.count && step.starts[i] < view.to; ++i) {
      const left = Math.max(x(step.starts[i]), 0);
      const right = Math.min(x(step.ends[i]), this.width);
      pen.fillStyle = this.colors[step.classIndex(i)];
      pen.fillRect(left, top, right - left - (right - left > 4 ? 0.5 : 0), height);
      this.write(pen, step.kernel(i), left, right, top + height / 2, this.inks.paper);
    }
  }

  drawSelection(pen, x, top, height) {
    const left = Math.max(x(this.selection.from), 0);
    const right = Math.min(x(this.selection.to), this.width);
    pen.strokeStyle = this.inks.text;
    pen.lineWidth = 2;
    pen.strokeRect(left + 1, top + 1, Math.max(right - left - 2, 1), height - 2);
  }

  drawAxis(pen, x, top) {
    const spacing = tickSpacing(this.view.to - this.view.from, Math.max(this.width / 90, 2));
    const [unit, unitNs] = spacing >= 1e5 ? ["ms", 1e6] : ["µs", 1e3];
    const digits = Math.max(0, -Math.floor(Math.log10(spacing / unitNs)));
    pen.strokeStyle = this.inks.rule;
    pen.lineWidth = 1;
    pen.fillStyle = this.inks.muted;
    for (let at = Math.ceil(this.view.from / spacing) * spacing; at <= this.view.to; at += spacing) {
      const place = Math.round(x(at)) + 0.5;
      pen.beginPath();
      pen.moveTo(place, top);
      pen.lineTo(place, top + 4);
      pen.stroke();
      const words = `${(at / unitNs).toFixed(digits)} ${unit}`;
      const mostLeft = this.width - pen.measureText(words).width;
      pen.fillText(words, Math.min(Math.max(place - 4, 0), mostLeft), top + 12);
    }
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("keydown", (event) => this.onKey(event));
    canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.onPress(event));
    canvas.addEventListener("pointermove", (event) => this.onMove(event));
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => this.onRelease(event));
    }
    canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && !this.pointers.size) this.select(undefined);
    });
    new ResizeObserver(() => this.refresh()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refresh());
  }

  refresh() {
    this.readInks();
    this.width = this.canvas.clientWidth;
    if (!this.selection) this.detail.textContent = this.describeView(); // It depends on the width.
    this.redraw();
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = (this.view.from + this.view.to) / 2;
    const actions = {
      "+": () => this.zoom(1 / kZoomFactor, middle),
      "=": () => this.zoom(1 / kZoomFactor, middle),
      "-": () => this.zoom(kZoomFactor, middle),
      "ArrowLeft": () => (event.shiftKey ? this.selectNeighbor(-1) : this.pan(-kPanRatio)),
      "ArrowRight": () => (event.shiftKey ? this.selectNeighbor(1) : this.pan(kPanRatio)),
      "Home": () => this.show(0, this.step.duration),
      "Escape": () => this.canvas.blur(),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
    this.deselectUnseen();
  }

  /** The page scrolls unless the reader has clicked on the lanes or presses Ctrl, as a pinch does. */
  onWheel(event) {
    const { from, to } = this.view;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan(event.deltaX / this.width);
      return;
    }
    const whole = to - from >= this.step.duration && event.deltaY > 0;
    if (whole || !(event.ctrlKey || document.activeElement === this.canvas)) return;
    event.preventDefault();
    const factor = Math.exp(Math.min(Math.max(event.deltaY, -60), 60) * (event.ctrlKey ? 0.01 : 0.005));
    this.zoom(factor, from + (event.offsetX / this.width) * (to - from));
  }

  onPress(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, event.offsetX);
    this.movedPx = 0;
  }

  onMove(event) {
    if (!this.pointers.has(event.pointerId)) {
      this.select(this.spanAt(event.offsetX, event.offsetY));
      return;
    }
    const before = [...this.pointers.values()];
    this.movedPx += Math.abs(event.offsetX - this.pointers.get(event.pointerId));
    this.pointers.set(event.pointerId, event.offsetX);
    const now = [...this.pointers.values()];
    const { from, to } = this.view;
    const scale = (to - from) / this.width;
    if (now.length === 1) {
      this.pan((before[0] - now[0]) / this.width);
    } else if (Math.abs(now[0] - now[1]) > 8) {
      const factor = (before[0] - before[1]) / (now[0] - now[1]);
      this.zoom(Math.abs(factor), from + scale * (now[0] + now[1]) / 2);
    }
  }

  onRelease(event) {
    if (!this.pointers.delete(event.pointerId) || this.movedPx > 4) return;
    const span = this.spanAt(event.offsetX, event.offsetY);
    if (span && span.lane < kKernelLane) this.show(span.from, span.to);
    this.select(span);
  }
}

/** Adds the timeline after a figure's picture, which is kept for print. */
function placeTimeline(figure, data) {
  if (figure.querySelector(".timeline")) return;
  const pictures = [...figure.querySelectorAll(".frame")];
  const timeline = new Timeline(data, pictures[0].getAttribute("aria-label"));
  pictures.at(-1).after(timeline.stage);
  timeline.refresh();
}
