// Replaces pictures of charts by interactive ones when a reader reaches them.
"use strict";

// charts.css styles the tooltips; no style or code is made at run time, so that the page's content
// security policy holds.
/** Writes a mark's fields as a sentence: "small, forward: mean 19.33 ms." A field's title contains its unit. */
function sentenceOf(fields) {
  const names = [], amounts = [];
  for (const [title, value] of Object.entries(fields)) {
    const [, what, unit] = title.match(/^(?:(.*) \()?(ms|µs|%|×|[A-Z]+\/s|TFLOP\/s|FLOP\/B|MiB|GiB|MB)\)?$/) ?? [];
    const begun = what ? `${what[0].toLowerCase()}${what.slice(1)} ` : "";
    if (unit) amounts.push(`${begun}${value}${unit === "×" ? "" : "\u00a0"}${unit}`);
    else names.push(Number.isFinite(Number(String(value).replaceAll(",", ""))) ? `${title.toLowerCase()} ${value}` : value);
  }
  return names.join(", ") + (amounts.length ? `: ${amounts.join(", ")}` : "") + ".";
}

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
  logLevel: 1, // only errors: a layer without rows is normal
};

// Addresses of the chart bundle and the page's specs; a page that is one file contains both.
const kCharts = document.currentScript.dataset;

/** Functions that replace a picture by something other than a chart, by the figure's name. */
const kLiveFigures = { "step-timeline": placeTimeline, "what-fits": placeWhatFits };

const onceIdle = window.requestIdleCallback ?? ((call) => setTimeout(call, 1));

function loadScript(address) {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = address;
    script.addEventListener("load", done);
    script.addEventListener("error", () => failed(new Error(`cannot load ${address}`)));
    document.head.append(script);
  });
}

const kLoaded = new Map();
function loadOnce(address, there) {
  if (!there && !kLoaded.has(address)) kLoaded.set(address, loadScript(address));
  return kLoaded.get(address);
}

/** The distance in px up to which a pointer selects a point. */
const kNear = 24;

function nearestPoint(stage, { clientX, clientY }) {
  let nearest = null, least = kNear;
  for (const point of stage.querySelectorAll(".role-mark.mark-symbol path")) {
    const { left, right, top, bottom } = point.getBoundingClientRect();
    const away = Math.hypot((left + right) / 2 - clientX, (top + bottom) / 2 - clientY);
    if (away < least) [nearest, least] = [point, away];
  }
  return nearest;
}

/** Passes a pointer that hits no mark to the nearest point, and notifies that point when the pointer leaves. */
function pointAtNearest(stage) {
  let pointed = null;
  const pointAt = (point, event) => {
    const { clientX, clientY } = event;
    const told = { bubbles: true, clientX, clientY };
    if (point !== pointed) pointed?.dispatchEvent(new MouseEvent("mouseout", told));
    pointed = point;
    point?.dispatchEvent(new PointerEvent("pointermove", told));
  };
  stage.addEventListener("pointermove", (event) => {
    if (!event.isTrusted) return;
    const met = event.target.closest(".role-mark path");
    const point = met ? null : nearestPoint(stage, event);
    if (point || pointed) pointAt(point, event);
    if (point) event.stopPropagation();
  }, true);
  stage.addEventListener("pointerleave", (event) => pointAt(null, event));
}

/** Replaces a picture by its interactive twin, of the same size, once that is complete. */
async function bringToLife(frame) {
  const figure = frame.parentElement;
  await loadOnce(kCharts.specs, window.labreportSpecs);
  const spec = window.labreportSpecs[figure.dataset.spec];
  if ("live" in figure.dataset) return kLiveFigures[figure.dataset.spec](figure, spec);
  await loadOnce(kCharts.charts, window.labreportCharts);
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
  let last = Promise.resolve();
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watcher.unobserve(target);
        last = last
          .then(() => new Promise((call) => onceIdle(call, { timeout: 500 })))
          .then(() => bringToLife(target))
          .catch((problem) => console.error(target.parentElement.id, problem));
      }
    },
    { rootMargin: "400px" },
  );
  const frames = ".frame.wide, [data-live] > .frame";
  for (const frame of document.querySelectorAll(frames)) watcher.observe(frame);
}

/** Waits for the reader's first action. On a phone the narrow pictures stay, except for figures that are
 * no charts. */
function wakeCharts() {
  if (!window.labreportCharts && !kCharts.charts) return;
  const signs = ["scroll", "wheel", "pointermove", "pointerdown", "keydown"];
  const wake = () => {
    for (const sign of signs) removeEventListener(sign, wake);
    watchCharts();
  };
  for (const sign of signs) addEventListener(sign, wake, { passive: true });
}
