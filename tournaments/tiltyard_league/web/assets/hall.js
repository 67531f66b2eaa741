// The page for a hall: asks for news, and plays the replay of the newest game, then of the next newest.
"use strict";
(() => {
  const { element, name } = Tiltyard;
  const SECONDS = 3;
  const PAUSE_SECONDS = 3;
  const CHUNK = 200;
  const box = document.getElementById("replay");
  let newest = [];
  let mark = "";
  let shown = 0;

  async function look() {
    try {
      const answer = await fetch("live.json", { headers: mark ? { "If-None-Match": mark } : {} });
      if (answer.status === 200) {
        mark = answer.headers.get("ETag") || "";
        show(await answer.json());
      }
    } catch {
      // The server is away for a moment; the next look finds it.
    }
    setTimeout(look, SECONDS * 1000);
  }

  function show({ rows, more, games }) {
    newest = games;
    document.getElementById("rows").replaceChildren(...rows.map((row) =>
      element("tr", {}, element("td", { class: "number", text: row.place }), element("th", { scope: "row" }, name(row.name)),
        element("td", { class: "number" }, `${row.rating} `.replace("-", "\u2212"), element("small", { text: `± ${row.error}` })))));
    document.getElementById("more").textContent = more;
    if (games.length) document.getElementById("games").replaceChildren(...games.map((game) =>
      element("li", {}, element("span", { class: "score", text: game.score }), " ", ...game.teams.flatMap((team, index) => [index ? " : " : "", name(team, game.winner === index + 1 ? { class: "won" } : {})]),
        " ", element("small", { text: [game.map, game.why].filter(Boolean).join(", ") }))));
    if (!shown) play();
  }

  async function play() {
    const game = newest.find((each) => each.id > shown) ? newest[0] : newest[Math.floor(Math.random() * newest.length)];
    if (!game) return;
    shown = Math.max(shown, game.id);
    try {
      const theme = await Tiltyard.load("data/theme");
      const details = (await Tiltyard.loadAgain(`data/matches-${Math.floor(game.id / CHUNK)}`))[game.id];
      const timeline = new Tiltyard.Timeline(await Tiltyard.Replays.of(details));
      if (!timeline.width) throw new Error("nothing to show");
      const board = new Tiltyard.Board(timeline, theme, `${game.teams.join(" against ")} on ${game.map}`);
      const player = new Tiltyard.Player([board], [], (paused) => {
        if (paused && player.round >= player.last) setTimeout(play, PAUSE_SECONDS * 1000);
      });
      box.replaceChildren(element("p", { class: "versus" }, ...game.teams.flatMap((team, index) => [index ? " : " : "", name(team)])), board.box);
      // Nobody asked for this film: who wants no motion gets the end of the game.
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) player.step(Infinity);
      else player.play();
    } catch {
      setTimeout(play, PAUSE_SECONDS * 1000);
    }
  }

  look();
})();
