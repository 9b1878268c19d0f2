// Lets a reader choose two GPUs or runs at the head of each comparison. Two runs that a page compares
// cell by cell lead to that page; compare.html compares all others by the summaries of a site's runs.
// Its address names them: "compare.html?a=nvidia-h200&b=nvidia-h100-80gb-hbm3".
"use strict";

// Matches characters that are invisible or reorder others in a run's texts.
const kHidden = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;
const { topics, networks, gpus, comparisons, dots, runs } = JSON.parse(JSON.stringify(window.labreportSummaries, (key, value) =>
  typeof value === "string" ? value.replace(kHidden, "\ufffd") : value));
const kTrainingStep = "Training step";
const kFastestStep = "Fastest step";
const kStepKernels = "Kernels of a step";
const kGpuLimits = "GPU limits";
const kPublished = "Published tables";
const kSmallerIsBetter = ["ms", "GiB", "MiB"]; // In other units the larger number is better.
const kLeastToldPart = 0.02; // Parts that make less of a difference are not told.
const kSameWithin = 0.01; // Sides that differ less count as equally good.
const kMostDrawnRows = 14;
const kRowPx = 24;
const kAroundRowsPx = 78; // A figure's legend, axis and padding have this height.
const kTextColumns = [["Network", "network"], ["Precision", "precision"], ["Setting", "setting"], ["Quantity", "name"]]
  .map(([head, key]) => ({ head, textOf: (row) => ({ text: row[key] }) }));

/** Makes a side with its runs and with `names`, of which nameApart takes the first that differs. */
function sideOfGpu({ folder, name, short_name: short, color, shape, quantities }) {
  return { color, shape, group: "GPUs", folder, label: `${short}, all its runs`, names: [short, ...Array(3).fill("newest")],
    runs: runs.filter((run) => !run.demonstration && run.folder.startsWith(`${folder}/`)), quantities,
    keyEnd: slug(name) };
}

