// Replaces pictures of charts by interactive ones when a reader reaches them.
"use strict";

/** Writes a mark's fields as a sentence: "small, forward: mean 19.33 ms." A field's title contains its unit. */
function sentenceOf(fields) {
  const names = [], amounts = [];
  for (const [title, value] of Object.entries(fields)) {
    const [, what, unit] = title.match(/^(?:(.*) \()?(ms|µs|%|×|[A-Z]+\/s|TFLOP\/s|FLOP\/B|MiB|GiB|MB)\)?$/) ?? [];
    const prefix = what ? `${what[0].toLowerCase()}${what.slice(1)} ` : "";
    if (unit) amounts.push(`${prefix}${value}${unit === "×" ? "" : "\u00a0"}${unit}`);
    else names.push(Number.isFinite(Number(String(value).replaceAll(",", ""))) ? `${title.toLowerCase()} ${value}` : value);
  }
  return names.join(", ") + (amounts.length ? `: ${amounts.join(", ")}` : "") + ".";
}

// charts.css styles the tooltips; no style or code is made at run time, so that the page's content
// security policy holds.
const kEmbedOptions = {
  mode: "vega-lite",
  renderer: "svg",
  ast: true,
  actions: false,
  defaultStyle: false,
  // A tooltip above the mark covers neither the mark nor the next one of the row.
  tooltip: {
    disableDefaultStyle: true, anchor: "mark", position: ["top", "bottom"],
    formatTooltip: (fields, sanitize) => sanitize(sentenceOf(fields)),
  },
  logLevel: 1, // Only errors are logged, because a layer without rows is normal.
};

// The addresses of the chart bundle and of the page's specs; a page that is one file contains both.
const kAddresses = document.currentScript.dataset;

/** Functions by the names of figures; each replaces its figure's picture by something that is no chart. */
const kLiveFigures = { "step-timeline": placeTimeline, "what-fits": placeWhatFits };

const onceIdle = window.requestIdleCallback ?? ((resume) => setTimeout(resume, 1));

function loadScript(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => reject(new Error(`cannot load ${address}`)));
    document.head.append(script);
  });
}

const kLoaded = new Map();
function loadOnce(address, loadedGlobal) {
  if (!loadedGlobal && !kLoaded.has(address)) kLoaded.set(address, loadScript(address));
  return kLoaded.get(address);
}

/** The distance in px up to which a pointer selects a point. */
const kNearPx = 24;

function nearestPoint(stage, { clientX, clientY }) {
  let nearest = null, leastDistance = kNearPx;
  for (const point of stage.querySelectorAll(".role-mark.mark-symbol path")) {
    const { left, right, top, bottom } = point.getBoundingClientRect();
    const distance = Math.hypot((left + right) / 2 - clientX, (top + bottom) / 2 - clientY);
    if (distance < leastDistance) [nearest, leastDistance] = [point, distance];
  }
  return nearest;
}

/** Passes a pointer that hits no mark to the nearest point, and notifies that point when the pointer leaves. */
function pointAtNearest(stage) {
  let selectedPoint = null;
  const pointAt = (point, event) => {
    const { clientX, clientY } = event;
    const position = { bubbles: true, clientX, clientY };
    if (point !== selectedPoint) selectedPoint?.dispatchEvent(new MouseEvent("mouseout", position));
    selectedPoint = point;
    point?.dispatchEvent(new PointerEvent("pointermove", position));
  };
  stage.addEventListener("pointermove", (event) => {
    if (!event.isTrusted) return;
    const mark = event.target.closest(".role-mark path");
    const point = mark ? null : nearestPoint(stage, event);
    if (point || selectedPoint) pointAt(point, event);
    if (point) event.stopPropagation();
  }, true);
  stage.addEventListener("pointerleave", (event) => pointAt(null, event));
}

/** Replaces a picture by its interactive twin, of the same size, once that is complete. */
async function bringToLife(frame) {
  const figure = frame.parentElement;
  await loadOnce(kAddresses.specs, window.labreportSpecs);
  const spec = window.labreportSpecs[figure.dataset.spec];
  if ("live" in figure.dataset) return kLiveFigures[figure.dataset.spec](figure, spec);
  await loadOnce(kAddresses.charts, window.labreportCharts);
  const stage = document.createElement("div");
  await window.labreportCharts.vegaEmbed(stage, spec, kEmbedOptions);
  pointAtNearest(stage);
  frame.replaceChildren(stage);
  // A chart's settings move out of the picture, because screen readers skip its content.
  const settings = stage.querySelector("form.vega-bindings");
  if (settings) frame.after(settings);
  frame.dataset.live = "yes";
}

/** Makes charts that come into view interactive, one after another and while the page is idle. */
function watchCharts() {
  let queue = Promise.resolve();
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watcher.unobserve(target);
        queue = queue
          .then(() => new Promise((resume) => onceIdle(resume, { timeout: 500 })))
          .then(() => bringToLife(target))
          .catch((problem) => console.error(target.parentElement.id, problem));
      }
    },
    { rootMargin: "400px" },
  );
  const frames = ".frame.wide, [data-live] > .frame";
  for (const frame of document.querySelectorAll(frames)) watcher.observe(frame);
}

/** Waits for the reader's first action. On a phone the narrow pictures stay, but figures that are no
 * charts become interactive. */
function wakeCharts() {
  if (!window.labreportCharts && !kAddresses.charts) return;
  const actions = ["scroll", "wheel", "pointermove", "pointerdown", "keydown"];
  const wake = () => {
    for (const action of actions) removeEventListener(action, wake);
    watchCharts();
  };
  for (const action of actions) addEventListener(action, wake, { passive: true });
}
