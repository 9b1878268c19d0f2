// Figures that differ in one condition share a place: radio buttons choose which is seen. Without
// this script, and on paper, they follow one another.
"use strict";

function addSwitch(family, index) {
  const variants = [...family.children];
  const fieldset = document.createElement("fieldset");
  fieldset.className = "switch";
  const legend = document.createElement("legend");
  legend.textContent = family.dataset.family;
  fieldset.append(legend);
  const choose = (shownVariant) => {
    for (const variant of variants) variant.classList.toggle("away", variant !== shownVariant);
  };
  for (const variant of variants) {
    const label = document.createElement("label");
    const button = document.createElement("input");
    button.type = "radio";
    button.name = `switch-${index}`;
    button.checked = variant === variants[0];
    button.addEventListener("change", () => choose(variant));
    variant.addEventListener("wanted", () => button.click());
    label.append(button, ` ${variant.dataset.variant}`);
    fieldset.append(label);
  }
  family.prepend(fieldset);
  choose(variants[0]);
}

function addSwitches() {
  document.querySelectorAll(".variants").forEach(addSwitch);
}

/** Shows the target of a link, even in a closed details element or a hidden variant. */
function showLinked() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  target.closest(".variant.away")?.dispatchEvent(new Event("wanted"));
  for (let details = target.closest("details"); details;
    details = details.parentElement.closest("details")) {
    details.open = true;
  }
  target.scrollIntoView({ block: target.matches("tr") ? "center" : "start" });
}

function followLinks() {
  addEventListener("hashchange", showLinked);
  if (location.hash) showLinked();
}