function sideOfRun(run) {
  const gpu = gpus.find(({ folder }) => run.folder.startsWith(`${folder}/`));
  const device = gpu ? run.device.replace(gpu.name, gpu.short_name) : run.device;
  const [day, minute] = [10, 16].map((end) => run.started_at.slice(0, end).replace("T", " "));
  return { color: gpu?.color, shape: gpu?.shape, group: "Runs", folder: run.folder, label: `${run.title}, ${device}, ${minute}`,
    names: [device, day, minute, run.folder], runs: [run],
    quantities: run.quantities.filter(({ topic }) => topics.includes(topic)).map((quantity) => ({ ...quantity, values: quantity.values.map(([name, value]) =>
      [name, value, `${run.folder}/index.html${quantity.part && `#${quantity.part}`}`]) })),
    keyEnd: `run-${slug(run.folder)}` };
}

/** Makes a side of each published table; only ready comparisons show its numbers. */
function sidesOfTables() {
  const names = new Map(comparisons.map(({ title, runs: [folder] }) => [folder, title.split(" vs. ").at(-1)]));
  return [...names].filter(([folder]) => !runs.some((run) => run.folder === folder)).map(([folder, name]) =>
    ({ group: kPublished, folder, label: name, names: [name, name, name, folder], runs: [], quantities: [] }));
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

/** Returns a side's quantities, keyed by everything that must agree in a comparison. */
function quantitiesOf(side) {
  const all = new Map();
  for (const quantity of side.quantities) {
    const { topic, network, parameters, precision, setting, unit } = quantity;
    const words = [topic, parameters ? parameters.toFixed(0) : network, precision, setting, unit];
    const key = JSON.stringify(words);
    if (!all.has(key)) all.set(key, { ...quantity, network: networks[words[1]] ?? network, values: new Map() });
    const { values } = all.get(key);
    for (const [name, value, page] of quantity.values) {
      const numberKey = [...words, name].map(slug).concat(side.keyEnd).filter(Boolean).join("/");
      if (!values.has(name)) values.set(name, { value, page, key: numberKey });
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
    return [...names].map((name) => ({ ...pair, name, values: pair.both.map((side) => side?.values.get(name)),
      isSetByCpu: pair.both.some((side) => side?.set_by_cpu.includes(name)) }));
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

/** Divides two numbers, each with its key. */
function ratioOf(a, b) {
  const number = a.value / b.value;
  return { text: number.toFixed(2), number, key: `${a.key}:${b.key}` };
}

function timesAsFast(a, b) {
  return a.value < b.value ? ratioOf(b, a) : ratioOf(a, b);
}

function tableCell(name, scope, style, ...children) {
  return Object.assign(element(name, style, ...children), name === "th" ? { scope } : {});
}

/** A column's `textOf` returns a row's text and, for a number, the number, its key and the page that shows it. */
function tableOf(title, columns, rows) {
  const decimals = (text) => text.split(" ")[0].split(".")[1]?.length ?? 0;
  const shown = columns.map(({ textOf, ...column }) => ({ ...column, cells: rows.map(textOf) }))
    .filter(({ cells }) => cells.some(({ text }) => text))
    .map((column) => ({ ...column, style: column.mixesUnits || column.cells[0].number === undefined ? "" : "number",
      mostDecimals: Math.max(...column.cells.map(({ text }) => decimals(text))) }));
  const makeCell = ({ style, mostDecimals, cells }, row, name) => {
    const { text, number, key, page, tone } = cells[row];
    const words = page ? Object.assign(element("a", "", text), { href: page }) : text || "–";
    const cell = tableCell(name, "row", [style, tone].filter(Boolean).join(" "), words);
    if (number !== undefined) Object.assign(cell.dataset, { sort: number }, key && { key });
    if (style === "") return cell;
    const pad = element("i", "");
    pad.dataset.pad = (mostDecimals > 0 && decimals(text) === 0 ? "." : "") + "0".repeat(mostDecimals - decimals(text));
    cell.append(pad);
    return cell;
  };
  const heads = shown.map(({ head, unit, style }) =>
    tableCell("th", "col", style, head, ...(unit ? [" ", element("span", "unit", unit)] : [])));
  const body = rows.map((_, row) =>
    element("tr", "", ...shown.map((column, i) => makeCell(column, row, i === 0 ? "th" : "td"))));
  const table = element("table", "", element("caption", "", title),
    element("thead", "", element("tr", "", ...heads)), element("tbody", "", ...body));
  const place = element("div", "tabled", element("div", "table", table));
  addSortButtons(table);
  addTableMenu(table);
  return place;
}

/** Returns how many times as good the leading side's number is: above 1 it is faster, or needs less memory. */
function advantageOf({ unit, values }, leading) {
  const [a, b] = [values[leading], values[1 - leading]];
  const ratio = kSmallerIsBetter.includes(unit) ? ratioOf(b, a) : ratioOf(a, b);
  const isSame = Math.abs(ratio.number - 1) <= kSameWithin;
  return { ...ratio, tone: isSame ? "" : ratio.number > 1 ? "better" : "worse" };
}

/** Tabulates the numbers of one topic in one unit. A name or setting that all rows share is part of the title. */
function topicTable(rows, sides) {
  const [{ topic, unit, isSetByCpu }] = rows;
  const isShared = ({ head, textOf }) => (head === "Setting" || (head === "Quantity" && rows.length > 1)) &&
    rows.every((row) => textOf(row).text === textOf(rows[0]).text);
  const shared = kTextColumns.filter(isShared).map(({ textOf }) => textOf(rows[0]).text).filter(Boolean);
  const numbers = sides.map(({ name }, i) => ({ head: name, unit, textOf: ({ values: { [i]: { value, page, key } } }) =>
    ({ text: numberText(value, unit), number: value, page, key }) }));
  const leading = sides.findIndex(({ leads }) => leads);
  const ratios = isSetByCpu ? [] : [{ head: `Advantage of ${sides[leading].name}`, unit: "×", textOf: (row) => advantageOf(row, leading) }];
  const words = kTextColumns.filter((column) => !isShared(column));
  const title = `${topic} (${unit})${shared.map((text) => `, ${text}`).join("")}${isSetByCpu ? ": set by the host’s CPU, or not known to be the GPU’s" : ""}`;
  return tableOf(title, [...words, ...numbers, ...ratios], rows);
}

/** Shows each table with its sides' remarks, "out of memory at context 2,048", below it. */
function topicTables(rows, sides) {
  return [...Map.groupBy(rows, ({ topic, unit }) => `${topic} ${unit}`).values()].flatMap((rowsOfGroup) => {
    const remarks = rowsOfGroup.flatMap(({ network, precision, setting, both }) =>
      both.map(({ remark }, i) => remark &&
        `${[network, precision, setting].filter(Boolean).join(", ")}: ${remark} ${sides[i].place}.`));
    const lines = [...new Set(remarks.filter(Boolean))].map((line) => element("p", "muted", line));
    return [topicTable(rowsOfGroup, sides), ...lines];
  });
}

function numbersOf(rows) {
  return `${rows.length} ${rows.length === 1 ? "number" : "numbers"}`;
}

function drawer(title, ...children) {
  return element("details", "details", element("summary", "", title), ...children);
}

/** Shows the tables of whole training steps, or else of the first topic, and all others in drawers. */
function tablesByTopic(rows, sides) {
  const isWholeStep = ({ topic, unit, name }) => topic === kTrainingStep && (unit !== "ms" || name === "step");
  const isOpen = rows.some(isWholeStep) ? isWholeStep : ({ topic }) => topic === rows[0].topic;
  const closed = Map.groupBy(rows.filter((row) => !isOpen(row)), ({ topic }) => topic);
  return [...topicTables(rows.filter(isOpen), sides), ...[...closed].map(([topic, rowsOfGroup]) =>
    drawer(`${topic}${topic === kTrainingStep ? ", its phases" : ""}: ${numbersOf(rowsOfGroup)}`,
      ...topicTables(rowsOfGroup, sides)))];
}

function oneSidedDrawer({ place }, i, rows) {
  const title = `Only ${place}: ${numbersOf(rows)}`;
  const topic = { head: "Topic", textOf: (row) => ({ text: row.topic }) };
  const remark = { head: "Remarks", textOf: ({ both: { [i]: quantity }, isSetByCpu }) =>
    ({ text: [isSetByCpu && "set by the host’s CPU, or not known to be the GPU’s", quantity.remark].filter(Boolean).join("; ") }) };
  const number = { head: "Number", mixesUnits: true, textOf: ({ values: { [i]: { value, page, key } }, unit }) =>
    ({ text: `${numberText(value, unit)} ${unit}`, number: value, page, key }) };
  const columns = [topic, ...kTextColumns, number, remark];
  return drawer(title, tableOf(title, columns, rows));
}

/** Returns the text of a number with its key. */
function keyed(text, value, key) {
  const data = Object.assign(element("data", "", text), { value });
  data.dataset.key = key;
  return data;
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
  const kindOf = ({ name }) => (name.endsWith(": GEMMs") ? "GEMMs" : name.endsWith(": other kernels") ? "other kernels" : name);
  const differences = [...Map.groupBy(parts, kindOf)].map(([kind, those]) => {
    const ms = those.reduce((sum, row) => sum + row.values[slow].value - row.values[1 - slow].value, 0);
    return { kind, ms, key: those.map((row) => `${row.values[slow].key}-${row.values[1 - slow].key}`).join("+") };
  }).filter(({ ms }) => Math.abs(ms) >= kLeastToldPart * gap).sort((a, b) => b.ms - a.ms);
  return [" Of the ", keyed(`${significant(gap, 3)} ms`, gap, `${values[slow].key}-${values[1 - slow].key}`), " between them, ",
    ...differences.flatMap(({ kind, ms, key }, i) => [i === 0 ? "" : i === differences.length - 1 ? " and " : ", ",
      kind === "optimizer" ? "the optimizer" : kind, i === 0 ? (kind.endsWith("s") ? " make " : " makes ") : " ",
      keyed(significant(ms, 3).replace("-", "−"), ms, key)]), "."];
}

/** Writes how the copy bandwidths compare, for sides that have no training step in common. */
function limitLines(rows, sides) {
  return rows.filter(({ topic, unit }) => topic === kGpuLimits && unit === "GB/s").map(({ setting, values }) => {
    const [a, b] = values.map(({ value, key }, i) => [
      element("strong", "", keyed(`${significant(value, 4)} GB/s`, value, key)), ` ${sides[i].place}`]);
    const leading = values[0].value >= values[1].value ? 0 : 1;
    const { text, number, key } = ratioOf(values[leading], values[1 - leading]);
    return element("li", "", `${setting[0].toUpperCase()}${setting.slice(1)}: `, ...a, ", ", ...b, ": ",
      element("strong", "", `${sides[leading].subject} `, keyed(`${text}×`, number, key), " as fast"), ".");
  });
}

/** Writes "2.7B, BF16: 303 ms on the H200, 372 ms on the H100: the H200 is 1.23× as fast". */
function headline({ words, values, step }, rows, sides) {
  const [a, b] = values.map(({ value, key }, i) => [
    element("strong", "", keyed(`${significant(value, value < 1000 ? 3 : 4)} ms`, value, key)), ` ${sides[i].place}`]);
  const { text, number, key } = timesAsFast(...values);
  const faster = text === "1.00" ? "the same within half a percent"
    : element("strong", "", `${sides[values[0].value < values[1].value ? 0 : 1].subject} `,
      keyed(`${text}×`, number, key), " as fast");
  const difference = step ? differenceWords(step, rows) : [];
  return element("li", "", `${words.filter(Boolean).join(", ")}: `, ...a, ", ", ...b, ": ", faster,
    ".", ...difference);
}

/** Returns the largest network's training step in each precision, then its tuned step, each with its words and values. */
function headlineSteps(rows) {
  const steps = rows.filter(({ topic, unit, name }) => topic === kTrainingStep && unit === "ms" && name === "step");
  const largestSteps = [...Map.groupBy(steps, ({ precision }) => precision).values()].map(([step]) =>
    ({ words: [step.network, step.precision], values: step.values, step }));
  const rungs = rows.filter(({ topic }) => topic === kFastestStep);
  const largest = rungs.filter(({ parameters }) => parameters === rungs[0].parameters);
  const { network, precision, setting } = largest.find((rung) => !rung.precision.startsWith("FP32")) ?? largest[0] ?? {};
  const ladder = largest.filter((rung) => rung.precision === precision && rung.setting === setting);
  const faster = (a, b) => (b.value < a.value ? b : a);
  const fastest = [0, 1].map((i) => ladder.map(({ values }) => values[i]).reduce(faster, { value: Infinity }));
  return ladder.length > 0 ? [...largestSteps, { words: [network, precision, "tuned"], values: fastest }] : largestSteps;
}

/** Makes the form that says which of two GPUs to rent; none if both sides are of one GPU. */
function priceForms(steps, sides) {
  if (steps.length === 0 || sides[0].names[0] === sides[1].names[0]) return [];
  const form = element("form", "prices");
  fillPriceForm(form, steps.map(({ words, values: [a, b] }) => ({ name: words.filter(Boolean).join(", "), a: a.value, b: b.value })),
    sides.map(({ name }) => name));
  return [form];
}

/**
 * Returns the rows that the figure draws: whole training steps, or else the first topic with few times, or else those of a
 * topic's largest network or of its last name. That in which the first side gains most comes first.
 */
function drawnRows(rows) {
  const times = rows.filter(({ unit }) => unit === "ms");
  const steps = times.filter(({ topic, name }) => topic === kTrainingStep && name === "step");
  const gain = ({ values: [a, b] }) => b.value / a.value;
  const byTopic = [...Map.groupBy(times, ({ topic }) => topic).values()];
  const ofLargest = byTopic.map((those) => those.filter(({ parameters }) => parameters === those[0].parameters));
  const ofLastName = byTopic.map((those) => those.filter(({ name }) => name === those.at(-1).name));
  return [steps, ...byTopic, ...ofLargest, ...ofLastName]
    .find(({ length }) => length > 1 && length <= kMostDrawnRows)?.toSorted((row, other) => gain(other) - gain(row));
}

/** Says how much faster one side is in all rows: "the H200 is 1.06 to 1.23× as fast". */
function rangeWords(rows, sides) {
  const ratios = rows.map(({ values: [a, b] }) => b.value / a.value);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  if (least >= 1 - kSameWithin && most <= 1 + kSameWithin) return "equally fast, to within a per cent";
  if (least < 1 - kSameWithin && most > 1 + kSameWithin) return "neither is faster in all of them";
  const [winner, low, high] = most > 1 + kSameWithin ? [sides[0], least, most] : [sides[1], 1 / most, 1 / least];
  const start = low <= 1 + kSameWithin ? "up to " : low.toFixed(2) === high.toFixed(2) ? "" : `${low.toFixed(2)} to `;
  return `${winner.subject} ${start}${high.toFixed(2)}× as fast`;
}

/** Writes a line for each headline step, or else for the copy bandwidth, or else for the first row that the figure draws. */
function summaryLines(steps, rows, sides) {
  const limits = steps.length > 0 ? [] : limitLines(rows, sides);
  if (limits.length > 0) return limits;
  const first = (drawnRows(rows) ?? []).slice(0, 1).map(({ topic, network, precision, name, values }) =>
    ({ words: [topic, network, precision, name], values }));
  return (steps.length > 0 ? steps : first).map((step) => headline(step, rows, sides));
}

/** Draws both sides' times as dots if the site has the chart bundle. */
function dotFigure(rows, sides) {
  const drawn = drawnRows(rows);
  if (!drawn || !kAddresses.charts) return [];
  const wordsOf = ({ network, precision, setting, name }) => [network, precision, ...setting.split(", "), name].filter(Boolean);
  const isShared = (word) => drawn.every((row) => wordsOf(row).includes(word));
  const labelOf = (row) => wordsOf(row).filter((word) => !isShared(word)).join(", ") || row.name;
  const isPart = drawn[0].topic !== kTrainingStep &&
    rows.some((row) => row.topic === drawn[0].topic && row.unit === drawn[0].unit && !drawn.includes(row));
  const shared = ["network", "name"].map((key) => drawn[0][key]).filter((word) => isPart && isShared(word));
  const title = `${[drawn[0].topic, ...shared].join(", ")}: ${rangeWords(drawn, sides)}`;
  const spec = structuredClone(dots[matchMedia("(max-width: 37.5rem)").matches ? 1 : 0]);
  const inOrder = sides.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const channel of ["color", "shape"]) {
    const { scale } = spec.layer[0].encoding[channel];
    scale.domain = inOrder.map(({ name }) => name);
    const styles = inOrder.map((side) => side[channel]).filter(Boolean);
    if (new Set(styles).size === inOrder.length) scale.range = styles;
  }
  spec.height = kRowPx * drawn.length + kAroundRowsPx;
  spec.data.values = drawn.flatMap((row) => sides.map(({ name }, i) => ({ row: labelOf(row), device: name,
    value: row.values[i].value, value_text: `${significant(row.values[i].value, 4)} ms` })));
  const stage = element("div", ""), frame = element("div", "frame", stage);
  Object.assign(frame, { role: "img", ariaLabel: `${title}. ${labelOf(drawn[0])}: ` +
    sides.map(({ place }, i) => `${significant(drawn[0].values[i].value, 3)} ms ${place}`).join(", ") + "." });
  const caption = element("figcaption", "", element("strong", "", `Figure 1. ${title}`), " At the end of each row stands the longer time divided by the shorter.");
  loadOnce(kAddresses.charts, window.labreportCharts)
    .then(() => window.labreportCharts.vegaEmbed(stage, spec, kEmbedOptions))
    .catch((problem) => console.error(problem));
  return [element("figure", "chart", caption, frame)];
}

/** Links to the pages that compare runs of both sides cell by cell. A published table has no run but itself. */
function readyLinks(sides) {
  const groups = new Set(sides.map(({ group }) => group));
  if (groups.size > 1 && !groups.has(kPublished)) return [];
  const [a, b] = sides.map((side) => new Set([side.folder, ...side.runs.map(({ folder }) => folder)]));
  return comparisons.filter(({ runs: [first, second] }) => (a.has(first) && b.has(second)) || (b.has(first) && a.has(second)))
    .map(({ link, title }) => Object.assign(element("a", "", title), { href: link }));
}

function sectionOf(title, ...children) {
  return Object.assign(element("section", "problem", element("h2", "", title), ...children), { id: slug(title) });
}

/** Lists the shown sections first among the page's contents. */
function listContents(sections) {
  const list = document.querySelector(".contents ol");
  list.querySelectorAll(".found").forEach((item) => item.remove());
  list.prepend(...sections.map(({ id, firstChild }) =>
    element("li", "found", Object.assign(element("a", "", firstChild.textContent), { href: `#${id}` }))));
  contentsMark.watch();
}

/** Says how many numbers are compared, and how many are not because both sides have them of one run. */
function commonWords(rows, sameRows, sides) {
  if (sides.some(({ group }) => group === kPublished)) return "A published table’s numbers stand in its ready comparisons alone.";
  if (rows.length === 0) return sameRows.length > 0 ? "Both have their numbers of the same run." : "They have no number in common.";
  const left = sameRows.length > 0 ? ` Left out, because both sides have them of the same run: ${numbersOf(sameRows)}.` : "";
  return `${numbersOf(rows)} in common, the main ones of their reports. Kernels and causes stand in ready comparisons alone.${left}`;
}

/** Returns the line that says what is compared and what it lacks, and the sections of the comparison. */
function comparison(sides) {
  nameApart(sides);
  const pairs = pairsOf(sides);
  const all = rowsOf(pairs);
  const [cpuRows, rows] = [true, false].map((isSetByCpu) =>
    all.filter((row) => row.values.every(Boolean) && !isOneMeasurement(row) && row.isSetByCpu === isSetByCpu));
  const cpuDrawers = cpuRows.length === 0 ? [] : [drawer(`Set by the host’s CPU, or not known to be the GPU’s: ${numbersOf(cpuRows)}`,
    element("p", "muted", "The CPU launches kernels more slowly than the GPU runs them, for the whole time or a part. "
      + "These are numbers of the machines, not of the GPUs."), ...topicTables(cpuRows, sides))];
  const drawers = sides.map((side, i) => [side, i, all.filter(({ values }) => values[i] && !values[1 - i])])
    .filter(([, , oneSidedRows]) => oneSidedRows.length > 0).map((sideAndRows) => oneSidedDrawer(...sideAndRows));
  const links = readyLinks(sides).flatMap((link, i) => [i > 0 ? ", " : " ", link]);
  const line = [commonWords([...rows, ...cpuRows], all.filter(isOneMeasurement), sides), ...(links.length > 0 ? [" Ready:", ...links, "."] : [])];
  const steps = headlineSteps(rows);
  // Tables give the advantage of the side that the summary calls faster.
  const isSecondFaster = steps.length > 0 && steps[0].values[1].value < steps[0].values[0].value;
  sides.forEach((side, i) => Object.assign(side, { leads: (i === 1) === isSecondFaster }));
  const lines = summaryLines(steps, rows, sides);
  const summary = [...(lines.length > 0 ? [element("div", "answer", element("ul", "", ...lines))] : []), ...dotFigure(rows, sides),
    ...priceForms(steps, sides)];
  const numbers = [...tablesByTopic(rows, sides), ...cpuDrawers, ...drawers];
  return { line, sections: [...(summary.length > 0 ? [sectionOf("Summary", ...summary)] : []),
    ...(numbers.length > 0 ? [sectionOf("Numbers", ...numbers)] : [])] };
}

function sideSelect(sides, chosen) {
  const groups = [...Map.groupBy(sides, ({ group }) => group)].map(([label, groupSides]) => Object.assign(
    element("optgroup", "", ...groupSides.map((side) => new Option(side.label, side.folder))), { label }));
  const select = element("select", "", ...groups);
  select.value = chosen;
  return select;
}

/** The two sides of a comparison: controls at its head, and below them their numbers unless the page has its own. */
class Choice {
  constructor({ root, a, b }) {
    const runSides = runs.map(sideOfRun).sort((one, other) => one.label.localeCompare(other.label, "en"));
    this.root = root;
    this.sides = [...gpus.map(sideOfGpu), ...runSides, ...sidesOfTables()];
    this.isReady = a !== "";
    // A page compares its second run with its first.
    this.folders = this.isReady ? [b, a] : this.foldersOfAddress();
    const [first, second] = this.folders.map((folder) => sideSelect(this.sides, folder));
    this.controls = { a: first, b: second };
    this.answer = element("output", "");
    this.found = Object.assign(element("div", ""), { id: "found" });
    this.form = formOf(this.controls, { a: "Compare", b: "with" }, ({ target }) => this.update(target));
  }

  /** Fills sides that the address does not name with the first other GPU or run that shares no run with the named one. */
  foldersOfAddress() {
    const named = ["a", "b"].map((name) => new URLSearchParams(location.search).get(name));
    named.forEach((folder, i) => {
      const taken = this.sides.find((side) => side.folder === named[1 - i]);
      const others = this.sides.filter((side) => side !== taken);
      named[i] = folder ?? (others.find((side) => !sharesRun(side, taken)) ?? others[0])?.folder;
    });
    return named;
  }

  place(choice) {
    choice.append(this.form, this.answer);
    document.querySelector("main > header").after(this.found);
    document.getElementById(location.hash.slice(1))?.focus(); // The control that led here keeps the focus.
    if (this.isReady) this.answer.textContent = "Cell by cell, with figures and reasons. Any other two are compared by their main numbers.";
    else this.show();
  }

  /** Goes to the page of the chosen two, or shows their numbers. */
  update({ id }) {
    this.folders = Object.values(this.controls).map(({ value }) => value);
    const [a, b] = this.folders;
    const page = a !== b && comparisons.find((pair) => this.folders.every((folder) => pair.runs.includes(folder)));
    if (page) location.assign(`${this.root}${page.link}#${id}`);
    else if (this.isReady && a !== b) location.assign(`${this.root}compare.html?a=${a}&b=${b}#${id}`);
    else this.show();
  }

  /** Names both sides. Prices stay as long as they are those of the same two. */
  address(a, b) {
    const query = new URLSearchParams(location.search);
    const isSamePair = [a, b].every((folder, i) => [folder, null].includes(query.get(["a", "b"][i])));
    const prices = isSamePair ? PRICE_NAMES.filter((name) => query.has(name)).map((name) => `&${name}=${encodeURIComponent(query.get(name))}`) : [];
    return `?a=${a}&b=${b}${prices.join("")}`;
  }

  /** Names both sides in the command that compares them cell by cell; it knows GPUs by their folders. */
  showCommand(sides) {
    const [a, b] = sides.map(({ group, folder }) => (group === "GPUs" ? folder : `site/runs/${folder}`));
    const code = document.querySelector("#reproduce pre code");
    code.textContent = `make diff A=${b} B=${a}`;
    code.previousElementSibling?.setAttribute("aria-label", `copy: ${code.textContent}`);
  }

  show() {
    const chosen = this.folders.map((name) => this.sides.find(({ folder }) => folder === name));
    const unknown = this.folders.filter((_, i) => !chosen[i])
      .map((name) => `No GPU or run here is called “${name}”. Choose another.`);
    const [a, b] = this.folders;
    const problem = unknown.join(" ") || (a === b ? "Both are the same. Choose another." : "");
    if (!this.isReady && unknown.length === 0) history.replaceState(null, "", this.address(a, b));
    const { line, sections } = problem ? { line: [problem], sections: [] } : comparison(chosen);
    this.answer.replaceChildren(...line);
    if (this.isReady) return;
    this.found.replaceChildren(...sections);
    listContents(sections);
    if (problem) return;
    this.showCommand(chosen);
    const [device] = chosen[0].names;
    const names = chosen.map(({ name }) => name).join(" vs. ");
    const title = device === chosen[1].names[0] ? `${device}: ${names}` : names;
    document.title = title;
    document.querySelector("h1").textContent = title;
    focusWideTables();
  }
}

/** Starts at a ready comparison, of two GPUs if there is one, if the address names neither sides nor a place. */
function startComparison() {
  const choice = document.getElementById("choice");
  const isAsked = choice.dataset.a || location.search || location.hash;
  const gpuOf = (folder) => folder.split("/")[0];
  const first = comparisons.find(({ runs: [a, b] }) => gpuOf(a) !== gpuOf(b)) ?? comparisons[0];
  if (!isAsked && first) location.replace(first.link);
  else new Choice(choice.dataset).place(choice);
}

startComparison();
