// What a page does beyond being read: interactive charts, copying a command, printing it all.
// Without this script every figure, table and word is there too.
"use strict";

// Chart tooltips get their looks from style.css; no style or code is made at run time, so that the
// page's content security policy holds.
const kEmbedOptions = {
  mode: "vega-lite",
  renderer: "svg",
  ast: true,
  actions: false,
  defaultStyle: false,
  tooltip: { disableDefaultStyle: true },
};

/** Replaces a drawn chart by its interactive twin, of the same size, once that is complete. */
async function bringToLife(frame) {
  const spec = JSON.parse(frame.parentElement.querySelector("script.spec").textContent);
  const stage = document.createElement("div");
  await window.labreportCharts.vegaEmbed(stage, spec, kEmbedOptions);
  frame.replaceChildren(stage);
  // A chart's settings are no part of the picture: screen readers skip what is inside one.
  const settings = stage.querySelector("form.vega-bindings");
  if (settings) frame.after(settings);
  frame.dataset.live = "yes";
}

/** Charts come to life as they come into view; on a phone the drawn, narrow ones stay. */
function watchCharts() {
  if (!window.labreportCharts) return;
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watcher.unobserve(target);
        bringToLife(target).catch((problem) => console.error(target.parentElement.id, problem));
      }
    },
    { rootMargin: "400px" },
  );
  for (const frame of document.querySelectorAll(".frame.wide")) watcher.observe(frame);
}

async function copyText(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    // A browser that keeps its clipboard: select the words, so that one key copies them.
    getSelection().selectAllChildren(code);
    return false;
  }
}

function addCopyButtons() {
  for (const code of document.querySelectorAll("td.code code, pre.commands code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.setAttribute("aria-label", `Copy: ${code.textContent.trim()}`);
    button.addEventListener("click", async () => {
      button.textContent = (await copyText(code)) ? "copied" : "selected";
      setTimeout(() => (button.textContent = "copy"), 1500);
    });
    code.after(button);
  }
}

/** On paper no drawer stays closed; afterwards each is as the reader left it. */
function openDrawersToPrint() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const drawer of opened) drawer.open = true;
  });
  addEventListener("afterprint", () => {
    for (const drawer of opened) drawer.open = false;
  });
}

watchCharts();
addCopyButtons();
openDrawersToPrint();
