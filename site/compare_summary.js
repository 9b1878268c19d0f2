// The summary of a comparison: a sentence for each finding, and the figure of its ratios.
"use strict";

const kLeastToldPart = 0.02; // Parts that make less of a difference are not told.
const kMostDrawnRows = 14;
const kRowPx = 24;
const kAroundRowsPx = 54; // A figure's axis and padding have this height.
const kPhone = matchMedia("(max-width: 37.5rem)");

/** Returns the text of a number with its key. */
function keyed(text, value, key) {
  const data = Object.assign(element("data", "", text), { value });
  data.dataset.key = key;
  return data;
}

/** Writes a number of a table with its unit and its key. */
function keyedNumber({ value, key }, unit) {
  return keyed(`${numberText(value, unit)} ${unit}`, value, key);
}

/**
 * Writes " Of the 68.9 ms between them, the optimizer makes 42.8, other kernels 22.7, …", from the profile of the same step;
 * nothing if a side has none, or if the sides are equally fast.
 */
function differenceWords({ parameters, precision, setting, values }, rows) {
  const parts = rows.filter((row) => row.topic === kStepKernels && row.unit === "ms" && row.parameters === parameters &&
    row.precision === precision && row.setting === setting);
  const slow = values[0].value > values[1].value ? 0 : 1;
  const gap = values[slow].value - values[1 - slow].value;
  if (parts.length === 0 || gap < kSameWithin * values[slow].value) return [];
  const kindOf = ({ name }) => (name.endsWith(": GEMMs") ? "GEMMs" : ["optimizer", "GPU idle"].includes(name) ? name : "other kernels");
  const differences = [...Map.groupBy(parts, kindOf)].map(([kind, those]) => {
    const ms = those.reduce((sum, row) => sum + row.values[slow].value - row.values[1 - slow].value, 0);
    return { kind, ms, key: those.map((row) => `${row.values[slow].key}-${row.values[1 - slow].key}`).join("+") };
  }).filter(({ ms }) => Math.abs(ms) >= kLeastToldPart * gap).sort((a, b) => b.ms - a.ms);
  return [" Of the ", keyed(`${gap.toFixed(1)} ms`, gap, `${values[slow].key}-${values[1 - slow].key}`), " between them, ",
    ...differences.flatMap(({ kind, ms, key }, i) => [i === 0 ? "" : i === differences.length - 1 ? " and " : ", ",
      kind === "optimizer" ? "the optimizer" : kind, i === 0 ? (kind.endsWith("s") ? " make " : " makes ") : " ",
      keyed(ms.toFixed(1).replace("-", "−"), ms, key)]), "."];
}

/** Writes "the H200 is 1.23× as fast" in bold, by times or by rates, or that both are as fast. */
function fasterWords(values, unit, sides) {
  const leading = (values[0].value <= values[1].value) === kSmallerIsBetter.includes(unit) ? 0 : 1;
  const { text, number, key } = advantageOf({ unit, values }, leading);
  return text === "1.00" ? "the same within half a percent"
    : element("strong", "", `${sides[leading].subject} `, keyed(`${text}×`, number, key), " as fast");
}

/** Writes "302.7 ms on the H200, 371.6 ms on the H100", each with its note in brackets. */
function bothWords(values, unit, sides, notes = []) {
  return values.flatMap((value, i) => [i > 0 ? ", " : "", keyedNumber(value, unit), ` ${sides[i].place}`,
    notes[i] ? ` (${notes[i]})` : ""]);
}

/** Writes "xl (3.4 B), BF16: 302.7 ms on the H200, 371.6 ms on the H100: the H200 is 1.23× as fast", and sentences after it. */
function headline({ words, values, notes, after = [] }, sides) {
  return element("li", "", `${words.filter(Boolean).join(", ")}: `, ...bothWords(values, "ms", sides, notes), ": ",
    fasterWords(values, "ms", sides), ".", ...after);
}

