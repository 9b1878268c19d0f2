// Computes what 1,000 steps cost on each side of a comparison. The page's address keeps the two
// prices per hour; their currency is the reader's.
"use strict";

const MS_PER_HOUR = 3.6e6;

function costSentence({name, a, b}, [priceA, priceB], [sideA, sideB]) {
  const [costA, costB] = [a * priceA, b * priceB].map((price) => price * 1000 / MS_PER_HOUR);
  const [lowerCost, higherCost, cheaperSide] = costA < costB ? [costA, costB, sideA] : [costB, costA, sideB];
  const percentLess = ((1 - lowerCost / higherCost) * 100).toFixed(0);
  return `${name}: ${costA.toPrecision(3)} on ${sideA}, ${costB.toPrecision(3)} on ${sideB}` +
    (percentLess === "0" ? " (even)" : ` (${cheaperSide}: ${percentLess} % less)`);
}

function addPrices() {
  const form = document.querySelector(".prices");
  if (!form) return;
  const inputs = [...form.querySelectorAll("input")];
  const sides = inputs.map((input) => input.labels[0].textContent.trim());
  const output = form.querySelector("output");
  const show = () => {
    const prices = inputs.map((input) => Number(input.value));
    const hasPrices = prices.every((price) => price > 0);
    output.textContent = hasPrices
      ? "1,000 steps. " + JSON.parse(form.dataset.steps).map((step) => costSentence(step, prices, sides)).join("; ")
      : "Enter both to see what 1,000 steps cost.";
  };
  const keepPrices = () => {
    const address = new URL(location.href);
    for (const {name, value} of inputs) {
      if (value) address.searchParams.set(name, value); else address.searchParams.delete(name);
    }
    history.replaceState(null, "", address);
  };
  const query = new URLSearchParams(location.search);
  for (const input of inputs) input.value = query.get(input.name) ?? "";
  form.addEventListener("input", () => { show(); keepPrices(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}
