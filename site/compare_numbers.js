// The two sides of a comparison, GPUs or runs, and their numbers as the summaries of a site's runs have them.
"use strict";

// Matches characters that are invisible or reorder others in a run's texts.
const kHidden = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;
const { topics, networks, gpus, comparisons, advantages, runs } = JSON.parse(JSON.stringify(window.labreportSummaries, (key, value) =>
  typeof value === "string" ? value.replace(kHidden, "\ufffd") : value));
const kTrainingStep = "Training step";
const kWholeStep = "step"; // The name of a training step's time, beside those of its phases.
const kFastestStep = "Fastest step";
const kLadderParts = "Parts of a ladder’s steps";
const kSeveralGpus = "Several GPUs";
const kAddedTimes = "Added by communication";
const kNoCommunication = "no communication";
const kStepKernels = "Kernels of a step";
const kMemory = "Memory";
const kGpuLimits = "GPU limits";
const kPublished = "Published tables";
const kSmallerIsBetter = ["ms", "GiB", "MiB"]; // In other units the larger number is better.
const kSameWithin = 0.01; // Sides that differ less count as equally good.

/** Makes a side with its runs and with `names`, of which nameApart takes the first that differs. */
function sideOfGpu({ folder, name, short_name: short, color, quantities }) {
  const ofGpu = runs.filter((run) => !run.demonstration && run.folder.startsWith(`${folder}/`));
  return { color, group: "GPUs", folder, label: `${short}, all its runs`, names: [short, ...Array(7).fill("newest")],
    page: `${folder}/index.html`, about: ofGpu.length === 1 ? "1 report" : `${ofGpu.length} reports`, runs: ofGpu, quantities,
    keyEnd: slug(name) };
}