/** Returns both sides' fastest of these rows. */
function fastestOf(rows) {
  return [0, 1].map((i) => rows.reduce((fastest, row) => (row.values[i].value < fastest.values[i].value ? row : fastest)));
}

/** Writes " Tuning lowers its advantage from 1.22× (einsum)", that of the side which is faster once tuned. */
function tuningWords(first, values, sides) {
  const faster = values[0].value <= values[1].value ? 0 : 1;
  const [before, after] = [first.values, values].map((both) => ratioOf(both[1 - faster], both[faster]));
  if (isSame(after.number) || before.number < 1) return [` Before tuning (${first.name}): `, fasterWords(first.values, "ms", sides), "."];
  const verb = isSame(before.number / after.number) ? "keeps" : before.number > after.number ? "lowers" : "raises";
  const whose = sides[faster].subject.endsWith("are") ? "their" : "its";
  return [` Tuning ${verb} ${whose} advantage${verb === "keeps" ? ", " : " from "}`, keyed(`${before.text}×`, before.number, before.key),
    ` (${first.name}).`];
}

/** Returns the tuned steps of the largest network: that in 16 bits, or if no plain step is common, those in every precision. */
function tunedSteps(rows, sides) {
  const rungs = rows.filter(({ topic }) => topic === kFastestStep);
  const ladders = [...Map.groupBy(rungs.filter(({ parameters }) => parameters === rungs[0].parameters),
    ({ precision, setting }) => `${precision} ${setting}`).values()];
  const ladder = ladders.find(([{ precision }]) => !precision.startsWith("FP32")) ?? ladders[0];
  return (rows.some(isWholeStep) ? [ladder].filter(Boolean) : ladders).map((those) => {
    const [{ network, precision }] = those;
    const values = fastestOf(those).map((row, i) => row.values[i]);
    return { words: [network, precision, "tuned"], values, after: those.length > 1 ? tuningWords(those[0], values, sides) : [] };
  });
}

/** Returns the largest network's training step in each precision, then its tuned step, each with its words and values. */
function headlineSteps(rows, sides) {
  const largest = [...Map.groupBy(rows.filter(isWholeStep), ({ precision }) => precision).values()].map(([step]) =>
    ({ words: [step.network, step.precision], values: step.values, after: differenceWords(step, rows) }));
  return [...largest, ...tunedSteps(rows, sides)];
}

/** Writes " Communication adds 11.2 ms on 2 × H200, 12.0 ms on 2 × H100", as the runs of both steps recorded it. */
function communicationWords(fastest, sides) {
  const added = fastest.map((row, i) => {
    const quantity = otherQuantity(sides[i], row, row.values[i].page, kAddedTimes);
    const value = quantity?.values.find(([name]) => name === row.name)?.[1];
    return value === undefined ? undefined : { value, key: numberKey(sides[i], quantity, row.name) };
  });
  return added.every(Boolean) ? [" Communication adds ", ...bothWords(added, "ms", sides), "."] : [];
}

/** Returns the fastest data-parallel step of the largest network in each precision, with what communication adds to it. */
function dataParallelSteps(rows, sides) {
  const schemes = rows.filter(({ topic, unit, name }) => topic === kSeveralGpus && unit === "ms" && name !== kNoCommunication);
  const ofLargest = schemes.filter(({ parameters }) => parameters === schemes[0].parameters);
  return [...Map.groupBy(ofLargest, ({ precision }) => precision).values()].map((those) => {
    const fastest = fastestOf(those);
    const [{ network, precision, setting }] = those;
    return { words: [network, precision, setting.split(", ").at(-1), "fastest scheme"], notes: fastest.map(({ name }) => name),
      values: fastest.map((row, i) => row.values[i]), after: communicationWords(fastest, sides) };
  });
}

/** Writes how the copy bandwidths of two GPUs compare. */
function bandwidthLines(rows, sides) {
  return rows.filter(({ topic, unit }) => topic === kGpuLimits && unit === "GB/s").map(({ setting, unit, values }) =>
    element("li", "", `${setting[0].toUpperCase()}${setting.slice(1)}: `, ...bothWords(values, unit, sides), ": ",
      fasterWords(values, unit, sides), "."));
}

