// Adds conveniences to a page. Without scripts every figure, table and word is there too.
"use strict";

/** Marks the section being read in the contents list. */
class ContentsMark {
  constructor(list) {
    this.list = list;
    this.title = element("span", ""); // On a phone the closed list shows it.
    const drawer = list.querySelector("details");
    drawer.querySelector("summary").append(this.title);
    list.addEventListener("click", ({ target }) => {
      if (target.closest("li a")) drawer.open = false;
    });
    addEventListener("scroll", () => this.onScroll(), { passive: true });
    this.watch();
  }

  /** Watches the sections that the list links to now. */
  watch() {
    this.watcher?.disconnect();
    this.links = new Map();
    for (const link of this.list.querySelectorAll("a[href^='#']")) {
      const section = document.getElementById(link.hash.slice(1));
      if (section) this.links.set(section, link);
    }
    this.visible = new Set();
    this.watcher = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        isIntersecting ? this.visible.add(target) : this.visible.delete(target);
      }
      this.mark();
    }, { rootMargin: "-15% 0px -84% 0px" });
    for (const section of this.links.keys()) this.watcher.observe(section);
  }

  /** At the page's end the last section is read, which may be too short to reach the line that is watched. */
  onScroll() {
    const { scrollHeight, clientHeight } = document.documentElement;
    const isAtEnd = scrollY > 0 && scrollY + clientHeight >= scrollHeight - 2;
    if (isAtEnd === this.isAtEnd) return;
    this.isAtEnd = isAtEnd;
    this.mark();
  }

  mark() {
    const sections = [...this.links.keys()];
    const current = this.isAtEnd ? sections.at(-1)
      : sections.filter((section) => this.visible.has(section)).at(-1) ?? sections[0];
    this.title.textContent = current ? ` · ${this.links.get(current).textContent}` : "";
    for (const [section, link] of this.links) {
      if (section === current) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
    const { list } = this;
    if (current === sections[0]) list.scrollTop = 0; // The reader may be above the first section.
    if (!current || list.scrollHeight <= list.clientHeight) return;
    const place = this.links.get(current).getBoundingClientRect().top - list.getBoundingClientRect().top;
    if (place < 0 || place > list.clientHeight - 40) list.scrollTop += place - 80;
  }
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
      const link = element("a", "", name);
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
const contentsList = document.querySelector(".contents");
const contentsMark = contentsList && new ContentsMark(contentsList);
openDetailsToPrint();
followLinks();
wakeCharts();
placeFits();