function sideOfRun(run) {
  const gpu = gpus.find(({ folder }) => run.folder.startsWith(`${folder}/`));
  const device = gpu ? run.device.replace(gpu.name, gpu.short_name) : run.device;
  const [day, minute, second] = [10, 16, 19].map((end) => run.started_at.slice(0, end).replace("T", " "));
  return { color: gpu?.color, group: run.title, folder: run.folder, label: `${device}, ${run.edition} edition, ${minute}`,
    names: [device, `the ${run.edition} edition`, `the ${run.preset} preset`, `revision ${run.revision}`, day, minute, second, run.folder], page: `${run.folder}/index.html`, runs: [run],
    about: `${run.title}, ${run.edition} edition${run.demonstration ? ", a demonstration" : ""}`,
    quantities: run.quantities.filter(({ topic }) => topics.includes(topic)).map((quantity) => ({ ...quantity, values: quantity.values.map(([name, value]) =>
      [name, value, `${run.folder}/index.html${quantity.part && `#${quantity.part}`}`]) })),
    keyEnd: `run-${slug(run.folder)}` };
}

/** Makes a side of each published table; only ready comparisons show its numbers. */
function sidesOfTables() {
  const names = new Map(comparisons.map(({ title, runs: [folder] }) => [folder, title.split(" vs. ").at(-1)]));
  return [...names].filter(([folder]) => !runs.some((run) => run.folder === folder)).map(([folder, name]) =>
    ({ group: kPublished, folder, label: name, names: [...Array(7).fill(name), folder], runs: [], quantities: [] }));
}

/** Returns the same words in lower case, joined by hyphens, as C++ makes keys of them. */
function slug(text) {
  return text.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "").toLowerCase();
}

/** Gives each side its name, its place ("on the H200") and itself as a subject ("the H200 is"). */
function nameApart(sides) {
  const at = sides[0].names.findIndex((name, i) => name !== sides[1].names[i]);
  for (const side of sides) {
    const name = side.names[at];
    const [place, subject] = name === "newest" ? ["in the newest runs", "the newest run is"]
      : at > 0 ? [`in the run of ${name}`, `the run of ${name} is`]
        : /^\d/.test(name) ? [`on ${name}`, `${name} are`] : [`on the ${name}`, `the ${name} is`];
    Object.assign(side, { name, place, subject });
  }
}

/** True if a run is one of both sides: then they have numbers of the same measurement. */
function sharesRun(side, other) {
  return side.runs.some((run) => other?.runs.includes(run));
}

/** Returns what the run on `page` recorded under another topic, in the setting of `quantity` with `detail` at its end. */
function otherQuantity({ runs: runsOfSide }, quantity, page, topic, detail = "") {
  const run = runsOfSide.find(({ folder }) => page?.startsWith(`${folder}/`));
  return run?.quantities.find((other) => other.topic === topic && other.setting === quantity.setting + detail &&
    (quantity.parameters > 0 ? other.parameters === quantity.parameters : other.network === quantity.network) &&
    quantity.precision.split(" to ").includes(other.precision));
}

function numberKey(side, { topic, network, parameters, precision, setting, unit }, name) {
  const words = [topic, parameters ? parameters.toFixed(0) : network, precision, setting, unit, name];
  return words.map(slug).concat(side.keyEnd).filter(Boolean).join("/");
}

/** Returns a side's quantities, keyed by everything that must agree in a comparison. */
function quantitiesOf(side) {
  const all = new Map();
  for (const quantity of side.quantities) {
    const { topic, network, parameters, precision, setting, unit } = quantity;
    const identity = parameters ? parameters.toFixed(0) : network;
    const key = JSON.stringify([topic, identity, precision, setting, unit]);
    if (!all.has(key)) all.set(key, { ...quantity, network: networks[identity] ?? network, values: new Map() });
    const { values } = all.get(key);
    for (const [name, value, page] of quantity.values) {
      // A ladder that begins in FP32 ends in TF32: the parts of each step say in which of them it computes.
      const step = topic === kFastestStep ? otherQuantity(side, quantity, page, kLadderParts, `, ${name}`) : undefined;
      if (!values.has(name))
        values.set(name, { value, page, key: numberKey(side, quantity, name), computedIn: step?.precision ?? precision });
    }
  }
  return all;
}

/** Pairs both sides' values of every quantity, sorted by topic and then from the largest network on. */
function pairsOf(sides) {
  const all = sides.map(quantitiesOf);
  const pairs = [...new Set(all.flatMap((quantities) => [...quantities.keys()]))].map((key) => {
    const both = all.map((quantities) => quantities.get(key));
    const known = both.filter(Boolean);
    return { ...known[0], both,
      network: [...new Set(known.map(({ network }) => network))].sort().join(", ") };
  });
  const order = ({ topic }) => topics.indexOf(topic);
  return pairs.sort((a, b) => order(a) - order(b) || b.parameters - a.parameters);
}

/** Returns one row for each named value; it may be missing on one side. */
function rowsOf(pairs) {
  return pairs.flatMap((pair) => {
    const names = new Set(pair.both.flatMap((quantity) => [...(quantity?.values.keys() ?? [])]));
    return [...names].map((name) => {
      const values = pair.both.map((side) => side?.values.get(name));
      return { ...pair, name, values, computedIn: values.find(Boolean).computedIn,
        isSetByCpu: pair.both.some((side) => side?.set_by_cpu.includes(name)) };
    });
  });
}

/** True if both values are of the same run. */
function isOneMeasurement({ values: [a, b] }) {
  return Boolean(a?.page) && a.page === b?.page && a.value === b.value;
}

function significant(value, digits) {
  return value.toLocaleString("en", { minimumSignificantDigits: digits, maximumSignificantDigits: digits });
}

/** Returns a number as tables show it, without its unit. */
function numberText(value, unit) {
  return unit === "%" ? value.toFixed(1) : significant(value, 4);
}

/** Writes a ratio with two decimals, or from 10 on with three digits. */
function ratioText(ratio) {
  return ratio < 10 ? ratio.toFixed(2) : significant(ratio, 3);
}

/** Divides two numbers, each with its key. */
function ratioOf(a, b) {
  const number = a.value / b.value;
  return { text: ratioText(number), number, key: `${a.key}:${b.key}` };
}

/** Returns how many times as good the leading side's number is: above 1 it is faster, or needs less memory. */
function advantageOf({ unit, values }, leading) {
  const [a, b] = [values[leading], values[1 - leading]];
  return kSmallerIsBetter.includes(unit) ? ratioOf(b, a) : ratioOf(a, b);
}

/** True if a ratio, as pages write it, is 1 to within a per cent. */
function isSame(ratio) {
  return Math.abs(Number(ratio.toFixed(2)) - 1) < kSameWithin + Number.EPSILON;
}

/** True for the time of a whole training step. */
function isWholeStep({ topic, unit, name }) {
  return topic === kTrainingStep && unit === "ms" && name === kWholeStep;
}

/** True if the sides are GPUs of two models, or runs on them. */
function areTwoGpus(sides) {
  return sides[0].folder.split("/")[0] !== sides[1].folder.split("/")[0];
}
