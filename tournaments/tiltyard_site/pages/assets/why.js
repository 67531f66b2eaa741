// Why a team lost a game: what is said about it, the strip of its turns, and the game with a better answer beside the one as it was played.
"use strict";
Tiltyard.Why = (() => {
  const { element, name } = Tiltyard;
  /** Of a turn with several answers, the best counts. */
  const MARKS = [".", "-", "+", "T", "W"];
  const HEIGHTS = { W: 10, T: 6.5, "+": 6.5, "-": 1.5, ".": 0.5 };
  const NAMES = { W: "win", T: "tie", "+": "more", "-": "none", ".": "untried" };
  const WORDS = { W: "a win", T: "a tie", "+": "a better place", "-": "nothing better", ".": "not tried" };

  /** All that is known about why teams lost a game. */
  async function of(game) {
    return game.why ? ((await Tiltyard.load(`data/why-${game.id}`)).explained ?? []) : [];
  }

  function title(game, team) {
    return game.winner ? ["Why did ", name(team), " lose?"] : ["Why didn't ", name(team), " win?"];
  }

  /** For each turn of the team a bar: the higher, the more could still be had. */
  function strip(why, last, goTo) {
    if (!why.turns.length) return null;
    const best = new Map();
    for (const [turn, , mark, text] of why.turns) {
      const before = best.get(turn);
      if (!before || MARKS.indexOf(mark) > MARKS.indexOf(before.mark)) best.set(turn, { mark, text });
    }
    const decisive = why.moments[0]?.turn;
    const bars = [...best].map(([turn, { mark, text }]) =>
      element("svg:rect", { class: `bar ${NAMES[mark]}${turn === decisive ? " decisive" : ""}`, x: turn - 1, width: 1, y: 10 - HEIGHTS[mark], height: HEIGHTS[mark], onclick: () => goTo(turn) }, element("svg:title", { text })),
    );
    const marks = [...best.values()].map(({ mark }) => mark);
    const words = MARKS.toReversed().filter((mark) => marks.includes(mark)).map((mark) => `${WORDS[mark]} in ${Tiltyard.count(marks.filter((each) => each === mark).length, "turn")}`);
    const label = `The best result that ${why.team} could still have reached, turn by turn: ${words.join(", ")}`;
    const key = MARKS.toReversed().filter((mark) => marks.includes(mark)).map((mark) => element("span", { class: `key ${NAMES[mark]}` }, WORDS[mark]));
    return element("figure", { class: "strip" },
      element("svg:svg", { class: "bars", viewBox: `0 0 ${Math.max(1, last)} 10`, preserveAspectRatio: "none", role: "img", "aria-label": label, focusable: "false" }, ...bars),
      element("figcaption", {}, name(why.team), " could still have reached: ", ...key),
    );
  }

  const place = (moment) => `turn ${moment.place}`;

  const address = (game, why, number) => `#match=${game.id}&why=${why.seat}&moment=${number + 1}&round=${Math.max(0, why.moments[number].turn - 1)}`;

  /** What is said about it. `shown`: the number of the moment that is beside it, -1 for none. */
  function box(game, why, goTo, shown = -1) {
    if (why.problem) return element("section", { class: "why" }, element("h2", {}, ...title(game, why.team)), element("p", { class: "warning", text: `No explanation was found: ${why.problem}` }));
    const moments = why.moments.map((moment, number) =>
      element("li", { class: number === shown ? "now" : "" },
        element("p", {}, name(moment.text)),
        element("p", { class: "tools" },
          element("button", { type: "button", text: `Show ${place(moment)}`, onclick: () => goTo(moment.turn - 1) }),
          moment.replay && number !== shown ? element("a", { class: "button", href: address(game, why, number), text: `Watch both courses from ${place(moment)}` }) : null,
        )),
    );
    // The second line says which of the moments decided it; the others stand below them.
    const last = moments.length ? why.lines.slice(2) : [];
    return element("section", { class: "why" },
      element("h2", {}, ...(shown < 0 ? title(game, why.team) : ["What is known about it"])),
      ...(moments.length ? why.lines.slice(0, 2) : why.lines).map((line) => element("p", {}, name(line))),
      moments.length ? element("ol", { class: "moments" }, ...moments) : null,
      ...last.map((line) => element("p", {}, name(line))),
    );
  }

  /** The game with the better answer of a moment, as a game of its own. */
  async function course(game, moment) {
    const label = `with '${moment.better}' in ${place(moment)}`;
    const other = { ...game, label, winner: moment.winner, rounds: moment.rounds, message: moment.message, faults: moment.faults, counts: true, outputs: false, decision: null };
    return [other, await Tiltyard.Replays.fromBytes(Uint8Array.from(atob(moment.replay), (letter) => letter.charCodeAt(0)), other)];
  }

  /** A button for each team that didn't win and isn't explained, where visitors may ask. */
  function asking(game, explained, at) {
    if (!at || !game.counts || !game.replay) return null;
    const lost = game.ranks.map((rank, index) => [rank, index + 1]).filter(([rank, seat]) => (rank > 1 || !game.winner) && !explained.some((why) => why.seat === seat));
    if (!lost.length) return null;
    const status = element("p", { class: "note", role: "status" });
    const buttons = lost.map(([, seat]) => element("button", { type: "button", onclick: () => ask(game, seat, at, buttons, status) }, element("span", {}, ...title(game, game.teams[seat - 1][0]))));
    return element("section", { class: "why" }, element("p", { class: "tools" }, ...buttons), status);
  }

  async function ask(game, seat, at, buttons, status) {
    buttons.forEach((button) => (button.disabled = true));
    const order = JSON.stringify({ match: game.id, seat });
    try {
      for (let state = null; state?.state !== "done"; ) {
        const answer = await fetch(at, { method: "POST", headers: { "Content-Type": "application/json" }, body: order });
        state = await answer.json();
        if (!answer.ok) throw new Error(state.error || `The server answered ${answer.status}.`);
        const words = state.state === "waiting" ? `${Tiltyard.count(state.before, "question")} ahead of yours.` : state.state === "working" ? "Trying different answers. This takes up to a minute." : "The explanation is ready.";
        if (status.textContent !== words) status.textContent = words;
        await new Promise((on) => setTimeout(on, 1000));
      }
      for (let tries = 0; tries < 20; tries++) {
        const { explained = [] } = await Tiltyard.loadAgain(`data/why-${game.id}`);
        if (explained.some((why) => why.seat === seat)) {
          location.reload();
          return;
        }
        await new Promise((on) => setTimeout(on, 500));
      }
      status.textContent = "The explanation is ready, but this site doesn't show it.";
    } catch (error) {
      status.textContent = error.message;
    }
    buttons.forEach((button) => (button.disabled = false));
  }

  return { of, title, strip, box, course, asking };
})();
