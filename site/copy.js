// Copying: a command as it is, a table as Markdown, LaTeX or CSV.
"use strict";

const kDeviation = " ± ";

function plain(node) {
  return node.textContent.replace(/\s+/g, " ").trim();
}

function headOf(cell) {
  const unit = cell.querySelector(".unit");
  const title = unit ? plain(cell).slice(0, -plain(unit).length).trim() : plain(cell);
  const isNumber = cell.classList.contains("number");
  return { title, unit: unit ? plain(unit) : "", isNumber };
}

/** Values and remarks of a row; the reason for missing values is a remark. */
function rowOf(group) {
  const values = [];
  const remarks = [];
  for (const cell of group.flatMap((row) => [...row.cells])) {
    const said = cell.classList.contains("note") || cell.classList.contains("flags");
    if (said) remarks.push(plain(cell));
    else values.push(plain(cell.querySelector("code") ?? cell));
  }
  return { values, remark: remarks.filter((text) => text && text !== "–").join("; ") };
}

/** A table as it stands, in the order that the reader sees. */
function readTable(table) {
  const heads = [...table.tHead.rows[0].cells].map(headOf);
  const rows = rowGroups(table.tBodies[0]).map(rowOf);
  const flagged = heads.at(-1).title === "Remarks" && !heads.at(-1).isNumber;
  if (flagged) heads.pop();
  const cells = rows.map(({ values, remark }) => {
    const missing = Array(heads.length - values.length).fill("–");
    return { values: [...values, ...missing], remark };
  });
  const remarked = cells.some(({ remark }) => remark);
  return { title: plain(table.caption), heads, rows: cells, remarked };
}

function withUnit({ title, unit }) {
  return unit ? `${title} (${unit})` : title;
}

/** The rows as texts, remarks as a last column where there are some. */
function grid({ heads, rows, remarked }) {
  const titles = heads.map(withUnit);
  if (!remarked) return [titles, ...rows.map(({ values }) => values)];
  return [[...titles, "Remarks"], ...rows.map(({ values, remark }) => [...values, remark])];
}

function asMarkdown(table) {
  const escape = (text) => text.replace(/[\\`*_{}[\]<>|#~$]/g, "\\$&").replaceAll("&", "&amp;");
  const line = (texts) => `| ${texts.join(" | ")} |\n`;
  const [titles, ...rows] = grid(table).map((row) => row.map(escape));
  const rules = titles.map((_, i) => (table.heads[i]?.isNumber ? "---:" : "---"));
  const lines = [titles, rules, ...rows].map(line).join("");
  return `**${escape(table.title)}**\n\n${lines}`;
}

const kLatex = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "#": "\\#",
  "_": "\\_", "%": "\\%", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}",
  "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", "±": "$\\pm$",
  "×": "$\\times$", "–": "--", "≤": "$\\leq$", "≥": "$\\geq$", "µ": "$\\mu$", "→": "$\\to$", "−": "$-$",
};

/** "⁻⁷" as "-7" */
function raised(power) {
  return [...power].map((sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(sign)).map((at) => at ? at - 1 : "-").join("");
}

function asLatex(table) {
  const escape = (text) => text.replace(/[\\{}$&#_%^~<>|±×–≤≥µ→−]/g, (sign) => kLatex[sign])
    .replace(/[⁻⁰¹²³⁴-⁹]+/g, (power) => `$^{${raised(power)}}$`);
  const line = (texts) => `    ${texts.join(" & ")} \\\\\n`;
  const [titles, ...rows] = grid(table).map((row) => row.map(escape));
  const columns = titles.map((_, i) => (table.heads[i]?.isNumber ? "r" : "l")).join("");
  return (
    "% needs \\usepackage{booktabs}\n\\begin{table}\n  \\centering\n" +
    `  \\caption{${escape(table.title)}}\n  \\begin{tabular}{${columns}}\n    \\toprule\n` +
    `${line(titles)}    \\midrule\n${rows.map(line).join("")}` +
    "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"
  );
}

/** Value and deviation as two columns of numbers, so that a spreadsheet can count with them. */
function splitDeviations({ heads, rows }) {
  const split = heads.map((_, i) => rows.some(({ values }) => values[i].includes(kDeviation)));
  const titles = heads.flatMap((head, i) =>
    split[i] ? [withUnit(head), withUnit({ ...head, title: `${head.title} ±` })] : withUnit(head));
  const number = (text) => {
    const plain = text.replace(/^−/, "-").replace(/ × 10([⁻⁰¹²³⁴-⁹]+)$/, (_, power) => `e${raised(power)}`);
    return /^-?[\d,]+(\.\d+)?(e-?\d+)?$/.test(plain) ? plain.replaceAll(",", "") : text;
  };
  const cells = rows.map(({ values }) => values.flatMap((text, i) => {
    const known = text === "–" ? "" : text;
    if (!heads[i].isNumber) return known;
    const [value, deviation = ""] = known.split(kDeviation);
    return split[i] ? [number(value), number(deviation)] : number(known);
  }));
  return [titles, cells];
}

function asCsv(table) {
  // A spreadsheet would take such a text for a formula.
  const harmless = (text) => (/^[=+@\t]/.test(text) || /^-\D/.test(text) ? `'${text}` : text);
  const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (texts) => texts.map((text) => quote(harmless(text))).join(",") + "\r\n";
  const [titles, cells] = splitDeviations(table);
  if (table.remarked) {
    titles.push("Remarks");
    cells.forEach((row, i) => row.push(table.rows[i].remark));
  }
  return [titles, ...cells].map(line).join("");
}

/** For browsers that keep their clipboard to themselves: the way of old. */
function copySelected(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  return copied;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copyButton(words, label, textOf) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = words;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", async () => {
    const copied = await copyText(textOf());
    button.focus();
    button.textContent = copied ? "copied" : "not allowed";
    setTimeout(() => (button.textContent = words), 1500);
  });
  return button;
}

function addCopyButtons() {
  for (const code of document.querySelectorAll("td.code code, pre.commands code")) {
    const text = code.textContent.trim();
    code.after(copyButton("copy", `copy: ${text}`, () => text));
  }
}

const kFormats = { Markdown: asMarkdown, LaTeX: asLatex, CSV: asCsv };

/** One closed control a table; its name tells tables apart where they are listed. */
function addTableMenu(table) {
  const menu = document.createElement("details");
  menu.className = "menu";
  const summary = document.createElement("summary");
  summary.textContent = "copy";
  summary.setAttribute("aria-label", `copy table: ${plain(table.caption)}`);
  const choices = document.createElement("div");
  for (const [format, write] of Object.entries(kFormats)) {
    choices.append(copyButton(format, `${format}: copy this table`, () => write(readTable(table))));
  }
  menu.append(summary, choices);
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    summary.focus();
  });
  const place = table.closest(".tabled");
  place.classList.add("equipped");
  place.append(menu);
}
