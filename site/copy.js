// Copies and saves commands, tables and answers as text and figures as pictures.
"use strict";

const kDeviation = " ± ";

function plainText(node) {
  return node.textContent.replace(/\s+/g, " ").trim();
}

function headOf(cell) {
  const unit = cell.querySelector(".unit");
  const title = unit ? plainText(cell).slice(0, -plainText(unit).length).trim() : plainText(cell);
  const isNumber = cell.classList.contains("number");
  return { title, unit: unit ? plainText(unit) : "", isNumber };
}

/** Returns the values and remarks of a row; the reason for missing values is a remark. */
function rowOf(group) {
  const values = [];
  const remarks = [];
  for (const cell of group.flatMap((row) => [...row.cells])) {
    const isRemark = cell.classList.contains("note") || cell.classList.contains("flags");
    if (isRemark) remarks.push(plainText(cell));
    else values.push(plainText(cell.querySelector("code") ?? cell));
  }
  return { values, remark: remarks.filter((text) => text && text !== "–").join("; ") };
}

/** Reads a table as it is shown, in the order that the reader chose. */
function readTable(table) {
  const heads = [...table.tHead.rows[0].cells].map(headOf);
  const rows = rowGroups(table.tBodies[0]).map(rowOf);
  const hasRemarkColumn = heads.at(-1).title === "Remarks" && !heads.at(-1).isNumber;
  if (hasRemarkColumn) heads.pop();
  const cells = rows.map(({ values, remark }) => {
    const missing = Array(heads.length - values.length).fill("–");
    return { values: [...values, ...missing], remark };
  });
  const hasRemarks = cells.some(({ remark }) => remark);
  return { title: plainText(table.caption), heads, rows: cells, hasRemarks };
}

function withUnit({ title, unit }) {
  return unit ? `${title} (${unit})` : title;
}

/** Returns the rows as texts, with remarks as a last column if there are any. */
function textRows({ heads, rows, hasRemarks }) {
  const titles = heads.map(withUnit);
  if (!hasRemarks) return [titles, ...rows.map(({ values }) => values)];
  return [[...titles, "Remarks"], ...rows.map(({ values, remark }) => [...values, remark])];
}

function escapeMarkdown(text) {
  return text.replace(/[\\`*_{}[\]<>|#~$]/g, "\\$&").replaceAll("&", "&amp;");
}

function asMarkdown(table) {
  const escape = escapeMarkdown;
  const line = (texts) => `| ${texts.join(" | ")} |\n`;
  const [titles, ...rows] = textRows(table).map((row) => row.map(escape));
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

/** Returns "⁻⁷" as "-7". */
function exponentText(power) {
  return [...power].map((sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(sign)).map((at) => at ? at - 1 : "-").join("");
}

function escapeLatex(text) {
  return text.replace(/[\\{}$&#_%^~<>|±×–≤≥µ→−]/g, (sign) => kLatex[sign])
    .replace(/[⁻⁰¹²³⁴-⁹]+/g, (power) => `$^{${exponentText(power)}}$`);
}

function asLatex(table) {
  const escape = escapeLatex;
  const line = (texts) => `    ${texts.join(" & ")} \\\\\n`;
  const [titles, ...rows] = textRows(table).map((row) => row.map(escape));
  const columns = titles.map((_, i) => (table.heads[i]?.isNumber ? "r" : "l")).join("");
  return (
    "% needs \\usepackage{booktabs}\n\\begin{table}\n  \\centering\n" +
    `  \\caption{${escape(table.title)}}\n  \\begin{tabular}{${columns}}\n    \\toprule\n` +
    `${line(titles)}    \\midrule\n${rows.map(line).join("")}` +
    "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"
  );
}

/** Splits value and deviation into two columns of numbers, so that a spreadsheet can use them. */
function splitDeviations({ heads, rows }) {
  const hasDeviation = heads.map((_, i) => rows.some(({ values }) => values[i].includes(kDeviation)));
  const titles = heads.flatMap((head, i) =>
    hasDeviation[i] ? [withUnit(head), withUnit({ ...head, title: `${head.title} ±` })] : withUnit(head));
  const number = (text) => {
    const digits = text.replace(/^−/, "-").replace(/ × 10([⁻⁰¹²³⁴-⁹]+)$/, (_, power) => `e${exponentText(power)}`);
    return /^-?[\d,]+(\.\d+)?(e-?\d+)?$/.test(digits) ? digits.replaceAll(",", "") : text;
  };
  const cells = rows.map(({ values }) => values.flatMap((text, i) => {
    const shown = text === "–" ? "" : text;
    if (!heads[i].isNumber) return shown;
    const [value, deviation = ""] = shown.split(kDeviation);
    return hasDeviation[i] ? [number(value), number(deviation)] : number(shown);
  }));
  return [titles, cells];
}

function asCsv(table) {
  // A spreadsheet would take such a text for a formula.
  const harmless = (text) => (/^[=+@\t]/.test(text) || /^-\D/.test(text) ? `'${text}` : text);
  const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (texts) => texts.map((text) => quote(harmless(text))).join(",") + "\r\n";
  const [titles, cells] = splitDeviations(table);
  if (table.hasRemarks) {
    titles.push("Remarks");
    cells.forEach((row, i) => row.push(table.rows[i].remark));
  }
  return [titles, ...cells].map(line).join("");
}

/** Copies through a selection, for browsers without access to the clipboard. */
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

/** Makes a button that calls `act` and shows its result for a moment. */
function actionButton(words, label, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = words;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", async () => {
    button.textContent = await act();
    button.focus();
    setTimeout(() => (button.textContent = words), 1500);
  });
  return button;
}

function copyButton(words, label, textOf) {
  return actionButton(words, label, async () => ((await copyText(textOf())) ? "copied" : "not allowed"));
}

