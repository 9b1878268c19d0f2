// Compares two GPUs or two runs by the summaries of a site's runs. The address chooses them:
// "?a=nvidia-h200&b=nvidia-h100-80gb-hbm3".
"use strict";

// Matches characters that are invisible or reorder others in a run's texts.
const kHidden = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/g;
const { topics, networks, gpus, runs } = JSON.parse(JSON.stringify(window.labreportSummaries, (key, value) =>
  typeof value === "string" ? value.replace(kHidden, "\ufffd") : value));
const kTrainingStep = "Training step";
const kFastestStep = "Fastest step";
const kOpenTopics = [kTrainingStep, kFastestStep];
const kTextColumns = [["Network", "network"], ["Precision", "precision"], ["Setting", "setting"], ["Quantity", "name"]]
  .map(([head, key]) => ({ head, textOf: (row) => ({ text: row[key] }) }));

/** Makes a side with its runs and with `names`, of which nameApart takes the first that differs. */
function sideOfGpu({ folder, name, short_name: short, quantities }) {
  return { group: "GPUs", folder, label: `${name}, newest of everything`, names: [short, ...Array(3).fill("newest")],
    runs: runs.filter((run) => !run.demonstration && run.folder.startsWith(`${folder}/`)), quantities,
    keyEnd: slug(name) };
}

