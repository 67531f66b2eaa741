// The end of a league: one place after the other, from the last one up. Without this script all are shown.
"use strict";
(() => {
  const rows = [...document.querySelectorAll("#reveal > li")];
  const next = document.getElementById("next");
  const told = document.getElementById("told");
  // How far it has come stands in the address: after a look at a game, "back" goes on from there.
  const before = Number(/^#shown=(\d+)$/.exec(location.hash)?.[1] ?? 0);
  let shown = 0;
  rows.forEach((row) => (row.hidden = true));
  next.hidden = rows.length === 0;
  document.getElementById("help").hidden = rows.length === 0;

  function reveal() {
    if (shown === rows.length) return;
    const row = rows[shown++];
    row.hidden = false;
    row.classList.add("new");
    rows.forEach((other) => other !== row && other.classList.remove("new"));
    // The newest stands at the top, where the last one of all will be the first.
    row.parentNode.prepend(row);
    told.textContent = row.querySelector("strong").textContent;
    next.hidden = shown === rows.length;
    history.replaceState(null, "", `#shown=${shown}`);
  }

  while (shown < Math.min(before, rows.length)) reveal();

  next.addEventListener("click", reveal);
  document.addEventListener("keydown", (event) => {
    if ((event.key === " " || event.key === "Enter") && !event.target.matches("a, button")) {
      event.preventDefault();
      reveal();
    }
  });
})();