function addCopyButtons() {
  for (const code of document.querySelectorAll("td.code code, pre.commands code")) {
    const text = code.textContent.trim();
    code.before(copyButton("copy", `copy: ${text}`, () => code.textContent.trim()));
  }
}

/** Adds a closed menu after `node`, which the style sheet moves into the corner of the node's parent. Its name
 * is unique in a list of controls. */
function addMenu(node, words, name, buttons) {
  const menu = document.createElement("details");
  menu.className = "menu";
  const summary = document.createElement("summary");
  summary.textContent = words;
  summary.setAttribute("aria-label", `${words}: ${name}`);
  const choices = document.createElement("div");
  choices.append(...buttons);
  menu.append(summary, choices);
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    summary.focus();
  });
  node.after(menu);
}

function closeMenusOnOutsideClicks() {
  addEventListener("click", ({ target }) => {
    for (const menu of document.querySelectorAll(".menu[open]")) {
      if (!menu.contains(target)) menu.open = false;
    }
  });
}

const kFormats = { Markdown: asMarkdown, LaTeX: asLatex, CSV: asCsv };

function addTableMenu(table) {
  addMenu(table.parentElement, "copy", plainText(table.caption), Object.entries(kFormats).map(([format, write]) =>
    copyButton(format, `${format}: copy this table`, () => write(readTable(table)))));
}

/** Writers by element name. Each gets the written content and the plain text, but a link's gets the element second. */
const kProse = {
  Markdown: { text: escapeMarkdown, strong: (words) => `**${words}**`, em: (words) => `*${words}*`,
    code: (_, text) => `\`${text}\``, a: (words, { href }) => `[${words}](${href})`, li: (words) => `- ${words.trim()}\n`,
    ul: (items) => `${items}\n`, ol: (items) => `${items}\n`, p: (words) => `${words}\n\n`,
    pre: (_, text) => `\`\`\`\n${text.trim()}\n\`\`\`\n\n` },
  LaTeX: { text: escapeLatex, strong: (words) => `\\textbf{${words}}`, em: (words) => `\\emph{${words}}`,
    code: (_, text) => `\\texttt{${escapeLatex(text)}}`, a: (words, { href }) => `\\href{${href}}{${words}}`,
    li: (words) => `  \\item ${words.trim()}\n`, ul: (items) => `\\begin{itemize}\n${items}\\end{itemize}\n\n`,
    ol: (items) => `\\begin{enumerate}\n${items}\\end{enumerate}\n\n`, p: (words) => `${words}\n\n`,
    pre: (_, text) => `\\begin{verbatim}\n${text.trim()}\n\\end{verbatim}\n\n` },
};

function proseOf(node, writers) {
  if (node.nodeType === Node.TEXT_NODE) return writers.text(node.textContent.replace(/\s+/g, " "));
  if (node.localName === "math") return `$${node.getAttribute("alttext")}$`;
  const inside = [...node.childNodes].filter(({ classList }) => !classList?.contains("menu") && !classList?.contains("mark"))
    .map((child) => proseOf(child, writers)).join("");
  const write = writers[node.localName];
  return write ? write(inside, node.localName === "a" ? node : node.textContent) : inside;
}

function addAnswerMenu(answer) {
  addMenu(answer.lastElementChild, "copy", "this answer", Object.entries(kProse).map(([format, writers]) =>
    copyButton(format, `${format}: copy this answer`, () => `${proseOf(answer, writers).trim()}\n`)));
}

function save(name, content) {
  const link = document.createElement("a");
  link.href = content instanceof Blob ? URL.createObjectURL(content) : content;
  link.download = name;
  link.click();
  return "saved";
}

/** Returns the figure's drawing as the text of an SVG file, from its interactive chart if the picture is no SVG. */
async function drawingOf(figure) {
  const frame = figure.querySelector(".frame.wide");
  if (!frame.querySelector("svg")) await bringToLife(frame);
  const drawing = frame.querySelector("svg").cloneNode(true);
  drawing.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(drawing);
}

async function pngOf(svg) {
  const kPixelRatio = 2;
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [kPixelRatio * picture.naturalWidth, kPixelRatio * picture.naturalHeight];
  const pen = canvas.getContext("2d");
  pen.fillStyle = "white";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done));
}

/** Offers the figure's address, picture and data. A figure that is no chart cannot be saved as a picture. */
function addFigureMenu(figure) {
  const name = figure.id;
  const title = plainText(figure.querySelector("figcaption .self"));
  const address = () => new URL(`#${name}`, location.href).href;
  const buttons = [copyButton("link", "copy this figure’s address", address)];
  const picture = figure.querySelector(".frame.wide > img");
  const source = picture?.src;
  if (source) {
    const markdown = () => `![${escapeMarkdown(title)}](${source})\n`;
    buttons.push(copyButton("Markdown", "copy this figure as Markdown", markdown));
  }
  if (!("live" in figure.dataset) && figure.querySelector(".frame.wide")) {
    const saveSvg = async () => save(`${name}.svg`, new Blob([await drawingOf(figure)], { type: "image/svg+xml" }));
    const savePng = async () => save(`${name}.png`, await pngOf(await drawingOf(figure)));
    buttons.push(actionButton("SVG", "save this figure as SVG", saveSvg),
      actionButton("PNG", "save this figure as PNG", savePng));
  }
  const table = document.querySelector(`[id="${name}-data"] table`);
  if (table) {
    const saveCsv = () => save(`${name}.csv`, new Blob([asCsv(readTable(table))], { type: "text/csv" }));
    buttons.push(actionButton("CSV", "save this figure’s data as CSV", saveCsv));
  }
  addMenu(figure.querySelector("figcaption"), "save", title, buttons);
}