function sideOfRun(run) {
  const gpu = gpus.find(({ folder }) => run.folder.startsWith(`${folder}/`));
  const device = gpu ? run.device.replace(gpu.name, gpu.short_name) : run.device;
  const [day, minute] = [10, 16].map((end) => run.started_at.slice(0, end).replace("T", " "));
  return { group: "Runs", folder: run.folder, label: `${run.title}, ${run.device}, ${minute}`,
    names: [device, day, minute, run.folder], runs: [run],
    quantities: run.quantities.map((quantity) => ({ ...quantity, values: quantity.values.map(([name, value]) =>
      [name, value, `${run.folder}/index.html${quantity.part && `#${quantity.part}`}`]) })),
    keyEnd: `run-${slug(run.folder)}` };
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

function significant(value, digits) {
  return value.toLocaleString("en", { minimumSignificantDigits: digits, maximumSignificantDigits: digits });
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
    const { text, number, key, page } = cells[row];
    const words = page ? Object.assign(element("a", "", text), { href: page }) : text || "–";
    const cell = tableCell(name, "row", style, words);
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

/** Tabulates the numbers of one topic in one unit. A setting that all rows share is part of the title. */
function topicTable(rows, sides) {
  const [{ topic, unit, setting, isSetByCpu }] = rows;
  const common = rows.every((row) => row.setting === setting) ? setting : "";
  const numbers = sides.map(({ name }, i) => ({ head: name, unit, textOf: ({ values: { [i]: { value, page, key } } }) =>
    ({ text: significant(value, 4), number: value, page, key }) }));
  const ratioColumns = isSetByCpu ? []
    : [{ head: `${sides[1].name} ÷ ${sides[0].name}`, textOf: ({ values: [a, b] }) => ratioOf(b, a) }];
  const words = kTextColumns.filter(({ head }) => head !== "Setting" || !common);
  const title = `${topic} (${unit})${common && `, ${common}`}${isSetByCpu ? ": set by the host’s CPU, or not known to be the GPU’s" : ""}`;
  return tableOf(title, [...words, ...numbers, ...ratioColumns], rows);
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

/** Shows the steps' tables, and every other topic in a drawer. */
function tablesByTopic(rows, sides) {
  return [...Map.groupBy(rows, ({ topic }) => topic)].flatMap(([topic, rowsOfGroup]) => {
    const tables = topicTables(rowsOfGroup, sides);
    return kOpenTopics.includes(topic) ? tables : [drawer(`${topic}: ${numbersOf(rowsOfGroup)}`, ...tables)];
  });
}

function oneSidedDrawer({ place }, i, rows) {
  const title = `Only ${place}: ${numbersOf(rows)}`;
  const topic = { head: "Topic", textOf: (row) => ({ text: row.topic }) };
  const remark = { head: "Remarks", textOf: ({ both: { [i]: quantity }, isSetByCpu }) =>
    ({ text: [isSetByCpu && "set by the host’s CPU, or not known to be the GPU’s", quantity.remark].filter(Boolean).join("; ") }) };
  const number = { head: "Number", mixesUnits: true, textOf: ({ values: { [i]: { value, page, key } }, unit }) =>
    ({ text: `${significant(value, 4)} ${unit}`, number: value, page, key }) };
  const columns = [topic, ...kTextColumns, number, remark];
  return drawer(title, tableOf(title, columns, rows));
}

/** Writes "2.7B, BF16: 303 ms on the H200, 372 ms on the H100: the H200 is 1.23 times as fast". */
function headline(words, values, sides) {
  const keyed = (text, value, key) => {
    const data = Object.assign(element("data", "", text), { value });
    data.dataset.key = key;
    return data;
  };
  const [a, b] = values.map(({ value, key }, i) => [
    element("strong", "", keyed(`${significant(value, value < 1000 ? 3 : 4)} ms`, value, key)), ` ${sides[i].place}`]);
  const { text, number, key } = timesAsFast(...values);
  const faster = text === "1.00" ? "the same within half a percent"
    : element("strong", "", `${sides[values[0].value < values[1].value ? 0 : 1].subject} `,
      keyed(`${text} times`, number, key), " as fast");
  return element("li", "", `${words.filter(Boolean).join(", ")}: `, ...a, ", ", ...b, ": ", faster);
}

/** Compares the largest network's training step in each precision, then its tuned step. */
function headlines(rows, sides) {
  const steps = rows.filter(({ topic, unit, name }) => topic === kTrainingStep && unit === "ms" && name === "step");
  const lines = [...Map.groupBy(steps, ({ precision }) => precision).values()].map(([{ network, precision, values }]) =>
    headline([network, precision], values, sides));
  const rungs = rows.filter(({ topic }) => topic === kFastestStep);
  const largest = rungs.filter(({ parameters }) => parameters === rungs[0].parameters);
  const { network, precision, setting } = largest.find((rung) => rung.precision !== "FP32") ?? largest[0] ?? {};
  const ladder = largest.filter((rung) => rung.precision === precision && rung.setting === setting);
  const faster = (a, b) => (b.value < a.value ? b : a);
  const fastest = sides.map((_, i) => ladder.map(({ values }) => values[i]).reduce(faster, { value: Infinity }));
  return ladder.length > 0 ? [...lines, headline([network, precision, "tuned"], fastest, sides)] : lines;
}

/** Links to the pages that compare runs of both sides cell by cell. */
function renderedPages(sides) {
  if (sides[0].group !== sides[1].group) return [];
  const [a, b] = sides.map((side) => new Set(side.runs.map(({ folder }) => folder.replaceAll("/", "-"))));
  return [...document.querySelectorAll(".pairs li")].filter((pair) => {
    const [first, second] = pair.querySelector("a").getAttribute("href").split("/")[1].split("--");
    return (a.has(first) && b.has(second)) || (b.has(first) && a.has(second));
  }).map((pair) => element("p", "", "Cell by cell: ", ...pair.cloneNode(true).childNodes));
}

function comparison(sides) {
  nameApart(sides);
  const pairs = pairsOf(sides);
  const all = rowsOf(pairs);
  const [cpuRows, rows] = [true, false].map((isSetByCpu) =>
    all.filter((row) => row.values.every(Boolean) && row.isSetByCpu === isSetByCpu));
  const cpuDrawers = cpuRows.length === 0 ? [] : [drawer(`Set by the host’s CPU, or not known to be the GPU’s: ${numbersOf(cpuRows)}`,
    element("p", "muted", "The CPU launches kernels more slowly than the GPU runs them, for the whole time or a part. "
      + "These are numbers of the machines, not of the GPUs."), ...topicTables(cpuRows, sides))];
  const drawers = sides.map((side, i) => [side, i, all.filter(({ values }) => values[i] && !values[1 - i])])
    .filter(([, , oneSidedRows]) => oneSidedRows.length > 0).map((sideAndRows) => oneSidedDrawer(...sideAndRows));
  const notice = cpuRows.length + rows.length === 0 ? [element("p", "", "They have no number in common.")] : [];
  return [element("ul", "", ...headlines(rows, sides)), ...renderedPages(sides), ...notice,
    ...tablesByTopic(rows, sides), ...cpuDrawers, ...drawers];
}

function sideSelect(sides, words, chosen) {
  const groups = [...Map.groupBy(sides, ({ group }) => group)].map(([label, groupSides]) => Object.assign(
    element("optgroup", "", ...groupSides.map((side) => new Option(side.label, side.folder))), { label }));
  const select = Object.assign(element("select", "", ...groups), { ariaLabel: words });
  select.value = chosen;
  return select;
}

/** Fills sides that the address does not name with the first other GPU or run. */
function chooseSides() {
  const runSides = runs.map(sideOfRun).sort((a, b) => a.label.localeCompare(b.label, "en"));
  const sides = [...gpus.map(sideOfGpu), ...runSides];
  const chosenFolders = ["a", "b"].map((name) => new URLSearchParams(location.search).get(name));
  chosenFolders.forEach((folder, i) => (chosenFolders[i] =
    folder ?? sides.find((side) => side.folder !== chosenFolders[1 - i]).folder));
  const [a, b] = [sideSelect(sides, "Compare", chosenFolders[0]), sideSelect(sides, "with", chosenFolders[1])];
  const swap = Object.assign(element("button", "", "Swap"), { type: "button" });
  const notice = Object.assign(element("p", ""), { role: "status" });
  const found = element("div", "");
  const update = () => {
    const chosen = [a, b].map(({ value }) => sides.find(({ folder }) => folder === value));
    const unknown = chosenFolders.filter((_, i) => !chosen[i])
      .map((name) => `No GPU or run here is called “${name}”. Choose another.`);
    const same = unknown.length === 0 && a.value === b.value ? ["Both are the same. Choose another."] : [];
    notice.textContent = [...unknown, ...same].join(" ");
    if (unknown.length === 0) history.replaceState(null, "", `?a=${a.value}&b=${b.value}`);
    found.replaceChildren(...(notice.textContent ? [] : comparison(chosen)));
    if (!notice.textContent) document.title = `labreport: ${chosen.map(({ name }) => name).join(" and ")}`;
    focusWideTables();
  };
  swap.addEventListener("click", () => {
    [a.value, b.value] = [b.value, a.value];
    chosenFolders.reverse();
    update();
  });
  for (const select of [a, b]) select.addEventListener("change", update);
  const form = element("form", "choice", "Compare ", a, " with ", b, swap);
  document.getElementById("chosen").append(form, notice, found);
  update();
}

chooseSides();
