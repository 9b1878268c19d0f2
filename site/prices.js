// Computes what 1,000 steps cost on each side of a comparison. The page's address keeps the two
// prices per hour; their currency is the reader's.
"use strict";

const MS_PER_HOUR = 3.6e6;

function costs({name, a, b}, [priceA, priceB], [sideA, sideB]) {
  const [costA, costB] = [a * priceA, b * priceB].map((price) => price * 1000 / MS_PER_HOUR);
  const [cheap, dear, side] = costA < costB ? [costA, costB, sideA] : [costB, costA, sideB];
  const less = ((1 - cheap / dear) * 100).toFixed(0);
  return `${name}: ${costA.toPrecision(3)} on ${sideA}, ${costB.toPrecision(3)} on ${sideB}` +
    (less === "0" ? " (even)" : ` (${side}: ${less} % less)`);
}

function addPrices() {
  const form = document.querySelector(".prices");
  if (!form) return;
  const inputs = [...form.querySelectorAll("input")];
  const sides = inputs.map((input) => input.labels[0].textContent.trim());
  const output = form.querySelector("output");
  const show = () => {
    const prices = inputs.map((input) => Number(input.value));
    const known = prices.every((price) => price > 0);
    output.textContent = known
      ? "1,000 steps. " + JSON.parse(form.dataset.steps).map((step) => costs(step, prices, sides)).join("; ")
      : "Enter both to see what 1,000 steps cost.";
  };
  const keep = () => {
    const address = new URL(location.href);
    for (const {name, value} of inputs) {
      if (value) address.searchParams.set(name, value); else address.searchParams.delete(name);
    }
    history.replaceState(null, "", address);
  };
  const given = new URLSearchParams(location.search);
  for (const input of inputs) input.value = given.get(input.name) ?? "";
  form.addEventListener("input", () => { show(); keep(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}
