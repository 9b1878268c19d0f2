// Tables of the numbers that both sides of a comparison have, and of those that one side has.
"use strict";

const kTextColumns = [["Network", "network"], ["Precision", "computedIn"], ["Setting", "setting"], ["Quantity", "name"]]
  .map(([head, key]) => ({ head, isText: true, textOf: (row) => ({ text: row[key] }) }));
const kSetByCpu = "set by the host’s CPU, or not known to be the GPU’s";

function tableCell(name, scope, style, ...children) {
  return Object.assign(element(name, style, ...children), name === "th" ? { scope } : {});
}

/**
 * Gives cells of text the styles by which a phone shows them: all but the last of a row stand above it, "xl (3.4 B) BF16",
 * unless they repeat those of the row before.
 */
function groupedStyles(columns, row) {
  const words = columns.filter(({ isText }) => isText);
  const repeats = row > 0 && words.slice(0, -1).every(({ cells }) => cells[row].text === cells[row - 1].text);
  return new Map(words.map((column, i) => [column, i === words.length - 1 ? "of-row" : repeats ? "of-group again" : "of-group"]));
}

/** A column's `textOf` returns a row's text and, for a number, the number, its key and the page that shows it. */
function tableOf(title, columns, rows) {
  const decimals = (text) => text.split(" ")[0].split(".")[1]?.length ?? 0;
  const shown = columns.map(({ textOf, ...column }) => ({ ...column, cells: rows.map(textOf) }))
    .filter(({ cells }) => cells.some(({ text }) => text))
    .map((column) => ({ ...column, style: column.style ?? (column.mixesUnits || column.cells[0].number === undefined ? "" : "number"),
      mostDecimals: Math.max(...column.cells.map(({ text }) => decimals(text))) }));
  const makeCell = ({ style, isUnaligned, mostDecimals, cells }, row, name, grouped = "") => {
    const { text, number, key, page, tone } = cells[row];
    const words = page ? Object.assign(element("a", "", text), { href: page }) : text || "–";
    const cell = tableCell(name, "row", [style, tone, grouped, text ? "" : "empty"].filter(Boolean).join(" "), words);
    if (number !== undefined) Object.assign(cell.dataset, { sort: number }, key && { key });
    if (style !== "number" || isUnaligned) return cell;
    const pad = element("i", "");
    pad.dataset.pad = (mostDecimals > 0 && decimals(text) === 0 ? "." : "") + "0".repeat(mostDecimals - decimals(text));
    cell.append(pad);
    return cell;
  };
  const headStyles = groupedStyles(shown, 0);
  const heads = shown.map((column) => tableCell("th", "col", [column.style, headStyles.get(column)].filter(Boolean).join(" "),
    column.head, ...(column.unit ? [" ", element("span", "unit", column.unit)] : [])));
  const body = rows.map((_, row) => {
    const styles = groupedStyles(shown, row);
    return element("tr", "", ...shown.map((column, i) => makeCell(column, row, i === 0 ? "th" : "td", styles.get(column))));
  });
  const table = element("table", "", element("caption", "", title),
    element("thead", "", element("tr", "", ...heads)), element("tbody", "", ...body));
  const place = element("div", "tabled", element("div", "table", table));
  addSortButtons(table);
  addTableMenu(table);
  return place;
}

/** Tabulates the numbers of one topic. A unit, name or setting that all rows share is not repeated in them. */
function topicTable(rows, sides) {
  const [{ topic, isSetByCpu }] = rows;
  const unit = rows.every((row) => row.unit === rows[0].unit) ? rows[0].unit : "";
  const isShared = ({ head, textOf }) => (head === "Setting" || (head === "Quantity" && rows.length > 1)) &&
    rows.every((row) => textOf(row).text === textOf(rows[0]).text);
  const shared = kTextColumns.filter(isShared).map(({ textOf }) => textOf(rows[0]).text)
    .filter((text) => text && text !== kWholeStep);
  const numbers = sides.map(({ name }, i) => ({ head: name, unit, isUnaligned: !unit, textOf: ({ unit: of, values: { [i]: { value, page, key } } }) =>
    ({ text: numberText(value, of), number: value, page, key }) }));
  const leading = sides.findIndex(({ leads }) => leads);
  const ratio = { head: `Advantage of ${sides[leading].name}`, unit: "×", textOf: (row) => {
    const advantage = advantageOf(row, leading);
    return { ...advantage, tone: isSame(advantage.number) ? "" : advantage.number > 1 ? "better" : "worse" };
  } };
  const words = kTextColumns.filter((column) => !isShared(column)).map((column) => (column.head === "Setting" && !unit
    ? { ...column, textOf: (row) => ({ text: `${row.setting} (${row.unit})` }) } : column));
  const title = `${topic}${unit && ` (${unit})`}${shared.map((text) => `, ${text}`).join("")}${isSetByCpu ? `: ${kSetByCpu}` : ""}`;
  return tableOf(title, [...words, ...numbers, ...(isSetByCpu ? [] : [ratio])], rows);
}

/** Shows each table with its sides' remarks, "out of memory at context 2,048", below it. */
function topicTables(rows, sides) {
  return [...Map.groupBy(rows, ({ topic, unit }) => (topic === kGpuLimits ? topic : `${topic} ${unit}`)).values()].flatMap((rowsOfGroup) => {
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

/** Shows the times of whole training steps, or else the first topic, then the limits of two GPUs; all others are in drawers. */
function tablesByTopic(rows, sides) {
  const hasSteps = rows.some(isWholeStep);
  const isFirst = hasSteps ? isWholeStep : ({ topic }) => topic === rows[0].topic;
  const isOpen = (row) => isFirst(row) || (row.topic === kGpuLimits && areTwoGpus(sides));
  const closed = Map.groupBy(rows.filter((row) => !isOpen(row)), ({ topic }) => topic);
  return [...topicTables(rows.filter(isOpen), sides), ...[...closed].map(([topic, rowsOfGroup]) =>
    drawer(`${topic}${hasSteps && topic === kTrainingStep ? ", its phases and utilization" : ""}: ${numbersOf(rowsOfGroup)}`,
      ...topicTables(rowsOfGroup, sides)))];
}

/** Shows the numbers that the host's CPU sets; they are no advantage of a GPU. */
function cpuDrawers(rows, sides) {
  if (rows.length === 0) return [];
  return [drawer(`${kSetByCpu[0].toUpperCase()}${kSetByCpu.slice(1)}: ${numbersOf(rows)}`,
    element("p", "muted", "The CPU launches kernels more slowly than the GPU runs them, for the whole time or a part. " +
      "These are numbers of the machines, not of the GPUs."), ...topicTables(rows, sides))];
}

function oneSidedDrawer({ place }, i, rows) {
  const title = `Only ${place}: ${numbersOf(rows)}`;
  const topic = { head: "Topic", isText: true, textOf: (row) => ({ text: row.topic }) };
  const remark = { head: "Remarks", style: "flags", textOf: ({ both: { [i]: quantity }, isSetByCpu }) =>
    ({ text: [isSetByCpu && kSetByCpu, quantity.remark].filter(Boolean).join("; ") }) };
  const number = { head: "Number", mixesUnits: true, textOf: ({ values: { [i]: { value, page, key } }, unit }) =>
    ({ text: `${numberText(value, unit)} ${unit}`, number: value, page, key }) };
  return drawer(title, tableOf(title, [topic, ...kTextColumns, number, remark], rows));
}