/** Writes the memory of two GPUs, and which step of the largest network exceeds that of one of them. */
function memoryLines(all, sides) {
  const sizes = sides.map(({ runs: runsOfSide, keyEnd }) => ({ key: `memory/${keyEnd}`,
    value: runsOfSide.map(({ memory }) => memory.device_bytes).find((bytes) => bytes > 0) / kGibibyte }));
  if (!sizes.every(({ value }) => value > 0)) return [];
  const large = sizes[0].value > sizes[1].value ? 0 : 1;
  const peaks = all.filter(({ topic, values }) => topic === kMemory && !values[1 - large] && values[large].value > sizes[1 - large].value);
  const lowest = peaks.filter(({ parameters }) => parameters === peaks[0].parameters)
    .reduce((least, row) => (least?.values[large].value <= row.values[large].value ? least : row), undefined);
  const only = element("strong", "", `only ${sides[large].subject.replace(/ (is|are)$/, "")} has`);
  const fits = lowest ? [` The ${lowest.setting.split(", ").at(-1)} of ${lowest.network} in ${lowest.precision} at ${lowest.name} needs `,
    keyedNumber(lowest.values[large], lowest.unit), ", which ", only, "."] : [];
  return [element("li", "", "Memory: ", ...bothWords(sizes, "GiB", sides), ".", ...fits)];
}

/** Returns how many times as fast the one side is that is faster in all of these: its place, the least and the most. */
function advantageRange(all) {
  const ratios = all.map(({ values: [a, b] }) => b.value / a.value);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  if (least < 1 - kSameWithin && most > 1 + kSameWithin) return undefined;
  return most > 1 + kSameWithin ? { winner: 0, least, most } : { winner: 1, least: 1 / most, most: 1 / least };
}

/** Writes "1.06 to 1.23×". */
function timesRange({ least, most }) {
  return `${ratioText(least) === ratioText(most) ? "" : `${ratioText(least)} to `}${ratioText(most)}×`;
}

/** Makes the form that says which of two GPUs to rent; none if both sides are of one GPU. */
function priceForms(steps, sides) {
  if (steps.length === 0 || !areTwoGpus(sides)) return [];
  const form = element("form", "prices");
  const range = advantageRange(steps);
  const hint = range ? `Per step both cost the same if an hour of ${sides[range.winner].name} costs ${timesRange(range)} ` +
    `an hour of ${sides[1 - range.winner].name}. ` : "";
  fillPriceForm(form, steps.map(({ words, values: [a, b] }) => ({ name: words.filter(Boolean).join(", "), a: a.value, b: b.value })),
    sides.map(({ name }) => name), hint);
  return [form];
}

/**
 * Returns the rows that the figure draws: whole training steps, or else the first topic with few times, or else those of a
 * topic's largest network or of its last name.
 */
function drawnRows(rows) {
  const times = rows.filter(({ unit }) => unit === "ms");
  const byTopic = [...Map.groupBy(times, ({ topic }) => topic).values()];
  const ofLargest = byTopic.map((those) => those.filter(({ parameters }) => parameters === those[0].parameters));
  const ofLastName = byTopic.map((those) => those.filter(({ name }) => name === those.at(-1).name));
  return [times.filter(isWholeStep), ...byTopic, ...ofLargest, ...ofLastName]
    .find(({ length }) => length > 1 && length <= kMostDrawnRows);
}

/** Says how much faster one side is in all rows: "the H200 is 1.06 to 1.23× as fast". */
function rangeWords(rows, sides) {
  const range = advantageRange(rows);
  if (!range) return "neither is faster in all of them";
  if (range.most <= 1 + kSameWithin) return "equally fast, to within a per cent";
  const times = range.least <= 1 + kSameWithin ? `up to ${ratioText(range.most)}×` : timesRange(range);
  return `${sides[range.winner].subject} ${times} as fast`;
}

