// Tables that a reader can sort: by a button in each column's head; once more turns the order
// around, a third time brings back the report's own.
"use strict";

const kFewestRows = 4;
const kOrders = ["none", "ascending", "descending"];

/** A row with the one below it that belongs to it. */
function rowGroups(body) {
  const groups = [];
  for (const row of body.rows) {
    if (row.classList.contains("below")) groups.at(-1).push(row);
    else groups.push([row]);
  }
  return groups;
}

/** What a row stands under in that order; null where it has no value. */
function sortKey(row, column, isNumber) {
  const cell = row.cells[column];
  if (!cell || cell.classList.contains("note") || cell.classList.contains("flags")) return null;
  if (cell.dataset.sort) return Number(cell.dataset.sort);
  const text = cell.textContent.trim();
  return isNumber || text === "" || text === "–" ? null : text;
}

function compareKeys(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

/** Groups by a column's values; those without one stay last, whichever way the rest goes. */
function sorted(groups, column, isNumber, order) {
  const sign = order === "descending" ? -1 : 1;
  const keyed = groups.map((group) => ({ group, key: sortKey(group[0], column, isNumber) }));
  const known = keyed.filter(({ key }) => key !== null);
  known.sort((a, b) => sign * compareKeys(a.key, b.key));
  return [...known, ...keyed.filter(({ key }) => key === null)].map(({ group }) => group);
}

function addSortButton(head, column, body, groups) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "sort";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const order = kOrders[(kOrders.indexOf(head.ariaSort ?? "none") + 1) % kOrders.length];
    for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
    if (order !== "none") head.setAttribute("aria-sort", order);
    const isNumber = head.classList.contains("number");
    const rows = order === "none" ? groups : sorted(groups, column, isNumber, order);
    body.append(...rows.flat());
  });
}

function addSortButtons(table) {
  const body = table.tBodies[0];
  const groups = rowGroups(body);
  const heads = [...table.tHead.rows[0].cells];
  const helps = heads.some((head) => head.classList.contains("number"));
  if (groups.length < kFewestRows || !helps) return;
  heads.forEach((head, column) => addSortButton(head, column, body, groups));
}
