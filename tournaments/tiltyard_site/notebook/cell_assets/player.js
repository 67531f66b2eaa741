// A match in a frame below a notebook's cell. Its data stand in the page, and its look is that of the notebook, which tells it.
"use strict";
(async () => {
  const { element, name, count } = Tiltyard;
  const { game, replay, theme, plays } = JSON.parse(document.getElementById("data").textContent);

  // The notebook tells at once: whoever listens only after a wait hears nothing.
  const restyle = () => document.dispatchEvent(new Event("appearance"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
  window.addEventListener("message", ({ data: told }) => {
    if (!told || !["light", "dark"].includes(told.tiltyardAppearance)) return;
    document.documentElement.setAttribute("data-appearance", told.tiltyardAppearance);
    restyle();
  });

  const data = await Tiltyard.Replays.fromBytes(Uint8Array.from(atob(replay), (letter) => letter.charCodeAt(0)), game);
  const page = document.getElementById("match");

  function head() {
    const facts = [game.map, count(data.frames.length, "turn")].filter(Boolean).join(" · ");
    return element("div", { class: "match-head" },
      Tiltyard.versus({ ...game, teams: game.teams.map(([team]) => [team, ""]) }, theme),
      element("p", { class: "facts muted" }, name(facts)),
      game.message ? element("p", { class: "verdict" }, name(game.message)) : null,
    );
  }

  const timeline = new Tiltyard.Timeline(data);
  const label = `Board of ${data.width} by ${data.height} squares: ${game.teams.map(([team]) => team).join(" against ")} on ${game.map}`;
  const board = timeline.width ? new Tiltyard.Board(timeline, theme, label) : new Tiltyard.NoBoard(timeline);
  let player = null;
  const goTo = (round) => {
    player.pause();
    player.goTo(round);
  };
  const sidebar = new Tiltyard.Sidebar(game, data, timeline, theme, goTo);
  const parts = [sidebar];
  if (timeline.panels.size) parts.push(new Tiltyard.Panels(data, timeline, theme, goTo));
  const grows = Tiltyard.Growth.isWorth(timeline);
  if (grows) parts.push(Tiltyard.Growth.ofScores(data, timeline, theme, goTo));
  const marks = [
    ...timeline.noted.map((round) => ({ round, kind: "event" })),
    ...timeline.faultsOf(game).filter((fault) => fault.round >= 0).map((fault) => ({ round: Math.min(fault.round, timeline.last), kind: "fault" })),
  ];
  player = new Tiltyard.Player([board], marks, () => parts.forEach((part) => part.show()));
  const playing = element("div", { class: "playing" }, board.box, player.element, ...parts.slice(1).map((part) => part.element));
  page.replaceChildren(head(), element("div", { class: `viewer${grows ? " grown" : ""}` }, playing, sidebar.element));
  player.goTo(0);
  if (plays) player.playWhenSeen();
})();