/** Writes a line for each headline step, or else for the fastest that the figure draws of the largest network, and for two GPUs. */
function summaryLines(steps, rows, all, sides) {
  const findings = [...steps, ...dataParallelSteps(rows, sides)];
  if (findings.length === 0 && drawnRows(rows)) {
    const drawn = drawnRows(rows);
    const [{ topic, network, computedIn, setting, name, values }] = fastestOf(drawn.filter(({ parameters }) => parameters === drawn[0].parameters));
    findings.push({ words: [topic, network, computedIn, setting, name], values });
  }
  const limits = areTwoGpus(sides) || findings.length === 0 ? [...memoryLines(all, sides), ...bandwidthLines(rows, sides)] : [];
  return [...findings.map((finding) => headline(finding, sides)), ...limits];
}

/** Returns the words of a row that the others lack: "BF16, SDPA". */
function rowLabels(rows) {
  const wordsOf = ({ network, computedIn, setting, name }) => [...new Set([network, computedIn, ...setting.split(", "), name])].filter(Boolean);
  const isShared = (word) => rows.every((row) => wordsOf(row).includes(word));
  return rows.map((row) => wordsOf(row).filter((word) => !isShared(word)).join(", ") || row.name);
}

/** Fills the spec of the figure: a bar for each row, from 1 to the advantage of the side that the tables lead with. */
function advantageSpec(drawn, sides) {
  const leading = sides.findIndex(({ leads }) => leads);
  const spec = structuredClone(advantages[kPhone.matches ? 1 : 0]);
  const [{ encoding }] = spec.layer;
  encoding.x.title = `Advantage of ${sides[leading].name} (×)`;
  sides.forEach(({ name }, i) => (encoding.tooltip[i + 1].title = `${name} (ms)`));
  encoding.color.scale.domain = sides.map(({ name }) => name);
  const colors = sides.map(({ color }) => color).filter(Boolean);
  if (new Set(colors).size === sides.length) encoding.color.scale.range = colors;
  spec.height = kRowPx * drawn.length + kAroundRowsPx;
  const labels = rowLabels(drawn);
  spec.data.values = drawn.map((row, i) => {
    const { number, text } = advantageOf(row, leading);
    const [first, second] = row.values.map(({ value }) => numberText(value, row.unit));
    return { row: labels[i], advantage: number, advantage_text: `${text}×`, faster: sides[number >= 1 ? leading : 1 - leading].name,
      first, second, times: `${first} vs. ${second} ms` };
  });
  return spec;
}

/** Draws the advantages in the tables' order if the site has the chart bundle. */
function advantageFigure(rows, sides) {
  const drawn = drawnRows(rows);
  if (!drawn || !kAddresses.charts) return [];
  const [{ topic, unit, network, name }] = drawn;
  const isPart = topic !== kTrainingStep && rows.some((row) => row.topic === topic && row.unit === unit && !drawn.includes(row));
  const shared = isPart ? [network, drawn.every((row) => row.name === name) && name].filter(Boolean) : [];
  const title = `${[topic, ...shared].join(", ")}: ${rangeWords(drawn, sides)}`;
  const spec = advantageSpec(drawn, sides);
  const stage = element("div", ""), frame = element("div", "frame", stage);
  const [{ row, first, second }] = spec.data.values;
  Object.assign(frame, { role: "img", ariaLabel: `${title}. ${row}: ${first} ms ${sides[0].place}, ${second} ms ${sides[1].place}.` });
  const words = kPhone.matches ? "A bar begins at 1, where both are equally fast."
    : `A bar begins at 1, where both are equally fast. At its end stand the times ${sides[0].place} and ${sides[1].place}.`;
  loadOnce(kAddresses.charts, window.labreportCharts)
    .then(() => window.labreportCharts.vegaEmbed(stage, spec, kEmbedOptions))
    .catch((problem) => console.error(problem));
  return [element("figure", "chart", element("figcaption", "", element("strong", "", `Figure 1. ${title}`), ` ${words}`), frame)];
}
