// Lets a reader sort tables by a button in each column's head. The second click reverses the order, the
// third restores the report's own.
"use strict";

const kFewestRows = 8;
const kOrders = ["none", "ascending", "descending"];

/** Groups each row with the row below it that holds its remarks. */
function rowGroups(body) {
  const groups = [];
  for (const row of body.rows) {
    if (row.classList.contains("below")) groups.at(-1).push(row);
    else groups.push([row]);
  }
  return groups;
}

/** Returns the value by which a row is sorted; null if it has none. */
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

/** Sorts groups by a column's values; groups without a value stay last in either order. */
function sortedGroups(groups, column, isNumber, order) {
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
    const rows = order === "none" ? groups : sortedGroups(groups, column, isNumber, order);
    body.append(...rows.flat());
  });
}

function addSortButtons(table) {
  const body = table.tBodies[0];
  const groups = rowGroups(body);
  const heads = [...table.tHead.rows[0].cells];
  const hasNumbers = heads.some((head) => head.classList.contains("number"));
  if (groups.length < kFewestRows || !hasNumbers) return;
  heads.forEach((head, column) => addSortButton(head, column, body, groups));
}
