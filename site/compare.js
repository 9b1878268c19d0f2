// Lets a reader choose two GPUs or runs at the head of each comparison. Two runs that a page compares
// cell by cell lead to that page; compare.html compares all others by the summaries of a site's runs.
// Its address names them: "compare.html?a=nvidia-h200&b=nvidia-h100-80gb-hbm3".
"use strict";

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

/** Says how many numbers are compared, how many are not because both sides have them of one run, and where there is more. */
function commonWords(rows, sameRows, sides) {
  const ready = readyLinks(sides).flatMap((link, i, links) => [i === 0 ? "" : i === links.length - 1 ? " and " : ", ", link]);
  const pages = ready.length > 2 ? "ready comparisons" : "ready comparison";
  if (sides.some(({ group }) => group === kPublished))
    return ready.length > 0 ? [`A published table has a page of its own: see the ${pages} `, ...ready, "."]
      : ["A published table is compared by a page of its own, and these two have none."];
  if (rows.length === 0) return [sameRows.length > 0 ? "Both have their numbers of the same run." : "They have no number in common."];
  const left = sameRows.length > 0 ? ` Left out, because both sides have them of the same run: ${numbersOf(sameRows)}.` : "";
  const more = ready.length > 0 ? [`see the ${pages} `, ...ready]
    : ["compare them by ", Object.assign(element("a", "", "the command below"), { href: "#reproduce" })];
  return [`${numbersOf(rows)} in common, the main ones of their reports.${left} For each kernel and for causes, `, ...more, "."];
}

/** Returns the line that says what is compared and where there is more, and the sections of the comparison. */
function comparison(sides) {
  nameApart(sides);
  const all = rowsOf(pairsOf(sides));
  const [cpuRows, rows] = [true, false].map((isSetByCpu) =>
    all.filter((row) => row.values.every(Boolean) && !isOneMeasurement(row) && row.isSetByCpu === isSetByCpu));
  const oneSided = sides.map((side, i) => [side, i, all.filter(({ values }) => values[i] && !values[1 - i])])
    .filter(([, , oneSidedRows]) => oneSidedRows.length > 0);
  const steps = headlineSteps(rows, sides);
  // Figure and tables give the advantage of the side that the summary calls faster.
  const isSecondFaster = steps.length > 0 && steps[0].values[1].value < steps[0].values[0].value;
  sides.forEach((side, i) => Object.assign(side, { leads: (i === 1) === isSecondFaster }));
  const lines = summaryLines(steps, rows, all, sides);
  const summary = [...(lines.length > 0 ? [element("div", "answer", element("ul", "", ...lines))] : []), ...advantageFigure(rows, sides),
    ...priceForms(steps, sides)];
  const numbers = [...tablesByTopic(rows, sides), ...cpuDrawers(cpuRows, sides), ...oneSided.map((one) => oneSidedDrawer(...one))];
  return { line: commonWords([...rows, ...cpuRows], all.filter(isOneMeasurement), sides),
    sections: [...(summary.length > 0 ? [sectionOf("Summary", ...summary)] : []),
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
    const words = ({ group, label }) => `${group} ${label}`;
    const runSides = runs.map(sideOfRun).sort((one, other) => words(one).localeCompare(words(other), "en"));
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
    this.notes = Object.values(this.controls).map((select) => select.parentElement.appendChild(element("p", "muted")));
    this.describe();
  }

  /** Says below each control what the chosen one is, with a link to its page. */
  describe() {
    this.folders.forEach((folder, i) => {
      const { page, about } = this.sides.find((side) => side.folder === folder) ?? {};
      this.notes[i].replaceChildren(...(page ? [Object.assign(element("a", "", about), { href: this.root + page })] : []));
    });
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
    else {
      this.show();
      kPhone.addEventListener("change", () => this.show());
    }
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
    this.describe();
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
