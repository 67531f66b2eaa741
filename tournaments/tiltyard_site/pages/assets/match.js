// The page of a match: #match=12, with &round=34 at a turn, with &with=56 beside another match. A page may name its only match itself.
"use strict";
(() => {
  const { element, name, count } = Tiltyard;
  const CHUNK = 200;
  const page = document.getElementById("match");
  const announce = document.getElementById("announce");
  let player = null;
  let shownFor = "";

  const number = (parameters, key) => (/^\d{1,9}$/.test(parameters.get(key) || "") ? Number(parameters.get(key)) : null);

  /** The games that are in one file with this one, by number. */
  async function chunkOf(id, load = Tiltyard.load) {
    try {
      return await load(`data/matches-${Math.floor(id / CHUNK)}`);
    } catch {
      return {};
    }
  }

  async function details(id) {
    const chunk = await chunkOf(id);
    if (!Object.hasOwn(chunk, id)) throw new Error(`There is no game ${id} on this site.`);
    return { id, ...chunk[id] };
  }

  async function open() {
    const parameters = Tiltyard.asked();
    const id = number(parameters, "match") ?? (Number(page.dataset.match) || null);
    const other = number(parameters, "with");
    const [seat, moment] = [number(parameters, "why"), number(parameters, "moment") ?? 1];
    const wanted = ["match", "with", "why", "moment"].map((key) => parameters.get(key)).join(" ");
    if (wanted === shownFor) {
      if (player) player.goTo(number(parameters, "round") ?? player.round);
      return;
    }
    if (shownFor) {
      // Another match in the same page: begin anew, so that nothing of the last one stays.
      location.reload();
      return;
    }
    shownFor = wanted;
    try {
      for (const [key, read] of [["match", id], ["with", other]]) {
        if (read === null && parameters.get(key)) throw new Error(`There is no game "${parameters.get(key).slice(0, 60)}" on this site; games have numbers.`);
      }
      if (id === null) throw new Error("Choose a game from the list of games.");
      const theme = await Tiltyard.load("data/theme");
      const games = await Promise.all([id, ...(other === null ? [] : [other])].map(details));
      const replays = await Promise.all(games.map(Tiltyard.Replays.of));
      const explained = await Tiltyard.Why.of(games[0]);
      const why = explained.find((each) => each.seat === seat);
      if (why?.moments[moment - 1]?.replay && replays[0]) await showCourses(games[0], replays[0], theme, why, moment - 1);
      else if (games.length === 2 && replays.every(Boolean)) showTwo(games, replays, theme);
      else showOne(games[0], replays[0], theme, explained);
      if (player) player.goTo(number(parameters, "round") ?? 0);
      // Whoever asks for a turn wants to look at it.
      if (player && !parameters.has("round")) player.playWhenSeen();
      if (!page.dataset.match) document.title = `${games.map((game) => game.teams.map(([team]) => team).join(" : ")).join(" / ")} – ${document.title}`;
    } catch (error) {
      page.replaceChildren(element("h1", { text: "Game" }), element("p", { class: "warning", text: error.message }), element("p", {}, element("a", { class: "button", href: `${Tiltyard.root}matches.html`, text: "All games" })));
    }
    page.classList.remove("loading");
    page.removeAttribute("aria-busy");
  }

  function facts(game) {
    const parts = [game.label ?? `game ${game.id}`, game.stage, game.map, count(game.rounds, "turn")].filter(Boolean);
    return element("p", { class: "facts" }, ...parts.flatMap((part, index) => [index ? element("span", { class: "muted", text: " · " }) : null, name(part)]));
  }

  function verdict(game) {
    const text = !game.counts ? "No result" : game.winner ? `${game.teams[game.winner - 1][0]} won` : "Tie";
    return element("p", { class: "verdict" }, game.message.startsWith(text) ? null : element("strong", {}, name(text), game.message ? ": " : ""), game.message ? element("span", { class: "muted" }, name(game.message)) : null, game.decision ? element("a", { class: "decision", href: `${Tiltyard.root}decisions.html#decision-${game.decision}`, text: ` Decision ${game.decision}` }) : null);
  }

  /** Links to the games before and after this one, and to the one with seats exchanged. */
  function near(game) {
    const link = (id, text, label) => (id ? element("a", { class: "button", href: addressOf(id), text, "aria-label": label }) : null);
    const links = [
      link(game.before, `← Game ${game.before}`, `Previous game, ${game.before}`),
      link(game.after, `Game ${game.after} →`, `Next game, ${game.after}`),
      link(game.exchanged, `Seats exchanged: game ${game.exchanged}`),
    ].filter(Boolean);
    return links.length ? element("nav", { class: "near", "aria-label": "Other games" }, ...links) : null;
  }

  const addressOf = (id) => (page.dataset.games ? `${page.dataset.games}${id}` : `${Tiltyard.root}match.html#match=${id}`);

  function faults(game, timeline) {
    if (!game.faults.length) return null;
    return element("section", { class: "fault-part" }, element("h2", { text: "Faults" }), element("ul", { class: "faults" }, ...(timeline ? timeline.faultsOf(game) : game.faults.map(([seat, kind, message, round]) => ({ seat, kind, message, round }))).map(({ seat, kind, message, round }) =>
      element("li", {},
        element("p", {}, element("strong", { class: "fault-kind", text: kind }), " ", seat ? name(game.teams[seat - 1][0]) : "the GameManager", round >= 0 ? `, turn ${round}` : ""),
        message ? element("p", { class: "fault-message", text: message }) : null),
    )));
  }

  function outputs(game) {
    if (!game.outputs) return null;
    const box = element("div", {});
    return element("details", {
      class: "outputs",
      ontoggle: async (event) => {
        if (!event.target.open || box.childElementCount) return;
        const texts = await Tiltyard.load(`outputs/${game.file}`);
        box.replaceChildren(...texts.flatMap((text, index) => (text ? [element("h2", {}, name(game.teams[index][0])), element("pre", { tabindex: "0", text })] : [])));
      },
    }, element("summary", { text: "What the teams' code printed" }), box);
  }

  function marksOf(game, timeline) {
    return [
      ...timeline.noted.map((round) => ({ round, kind: "event" })),
      ...timeline.faultsOf(game).filter((fault) => fault.round >= 0).map((fault) => ({ round: Math.min(fault.round, timeline.last), kind: "fault" })),
    ];
  }

  function boardLabel(game, data) {
    return `Board of ${data.width} by ${data.height} squares: ${game.teams.map(([team]) => team).join(" against ")} on ${game.map}`;
  }

  let waiting = 0;

  /** While it plays only events are read out; the address follows when it stands still. */
  function told(paused, timelines, texts) {
    const round = player ? player.round : 0;
    const notes = timelines.flatMap((timeline) => timeline.notes[Math.min(round, timeline.last)]);
    if (paused) {
      announce.textContent = [`Turn ${round}.`, ...notes, ...texts].join(" ");
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        const parameters = Tiltyard.asked();
        if (round) parameters.set("round", round);
        else parameters.delete("round");
        Tiltyard.ask(parameters);
      }, 150);
    } else if (notes.length && !player.isUnasked) announce.textContent = notes.join(" ");
  }

  function boardOf(game, data, timeline, theme) {
    return timeline.width ? new Tiltyard.Board(timeline, theme, boardLabel(game, data)) : new Tiltyard.NoBoard(timeline);
  }

  function showOne(game, data, theme, explained) {
    const head = page.dataset.match ? "" : element("div", { class: "match-head" }, Tiltyard.versus(game, theme), facts(game), verdict(game), near(game));
    if (!data) {
      page.replaceChildren(head, element("p", { class: "note", text: "There is no replay of this game." }), about(game));
      return;
    }
    const timeline = new Tiltyard.Timeline(data);
    const board = boardOf(game, data, timeline, theme);
    const goTo = (round) => {
      player.pause();
      player.goTo(round);
    };
    const sidebar = new Tiltyard.Sidebar(game, data, timeline, theme, goTo);
    const panels = timeline.panels.size ? new Tiltyard.Panels(data, timeline, theme, goTo) : null;
    const growth = Tiltyard.Growth.isWorth(timeline) ? Tiltyard.Growth.ofScores(data, timeline, theme, goTo) : null;
    player = new Tiltyard.Player([board], marksOf(game, timeline), (paused) => {
      sidebar.show();
      panels?.show();
      growth?.show();
      told(paused, [timeline], timeline.round === timeline.last ? [data.message] : []);
    });
    player.element.append(...explained.map((why) => Tiltyard.Why.strip(why, timeline.last, goTo)).filter(Boolean));
    page.replaceChildren(
      head,
      element("div", { class: "viewer" }, element("div", { class: "playing" }, board.box, player.element, panels ? panels.element : "", growth ? growth.element : "", tools(game, data, board)), sidebar.element),
      ...explained.map((why) => Tiltyard.Why.box(game, why, goTo)),
      Tiltyard.tryHere?.(game, player, (moment) => showTrial(game, data, theme, moment)) ?? "",
      Tiltyard.Why.asking(game, explained, page.dataset.explain) ?? "",
      legend(timeline, theme),
      about(game, timeline),
    );
  }

  /** What is below the game; a page that shows it itself has no need of it. */
  function about(game, timeline) {
    const parts = page.dataset.match ? [] : [faults(game, timeline), outputs(game)].filter(Boolean);
    return parts.length ? element("div", {}, ...parts) : "";
  }

  /** A game as it was played, and beside it as it goes with the better answer of a moment. */
  async function showCourses(game, data, theme, why, number) {
    const [other, otherData] = await Tiltyard.Why.course(game, why.moments[number]);
    showTwo([{ ...game, label: "as it was played" }, other], [data, otherData], theme, { title: Tiltyard.Why.title(game, why.team), alone: [game] });
    const goTo = (round) => {
      player.pause();
      player.goTo(round);
    };
    const strip = Tiltyard.Why.strip(why, player.last, goTo);
    if (strip) player.element.append(strip);
    page.append(Tiltyard.Why.box(game, why, goTo, number));
  }

  /** A game as it was played, and beside it as it goes with an answer that a visitor chose. */
  async function showTrial(game, data, theme, moment) {
    const [other, otherData] = await Tiltyard.Why.course(game, moment);
    shownFor = "an answer of a visitor";
    showTwo([{ ...game, label: "as it was played" }, other], [data, otherData], theme, { title: ["With another answer"], alone: [] });
    page.append(element("p", { class: "tools" }, element("button", { type: "button", text: `Game ${game.id} alone`, onclick: () => location.reload() })));
    player.goTo(moment.turn - 1);
    page.querySelector("h1").scrollIntoView();
  }

  function showTwo(games, replays, theme, { title = ["Two games"], alone = games } = {}) {
    const timelines = replays.map((data) => new Tiltyard.Timeline(data));
    const boards = timelines.map((timeline, index) => boardOf(games[index], replays[index], timeline, theme));
    const first = Tiltyard.Timeline.firstDifferences(...timelines);
    const marks = games.flatMap((game, index) => marksOf(game, timelines[index]));
    const shownFirst = [first.board, first.panels, first.actions].find((round) => round >= 0) ?? -1;
    if (first.board >= 0 || first.panels >= 0) marks.push({ round: shownFirst, kind: "difference" });
    const now = element("p", { class: "note now" });
    const goTo = (round) => {
      player.pause();
      player.goTo(round);
    };
    const labels = games.map((game) => game.label ?? `game ${game.id}`);
    const which = labels.map((label) => `, ${label}`);
    const sidebars = games.map((game, index) => new Tiltyard.Sidebar(game, replays[index], timelines[index], theme, goTo, which[index]));
    const panels = games.map((game, index) => new Tiltyard.Panels(replays[index], timelines[index], theme, goTo, which[index]));
    player = new Tiltyard.Player(boards, marks, (paused) => {
      [...sidebars, ...panels].forEach((part) => part.show());
      now.textContent = boardsNow(timelines);
      told(paused, timelines, [now.textContent]);
    });
    page.classList.toggle("courses", games.some((game) => game.label));
    page.replaceChildren(
      element("h1", {}, ...title),
      element("p", { class: "difference-head" }, differenceText(first, timelines), shownFirst > 0
        ? element("button", { type: "button", class: "to-difference", text: "Show it", onclick: () => player.step(shownFirst - player.round) })
        : null),
      element("div", { class: "pair boards" }, ...games.map((game, index) => element("section", { "aria-label": labels[index] }, Tiltyard.versus(game, theme, "h2"), facts(game), verdict(game), boards[index].box))),
      player.element,
      now,
      ...(timelines.some((timeline) => timeline.panels.size) ? [element("div", { class: "pair" }, ...panels.map((part) => part.element))] : []),
      element("div", { class: "pair" }, ...sidebars.map((sidebar) => sidebar.element)),
      element("p", { class: "tools" }, ...alone.map((game) => element("a", { class: "button", href: `#match=${game.id}`, text: `Game ${game.id} alone` }))),
    );
  }

  function boardsNow(timelines) {
    if (timelines.every((timeline) => !timeline.width)) return "";
    const [one, other] = timelines;
    if (one.width !== other.width || one.height !== other.height) return "The boards are of different sizes.";
    const differing = player ? player.differing : 0;
    return differing ? `${count(differing, "square differs", "squares differ")} in this turn.` : "The boards are the same in this turn.";
  }

  function differenceText(first, timelines) {
    if (first.board < 0 && first.actions < 0 && first.panels < 0) return "The two games are identical. ";
    const parts = [];
    if (first.actions >= 0) parts.push(`the actions first differ in turn ${first.actions}`);
    if (first.board === 0) parts.push("the start boards differ");
    else if (first.board > 0) parts.push(`the boards first differ after turn ${first.board}`);
    else if (timelines.some((timeline) => timeline.width)) parts.push("the boards are always the same");
    if (first.panels === 0) parts.push("the panels differ at the start");
    else if (first.panels > 0) parts.push(`the panels first differ after turn ${first.panels}`);
    const text = parts.join("; ");
    return `${text[0].toUpperCase()}${text.slice(1)}. `;
  }

  function legend(timeline, theme) {
    const seen = new Map();
    for (const token of timeline.tokens) {
      const style = Object.hasOwn(theme.styles, token) ? theme.styles[token] : undefined;
      if (!style || !style.label || (!style.shape && !style.glyph)) continue;
      // One of each kind: a tank that points elsewhere is the same to a legend. It is called what all their names begin with.
      const kind = `${style.shape || token} ${style.seat || 0}`;
      const words = style.label.split(" ");
      const known = seen.get(kind);
      if (!known) seen.set(kind, { token, style, words });
      else while (known.words.some((word, index) => word !== words[index])) known.words.pop();
    }
    const look = getComputedStyle(document.documentElement);
    const color = (key) => look.getPropertyValue(key).trim();
    const items = [...seen.values()].map(({ token, style, words }) => {
      const canvas = element("canvas", { width: 36, height: 36, class: "sample", "aria-hidden": "true" });
      const paint = () => {
        const pen = canvas.getContext("2d");
        pen.fillStyle = color("--floor");
        pen.fillRect(0, 0, 36, 36);
        Tiltyard.shapes.draw(pen, 36, token, { ...style, turn: 0 }, { floor: color("--floor"), ink: color("--ink"), track: color("--track"), shot: color("--shot") });
      };
      paint();
      document.addEventListener("appearance", paint);
      return element("li", {}, canvas, words.join(" ") === style.label ? style.label : `${words.join(" ")} …`);
    });
    return items.length ? element("details", { class: "legend-part" }, element("summary", { text: "Legend" }), element("ul", { class: "legend" }, ...items)) : "";
  }

  function tools(game, data, board) {
    const help = element("dialog", { "aria-labelledby": "keys" },
      element("h2", { id: "keys", text: "Keys" }),
      element("dl", { class: "keys" }, ...Tiltyard.KEYS.flatMap(([keys, what]) => [element("dt", {}, element("kbd", { text: keys })), element("dd", { text: what })])),
      element("button", { type: "button", text: "Close", onclick: () => help.close() }),
    );
    document.addEventListener("keydown", (event) => {
      if (event.key === "?" && !event.target.matches("input:not([type=range]), textarea, select")) help.showModal();
    });
    const copied = element("button", { type: "button", class: "link-round", text: "Link to this turn", onclick: async () => {
      const parameters = Tiltyard.asked();
      parameters.set("round", player.round);
      Tiltyard.ask(parameters);
      try {
        await navigator.clipboard.writeText(location.href);
        copied.textContent = "Copied";
      } catch {
        copied.textContent = "The link is in the address bar";
      }
      setTimeout(() => (copied.textContent = "Link to this turn"), 2000);
    } });
    return element("div", { class: "tools" },
      copied,
      data.width ? new Tiltyard.Ages(board).button : null,
      element("button", { type: "button", class: "download", text: "Download the replay", onclick: () => download(game, data) }),
      comparing(game),
      element("button", { type: "button", class: "help", text: "Keys", onclick: () => help.showModal() }),
      help,
    );
  }

  function download(game, data) {
    const address = URL.createObjectURL(new Blob([data.file], { type: "application/x-ndjson" }));
    const link = element("a", { href: address, download: `${game.file}.jsonl` });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  function comparing(game) {
    if (page.dataset.alone) return null;
    const select = element("select", { "aria-label": "Compare with another game", onchange: () => {
      if (select.value) location.href = `${page.dataset.match ? `${Tiltyard.root}match.html` : ""}#match=${game.id}&with=${select.value}`;
    } }, element("option", { value: "", text: "Compare with …" }));
    // The list of all games is long: it comes when somebody wants to choose.
    const fill = async () => {
      select.removeEventListener("focus", fill);
      select.removeEventListener("pointerdown", fill);
      const list = await Tiltyard.load("data/games");
      const own = list.rows.find((row) => row[0] === game.id);
      if (!own) return;
      const near = (row) => (row[2] === own[2] ? 0 : 4) + (row[1].join() === own[1].join() ? 0 : [...row[1]].sort().join() === [...own[1]].sort().join() ? 1 : 2);
      const rows = list.rows.filter((row) => row[0] !== game.id && row[5] & 4 && near(row) < 4).sort((one, other) => near(one) - near(other) || one[0] - other[0]);
      select.append(...rows.slice(0, 300).map((row) => element("option", { value: row[0], text: `${row[0]}: ${row[1].map((team) => list.teams[team][0]).join(" : ")}, ${list.maps[row[2]]}` })));
    };
    select.addEventListener("focus", fill);
    select.addEventListener("pointerdown", fill);
    return select;
  }

  // A page that has this one game begins with what it is about.
  if (page.dataset.alone && !location.hash) Tiltyard.ask(new URLSearchParams(page.dataset.alone.slice(1)));
  window.addEventListener("hashchange", open);
  const opened = open();
  let isLeft = false;
  // A game that was not played when its page was opened may have been played now. Other news must not take readers from their place.
  document.addEventListener("news", async () => {
    await opened;
    if (player || isLeft) return;
    const parameters = Tiltyard.asked();
    for (const id of ["match", "with"].map((key) => number(parameters, key))) {
      if (id === null) continue;
      const [before, now] = [(await chunkOf(id))[id], (await chunkOf(id, Tiltyard.loadAgain))[id]];
      if (JSON.stringify(before) !== JSON.stringify(now)) {
        isLeft = true;
        location.reload();
        return;
      }
    }
  });
})();
