// The theme: light, dark, or that of the system. Runs in the head, so that a page never flashes in the wrong one.
"use strict";
(() => {
  const KEY = "tiltyard-appearance";
  const NAMES = ["auto", "light", "dark"];
  let chosen = "auto";
  try {
    const kept = localStorage.getItem(KEY);
    if (NAMES.includes(kept)) chosen = kept;
  } catch {
    // Storage may be forbidden; the choice then holds for this page.
  }

  function apply() {
    if (chosen === "auto") document.documentElement.removeAttribute("data-appearance");
    else document.documentElement.setAttribute("data-appearance", chosen);
  }

  apply();
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("appearance");
    const name = document.getElementById("appearance-name");
    name.textContent = chosen;
    button.hidden = false;
    button.addEventListener("click", () => {
      chosen = NAMES[(NAMES.indexOf(chosen) + 1) % NAMES.length];
      try {
        localStorage.setItem(KEY, chosen);
      } catch {
        // As above.
      }
      name.textContent = chosen;
      apply();
      document.dispatchEvent(new Event("appearance"));
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.dispatchEvent(new Event("appearance")));
  });
})();
