// Adds conveniences to a page. Without scripts every figure, table and word is there too.
"use strict";

/** Marks the section being read in the contents list. */
function markContents() {
  const links = new Map();
  for (const link of document.querySelectorAll(".contents a[href^='#']")) {
    const section = document.getElementById(link.hash.slice(1));
    if (section) links.set(section, link);
  }
  const list = document.querySelector(".contents");
  const drawer = list?.querySelector("details");
  const currentTitle = document.createElement("span"); // On a phone the closed list shows it.
  drawer?.querySelector("summary").append(currentTitle);
  list?.addEventListener("click", ({ target }) => {
    if (target.closest("li a")) drawer.open = false;
  });
  const visible = new Set();
  const mark = () => {
    const current = [...links.keys()].filter((section) => visible.has(section)).at(-1);
    currentTitle.textContent = current ? ` · ${links.get(current).textContent}` : "";
    for (const [section, link] of links) {
      if (section === current) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
    const link = links.get(current);
    if (!link) list.scrollTop = 0; // The reader is above the first section.
    if (!link || list.scrollHeight <= list.clientHeight) return;
    const place = link.getBoundingClientRect().top - list.getBoundingClientRect().top;
    if (place < 0 || place > list.clientHeight - 40) list.scrollTop += place - 80;
  };
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        isIntersecting ? visible.add(target) : visible.delete(target);
      }
      mark();
    },
    { rootMargin: "-15% 0px -84% 0px" },
  );
  for (const section of links.keys()) watcher.observe(section);
}

/** Lets the keyboard focus and scroll tables that are wider than their place. */
function focusWideTables() {
  const setFocusable = (target, wide) => {
    if (wide) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  };
  const watcher = new ResizeObserver((entries) => {
    // Measuring all before changing any avoids a new layout for each.
    const widths = entries.map(({ target }) => target.scrollWidth > target.clientWidth);
    entries.forEach(({ target }, i) => setFocusable(target, widths[i]));
  });
  for (const table of document.querySelectorAll(".table")) watcher.observe(table);
}

/** Opens all details for print and closes them again afterwards. */
function openDetailsToPrint() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open], .menu)")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
}

/** Cuts a kernel's long name to three lines until a reader expands it. */
function shortenNames(table) {
  for (const cell of table.tBodies[0].querySelectorAll("td:not(.code, .note, .flags)")) {
    if (cell.querySelector("a") || !/\S{40}/.test(cell.textContent)) continue;  // A button holds no link.
    const name = element("span", "name", ...cell.childNodes);
    Object.assign(name, { tabIndex: 0, role: "button", ariaExpanded: "false" });
    const toggle = () => (name.ariaExpanded = String(name.ariaExpanded === "false"));
    name.addEventListener("click", toggle);
    name.addEventListener("keydown", ({ key }) => key === "Enter" && toggle());
    cell.append(name);
  }
}

/** Adds to a report's parts links to the newest report of the same part on other GPUs. The site's script ends
 * with a call of this: `newest` has each part's GPUs, a GPU's name, folder and report. */
function linkOtherGpus(newest) {
  const root = new URL("..", document.currentScript.src);
  for (const place of document.querySelectorAll(".elsewhere")) {
    for (const [name, folder, report] of newest[place.closest(".part").id] ?? []) {
      if (location.href.startsWith(new URL(folder, root).href)) continue;
      const link = element("a", "", `on the ${name}`);
      link.href = new URL(report, root).href;
      place.prepend(link, " · ");
    }
  }
}

function addButtons(target) {
  if (target.matches("figure")) return addFigureMenu(target);
  if (target.matches(".answer")) return addAnswerMenu(target);
  addSortButtons(target);
  addTableMenu(target);
  shortenNames(target);
}

/** Adds buttons while the page is idle, because readers do not need them at once. */
function addButtonsWhenIdle() {
  const targets = [...document.querySelectorAll(".tabled table, figure.chart, .answer:not(.blank)")];
  const next = (deadline) => {
    do {
      const target = targets.shift();
      if (!target) {
        document.documentElement.dataset.equipped = "yes";
        return;
      }
      addButtons(target);
    } while (deadline && deadline.timeRemaining() > 5);
    onceIdle(next, { timeout: 200 });
  };
  onceIdle(next, { timeout: 200 });
}

addSwitches();
addPrices();
addCopyButtons();
closeMenusOnOutsideClicks();
addButtonsWhenIdle();
focusWideTables();
markContents();
openDetailsToPrint();
followLinks();
wakeCharts();
placeFits();
