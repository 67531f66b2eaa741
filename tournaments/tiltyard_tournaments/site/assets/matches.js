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
  const numberOf = new Map(list.teams.map(([, slug], index) => [slug, index]));
  const option = (value, text) => element("option", { value, text });
  for (const [team, slug] of list.teams) {
    form.elements.team.append(option(slug, team));
    form.elements.versus.append(option(slug, team));
  }
  list.maps.forEach((map, index) => form.elements.map.append(option(index, map)));
  const seats = Math.max(0, ...list.rows.map((row) => row[1].length));
  for (let seat = 1; seat <= seats; seat++) form.elements.seat.append(option(seat, `player ${seat}`));
  const FIELDS = ["team", "versus", "map", "seat", "result"];
  let found = [];
  let shown = 0;

  function read() {
    const parameters = Tiltyard.asked();
    for (const field of FIELDS) {
      form.elements[field].value = parameters.get(field) ?? "";
      if (form.elements[field].selectedIndex < 0) form.elements[field].value = "";
    }
    form.elements.faults.checked = parameters.has("faults");
    filter();
  }

  function filter() {
    const [team, versus] = ["team", "versus"].map((field) => numberOf.get(form.elements[field].value));
    const map = form.elements.map.value === "" ? null : Number(form.elements.map.value);
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
    shown = 0;
    body.replaceChildren();
    showMore();
  }

  function showMore() {
    body.append(...found.slice(shown, shown + PAGE).map(row));
    shown = Math.min(found.length, shown + PAGE);
    more.hidden = shown >= found.length;
    more.textContent = `Show more (${found.length - shown} left)`;
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
  });
  more.addEventListener("click", showMore);
  window.addEventListener("hashchange", read);
  read();
})();
