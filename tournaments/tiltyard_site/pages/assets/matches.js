// The list of games: filters in the address, so that a cell of the crosstable is a link; rows a hundred at a time.
"use strict";
(async () => {
  const { element, name } = Tiltyard;
  const PAGE = 100;
  const FAULT = 1;
  const NO_RESULT = 2;
  const REPLAY = 4;
  const form = document.getElementById("filters");
  const body = document.getElementById("games");
  const more = document.getElementById("more");
  const countLine = document.getElementById("count");
  let list;
  try {
    list = await Tiltyard.load("data/games");
  } catch (error) {
    countLine.textContent = error.message;
    return;
  }
  let numberOf;
  const option = (value, text) => element("option", { value, text });
  for (const [team, slug] of list.teams) {
    form.elements.team.append(option(slug, team));
    form.elements.versus.append(option(slug, team));
  }
  take();
  const FIELDS = ["team", "versus", "map", "seat", "result"];
  let found = [];
  /** The rows of the table by the numbers of their games, each with what it was made from. */
  let rows = new Map();

  /** Take a list that has come: teams are numbered in the order of the standings; maps and seats may be new. */
  function take() {
    numberOf = new Map(list.teams.map(([, slug], index) => [slug, index]));
    const { map, seat } = form.elements;
    const offered = new Set([...map.options].map((each) => each.value));
    for (const each of list.maps) if (!offered.has(each)) map.append(option(each, each));
    const seats = list.rows.reduce((most, row) => Math.max(most, row[1].length), 0);
    for (let number = seat.options.length; number <= seats; number++) seat.append(option(number, `player ${number}`));
  }

  function read() {
    const parameters = Tiltyard.asked();
    for (const field of FIELDS) {
      form.elements[field].value = parameters.get(field) ?? "";
      if (form.elements[field].selectedIndex < 0) form.elements[field].value = "";
    }
    form.elements.faults.checked = parameters.has("faults");
    filter();
    show(PAGE);
  }

  /** Choose the games; ``spoken``: whether a screen reader says how many there are, as it should when the filters were changed. */
  function filter(spoken = true) {
    countLine.setAttribute("aria-live", spoken ? "polite" : "off");
    const [team, versus] = ["team", "versus"].map((field) => numberOf.get(form.elements[field].value));
    const map = form.elements.map.value === "" ? null : list.maps.indexOf(form.elements.map.value);
    const seat = Number(form.elements.seat.value);
    const result = form.elements.result.value;
    for (const field of ["seat", "result"]) form.elements[field].disabled = team === undefined;
    found = list.rows.filter(([, teams, on, winner, , flags]) => {
      if (map !== null && on !== map) return false;
      if (form.elements.faults.checked && !(flags & FAULT)) return false;
      if (versus !== undefined && !teams.includes(versus)) return false;
      if (team === undefined) return true;
      const own = teams.flatMap((number, index) => (number === team ? [index + 1] : []));
      if (!own.length || (seat && !own.includes(seat))) return false;
      if (versus === team && own.length < 2) return false;
      if (!result) return true;
      if (flags & NO_RESULT) return false;
      return result === "tied" ? winner === 0 : result === "won" ? own.includes(winner) : winner !== 0 && !own.includes(winner);
    });
    countLine.textContent = found.length === list.rows.length ? Tiltyard.count(found.length, "game") : `${found.length} of ${Tiltyard.count(list.rows.length, "game")}`;
  }

  /** Show the first games that were found; the row of a game that is shown already stays. */
  function show(most) {
    const before = rows;
    rows = new Map();
    let at = body.firstChild;
    for (const game of found.slice(0, most)) {
      const [id, teams, map, winner, rounds, flags, stage] = game;
      // Texts, as the numbers that stand for them change from list to list.
      const from = JSON.stringify([teams.map((team) => list.teams[team]), list.maps[map], winner, rounds, flags, list.stages[stage]]);
      const known = before.get(id);
      if (known && known.from === from) {
        before.delete(id);
        rows.set(id, known);
        if (known.row === at) at = at.nextSibling;
        else body.insertBefore(known.row, at);
      } else rows.set(id, { from, row: body.insertBefore(row(game), at) });
    }
    for (const left of before.values()) left.row.remove();
    more.hidden = rows.size >= found.length;
    more.textContent = `Show more (${found.length - rows.size} left)`;
  }

  function row([id, teams, map, winner, rounds, flags, stage]) {
    const sides = teams.flatMap((team, index) => [
      index ? element("span", { class: "muted", text: " : " }) : null,
      name(list.teams[team][0], { class: winner === index + 1 ? "won" : null }),
    ]);
    const result = flags & NO_RESULT ? "no result" : winner ? `player ${winner} won` : "tie";
    return element("tr", {},
      element("td", { class: "number" }, element("a", { href: `match.html#match=${id}`, text: id, "aria-label": `game ${id}${flags & REPLAY ? " with replay" : ""}` })),
      element("th", { scope: "row" }, element("a", { href: `match.html#match=${id}` }, ...sides)),
      element("td", {}, name(list.maps[map])),
      element("td", {}, result, flags & FAULT ? element("span", { class: "fault-kind", text: "fault" }) : null),
      element("td", { class: "number", text: rounds }),
      element("td", {}, name(list.stages[stage])),
    );
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => {
    const parameters = new URLSearchParams();
    for (const field of FIELDS) if (form.elements[field].value && !form.elements[field].disabled) parameters.set(field, form.elements[field].value);
    if (form.elements.faults.checked) parameters.set("faults", "1");
    Tiltyard.ask(parameters);
    filter();
    show(PAGE);
  });
  more.addEventListener("click", () => {
    const before = rows.size;
    show(before + PAGE);
    // A hidden button has no focus: the keyboard goes on at the first game that has come.
    if (more.hidden) body.rows[before]?.querySelector("a").focus();
  });
  window.addEventListener("hashchange", read);
  document.addEventListener("news", async () => {
    try {
      list = await Tiltyard.loadAgain("data/games");
    } catch {
      // It comes with the next news.
      return;
    }
    const last = Math.max(0, ...rows.keys());
    take();
    filter(false);
    // All that is shown stays, with what has come between.
    show(Math.max(PAGE, found.findLastIndex((game) => game[0] <= last) + 1));
  });
  read();
})();
