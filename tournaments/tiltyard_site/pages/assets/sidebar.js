// What stands beside the board: seats with their scores, what every actor does, the events, what a player saw.
"use strict";
Tiltyard.Sidebar = class {
  /** `game` is the match's details, `data` its replay, `theme` the game's; `which` tells screen readers which of two games it is. */
  constructor(game, data, timeline, theme, goTo, which = "") {
    this.which = which;
    this.timeline = timeline;
    this.theme = theme;
    this.data = data;
    this.goTo = goTo;
    this.written = [];
    this.figures = new Tiltyard.Figures(timeline, theme);
    this.element = Tiltyard.element("div", { class: "sidebar" }, this.#seats(game));
    if (data.views) this.element.append(this.#views());
    this.eventList = this.#events(game);
    this.element.append(this.eventList);
  }

  /** Whose an actor is. Where the start board has as many pieces as there are actors, they are told of in the same order, row by row. */
  #owners() {
    const most = Math.max(0, ...this.timeline.actions.map((actions) => actions.length));
    const owners = [];
    for (const number of this.timeline.start) {
      const token = this.timeline.tokens[number];
      const style = Object.hasOwn(this.theme.styles, token) ? this.theme.styles[token] : undefined;
      if (style && style.seat) owners.push(style.seat);
    }
    if (owners.length === most) return owners;
    if (most === this.data.seats.length) return this.data.seats.map((_, seat) => seat + 1);
    return new Array(most).fill(0);
  }

  #seats(game) {
    const { element } = Tiltyard;
    const owners = this.#owners();
    this.actorCells = [];
    this.scoreCells = [];
    const own = new Map();
    owners.forEach((seat, actor) => own.set(seat, [...(own.get(seat) || []), actor]));
    const parts = this.data.seats.map((name, index) => {
      const seat = index + 1;
      const score = element("span", { class: "score" });
      this.scoreCells.push(score);
      const chip = element("span", { class: "chip", text: seat });
      Tiltyard.paintChip(chip, this.theme.seats[index]);
      const [team, slug] = game.teams[index] || [name, ""];
      const head = element("h2", {}, chip, slug ? element("a", { href: `${Tiltyard.root}team-${slug}.html` }, Tiltyard.name(team)) : Tiltyard.name(team), score);
      return element("section", { class: `seat${game.winner === seat ? " won" : ""}`, "aria-label": `player ${seat}${this.which}` }, head, this.#actors(own.get(seat) || [], this.theme.seats[index]));
    });
    if (own.has(0)) parts.push(element("section", { class: "seat" }, this.#actors(own.get(0), "")));
    return element("div", { class: "seats" }, ...parts);
  }

  #actors(actors, color) {
    const { element } = Tiltyard;
    if (!actors.length) return null;
    const list = element("ol", { class: `actors${this.figures.any ? " figured" : ""}` }, ...actors.map((actor) => {
      const cell = element("span", { class: "action" });
      const item = element("li", {}, element("span", { class: "actor", text: actor + 1 }), cell);
      // As high as the highest figure, so that nothing below it jumps.
      if (this.figures.any) item.style.minHeight = `${this.figures.room}px`;
      this.actorCells[actor] = { cell, item, color };
      return item;
    }));
    return list;
  }

  #events(game) {
    const { element } = Tiltyard;
    this.eventRows = [];
    const items = [];
    for (const round of this.timeline.noted) {
      for (const note of this.timeline.notes[round]) items.push({ round, text: note, kind: "event" });
    }
    for (const { seat, kind, round, note } of this.timeline.faultsOf(game)) {
      const noted = items.find((item) => item.round === round && item.text === note);
      if (noted) noted.kind = "fault";
      else if (round >= 0) items.push({ round, text: `${seat ? `player ${seat}` : "the GameManager"}: ${kind}`, kind: "fault" });
    }
    items.sort((one, other) => one.round - other.round);
    const rows = items.slice(0, 2000).map((item) => {
      const row = element("li", { class: item.kind }, element("button", { type: "button", onclick: () => this.goTo(item.round) }, element("span", { class: "when", text: item.round }), Tiltyard.name(item.text)));
      this.eventRows.push({ round: item.round, row });
      return row;
    });
    this.eventBox = element("ol", { class: "events", tabindex: "0", "aria-label": "Events" }, ...rows);
    return element("section", { class: "event-part" }, element("h2", { text: "Events" }), rows.length ? this.eventBox : element("p", { class: "note", text: "None." }));
  }

  #views() {
    const { element } = Tiltyard;
    this.viewSeat = element("select", { "aria-label": "Whose view", onchange: () => this.#showView() }, ...this.data.seats.map((name, index) => element("option", { value: index + 1, text: `player ${index + 1}` })));
    this.viewNote = element("p", { class: "note" });
    this.viewText = element("pre", { class: "view", tabindex: "0" });
    this.viewPart = element("details", { class: "views", ontoggle: () => this.#showView() }, element("summary", { text: "What a player saw" }), this.viewSeat, this.viewNote, this.viewText);
    return this.viewPart;
  }

  #showView() {
    if (!this.viewPart || !this.viewPart.open) return;
    const seat = Number(this.viewSeat.value);
    const view = this.data.views.findLast(([round, of]) => of === seat && round <= this.timeline.round);
    if (view === this.shownView) return;
    this.shownView = view;
    const [note, rows] = view ? this.#viewed(view) : ["It hasn't looked yet.", []];
    this.viewNote.textContent = note;
    this.viewText.textContent = rows.join("\n");
    this.viewText.hidden = !rows.length;
  }

  /** What is told of a view, and its rows: given, or the recorded board from before the round with the asking tank in it. */
  #viewed([round, , seen]) {
    if (Array.isArray(seen)) return [`Its last view, from turn ${round}.`, seen];
    if (seen < 0) return [`In turn ${round} it was shown something other than the recorded board.`, []];
    const squares = this.timeline.plainAfter(round - 1);
    squares[seen] = "%";
    const { width, height } = this.timeline;
    const rows = Array.from({ length: height }, (_, y) => squares.slice(y * width, (y + 1) * width).join(""));
    return [`Its last view, from turn ${round}: the board before that turn. % is the tank that asked.`, rows];
  }

  /** Show the timeline's round. */
  show() {
    const { round, actionNames } = this.timeline;
    const scores = this.timeline.scores[round];
    this.scoreCells.forEach((cell, index) => this.#write(cell, index < scores.length ? String(Number(scores[index].toFixed(3))) : ""));
    const actions = this.timeline.actions[round];
    this.actorCells.forEach((actor, index) => {
      const text = index < actions.length ? actionNames[actions[index]] : "";
      if (this.#write(actor.cell, text || "\u2013", actor.color)) actor.item.classList.toggle("lost", /killed/.test(text));
    });
    let reached = -1;
    this.eventRows.forEach(({ round: at }, index) => {
      if (at <= round) reached = index;
    });
    if (reached !== this.reached) {
      const [low, high] = [Math.min(reached, this.reached ?? -1), Math.max(reached, this.reached ?? -1)];
      for (let index = low + 1; index <= high; index++) this.eventRows[index].row.classList.toggle("past", index <= reached);
      this.reached = reached;
      const row = reached >= 0 ? this.eventRows[reached].row : null;
      // Not scrollIntoView, which would scroll the page as well.
      this.eventBox.scrollTop = row ? row.offsetTop - this.eventBox.clientHeight / 2 : 0;
    }
    this.#showView();
  }

  #write(cell, text, color) {
    if (cell.shownText === text) return false;
    cell.shownText = text;
    if (this.figures.any) cell.replaceChildren(...this.figures.parts(text, color));
    else cell.textContent = text;
    return true;
  }
};

/** A game's headline: who played, with the score, and who won. */
Tiltyard.versus = (game, theme, level = "h1") => {
  const { element } = Tiltyard;
  const two = game.teams.length === 2;
  const scores = game.scores?.length === game.teams.length ? game.scores.map((score) => String(Number(score.toFixed(2))).replace("-", "\u2212")) : [];
  const points = two && game.counts ? [["\u00bd", "\u00bd"], ["1", "0"], ["0", "1"]][game.winner] : [];
  const shown = scores.length ? scores : points ?? [];
  const sides = game.teams.map(([team, slug], index) => {
    const chip = element("span", { class: "chip", text: index + 1 });
    Tiltyard.paintChip(chip, theme.seats[index]);
    const won = game.winner === index + 1;
    return element("span", { class: `side${won ? " won" : ""}` }, chip, slug ? element("a", { href: `${Tiltyard.root}team-${slug}.html` }, Tiltyard.name(team)) : Tiltyard.name(team), won ? element("span", { class: "won-mark", text: "won" }) : null, two || !shown.length ? null : element("span", { class: "result", text: shown[index] }));
  });
  const between = () => (two && shown.length ? element("span", { class: "result", text: ` ${shown[0]} \u2013 ${shown[1]} ` }) : element("span", { class: "muted", text: " : " }));
  return element(level, { class: "versus" }, ...sides.flatMap((side, index) => (index ? [between(), side] : [side])));
};

/** Give a seat's chip its colour, with whichever of black and white reads better on it. */
Tiltyard.paintChip = (chip, color) => {
  if (!/^#[0-9a-f]{6}$/i.test(color || "")) return;
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  chip.style.backgroundColor = color;
  chip.style.color = luminance > 0.18 ? "#000" : "#fff";
};
