// Says which side of a comparison to rent for 1,000 steps. The page's address keeps the two prices
// per hour: "?price_a=2.49&price_b=3.79". Their currency is the reader's.
"use strict";

const MS_PER_HOUR = 3.6e6;
const PRICE_NAMES = ["price_a", "price_b"];

function costSentence({ name, a, b }, [priceA, priceB], [sideA, sideB]) {
  const [costA, costB] = [a * priceA, b * priceB].map((price) => price * 1000 / MS_PER_HOUR);
  const [lowerCost, higherCost, cheaperSide] = costA < costB ? [costA, costB, sideA] : [costB, costA, sideB];
  const percentLess = ((1 - lowerCost / higherCost) * 100).toFixed(0);
  return `${name}: ${costA.toPrecision(3)} on ${sideA}, ${costB.toPrecision(3)} on ${sideB}; ` +
    (percentLess === "0" ? "both cost the same" : `rent ${cheaperSide}, ${percentLess} % less`);
}

/**
 * Fills a form with a field for each side's price and the answer for these steps, before which it says `hint`. Steps have a
 * name and their ms on a and b.
 */
function fillPriceForm(form, steps, sides, hint = "") {
  const inputs = PRICE_NAMES.map((name) =>
    Object.assign(document.createElement("input"), { name, type: "number", min: "0", step: "any", inputMode: "decimal" }));
  const labels = inputs.map((input, i) => {
    const label = document.createElement("label");
    label.append(`${sides[i]} `, input);
    return label;
  });
  const heading = Object.assign(document.createElement("span"), { textContent: "Price per hour:" });
  const output = document.createElement("output");
  form.replaceChildren(heading, ...labels, output);
  const show = () => {
    const prices = inputs.map((input) => Number(input.value));
    output.textContent = prices.every((price) => price > 0 && Number.isFinite(price))
      ? `1,000 steps. ${steps.map((step) => `${costSentence(step, prices, sides)}.`).join(" ")}`
      : `${hint}Enter both to see what 1,000 steps cost and which to rent.`;
  };
  const keepPrices = () => {
    const address = new URL(location.href);
    for (const { name, value } of inputs) {
      if (value) address.searchParams.set(name, value); else address.searchParams.delete(name);
    }
    history.replaceState(null, "", address);
  };
  const query = new URLSearchParams(location.search);
  for (const input of inputs) input.value = query.get(input.name) ?? "";
  form.addEventListener("input", () => { show(); keepPrices(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
  const refused = PRICE_NAMES.filter((name) => query.has(name) && !(Number(query.get(name)) > 0 && Number.isFinite(Number(query.get(name)))));
  if (refused.length > 0) output.textContent = `The address gives no price as ${refused.join(" and ")}: write a number above 0, such as ${refused[0]}=2.49.`;
}

function addPrices() {
  const form = document.querySelector(".prices");
  if (form) fillPriceForm(form, JSON.parse(form.dataset.steps), [form.dataset.sideA, form.dataset.sideB]);
}
