// The board and the panels of a replay at any round: a step on costs what changed, a jump starts at the nearest kept board.
"use strict";
Tiltyard.Timeline = class {
  constructor(data) {
    this.width = data.width;
    this.height = data.height;
    this.tokens = data.tokens;
    this.actionNames = data.actions;
    this.seats = data.seats;
    this.last = data.frames.length;
    this.round = 0;
    const size = this.width * this.height;
    this.start = Uint16Array.from(data.squares);
    /** Numbers of tokens, row by row, after the round that is shown. */
    this.squares = this.start.slice();
    this.changes = [];
    this.actions = [[]];
    this.scores = [[]];
    this.notes = [[]];
    this.noted = [];
    // All kept boards together take at most some 32 MB.
    this.interval = Math.max(64, Math.ceil((this.last * size * 2) / 32e6));
    this.kept = [this.start];
    const board = this.start.slice();
    /** By title: the rounds in which a panel changed, and what it shows from each of them on. */
    this.panels = new Map();
    /** By round: the panels that it told anew. */
    this.told = [];
    this.#takePanels(0, data.panels);
    data.frames.forEach((frame, index) => {
      for (let i = 0; i < frame.changes.length; i += 2) board[frame.changes[i]] = frame.changes[i + 1];
      this.changes.push(Int32Array.from(frame.changes));
      this.actions.push(frame.actions);
      this.scores.push(frame.scores);
      this.notes.push(frame.notes);
      if (frame.notes.length) this.noted.push(index + 1);
      this.#takePanels(index + 1, frame.panels);
      if ((index + 1) % this.interval === 0) this.kept.push(board.slice());
    });
  }

  #takePanels(round, panels) {
    this.told[round] = panels;
    for (const panel of panels) {
      if (!this.panels.has(panel.title)) this.panels.set(panel.title, { rounds: [], shown: [] });
      const { rounds, shown } = this.panels.get(panel.title);
      rounds.push(round);
      shown.push(panel);
    }
  }

  /** What a panel shows in the round that is shown; null before its first. */
  panelNow(title) {
    const { rounds, shown } = this.panels.get(title);
    let [low, high] = [0, rounds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rounds[middle] <= this.round) low = middle + 1;
      else high = middle;
    }
    return low ? shown[low - 1] : null;
  }

  /** The numbers of a plot by round; a round without the panel keeps those before it. */
  valuesOf(title) {
    const { rounds, shown } = this.panels.get(title);
    const values = [];
    let at = -1;
    for (let round = 0; round <= this.last; round++) {
      while (at + 1 < rounds.length && rounds[at + 1] <= round) at++;
      values.push(at < 0 ? [] : shown[at].values || []);
    }
    return values;
  }

  /** Show the board after this round, or the nearest there is; returns the squares that are another now. */
  goTo(round) {
    const target = Math.max(0, Math.min(Math.round(round) || 0, this.last));
    if (target >= this.round && target - this.round <= 16) return this.#forward(target);
    const before = this.squares;
    const kept = Math.floor(target / this.interval);
    this.squares = this.kept[kept].slice();
    this.round = kept * this.interval;
    this.#forward(target);
    const changed = [];
    for (let square = 0; square < before.length; square++) if (before[square] !== this.squares[square]) changed.push(square);
    return changed;
  }

  #forward(target) {
    const changed = new Set();
    while (this.round < target) {
      const changes = this.changes[this.round++];
      for (let i = 0; i < changes.length; i += 2) {
        this.squares[changes[i]] = changes[i + 1];
        changed.add(changes[i]);
      }
    }
    return [...changed];
  }

  /** The plain board after a round, a character a square, whatever round is shown. */
  plainAfter(round) {
    const target = Math.max(0, Math.min(round, this.last));
    const kept = Math.floor(target / this.interval);
    const squares = this.kept[kept].slice();
    for (let at = kept * this.interval; at < target; at++) {
      const changes = this.changes[at];
      for (let i = 0; i < changes.length; i += 2) squares[changes[i]] = changes[i + 1];
    }
    const plain = this.tokens.map((token) => [...token][0]);
    return Array.from(squares, (token) => plain[token]);
  }

  token(square) {
    return this.tokens[this.squares[square]];
  }

  /**
   * A game's faults, each in the round in which the board shows it. A seat counts only its own turns: where the game itself notes the
   * fault, the note's round counts, and `note` is its text.
   */
  faultsOf(game) {
    const flat = (text) => text.split(/\s+/).join(" ").trim();
    return game.faults.map(([seat, kind, message, round]) => {
      const [team] = game.teams[seat - 1] || [""];
      const said = flat(`${kind}: ${message}`).slice(0, 200);
      const tells = (note) => flat(note).includes(said) && note.includes(team);
      const at = message ? this.noted.find((noted) => this.notes[noted].some(tells)) : undefined;
      return { seat, kind, message, round: at ?? round, note: at === undefined ? null : this.notes[at].find(tells) };
    });
  }

  nextNoted() {
    return this.noted.find((round) => round > this.round);
  }

  previousNoted() {
    return this.noted.findLast((round) => round < this.round);
  }

  /** The first round after which two replays' boards differ, and the first in which what was done differs; -1: none. */
  static firstDifferences(one, other) {
    const found = { board: -1, actions: -1, panels: -1 };
    const last = Math.min(one.last, other.last);
    const texts = (timeline, round) => timeline.actions[round].map((action) => timeline.actionNames[action]).join("\n");
    for (let round = 1; round <= last && found.actions < 0; round++) {
      if (texts(one, round) !== texts(other, round)) found.actions = round;
    }
    if (one.panels.size || other.panels.size) {
      const told = (timeline, round) => JSON.stringify(timeline.told[round]);
      for (let round = 0; round <= last && found.panels < 0; round++) if (told(one, round) !== told(other, round)) found.panels = round;
    }
    if (one.width !== other.width || one.height !== other.height) return { ...found, board: 0 };
    const boards = [one, other].map((timeline) => Array.from(timeline.start, (token) => timeline.tokens[token]));
    if (boards[0].some((token, square) => token !== boards[1][square])) return { ...found, board: 0 };
    for (let round = 1; round <= last; round++) {
      const touched = new Set();
      [one, other].forEach((timeline, which) => {
        const changes = timeline.changes[round - 1];
        for (let i = 0; i < changes.length; i += 2) {
          boards[which][changes[i]] = timeline.tokens[changes[i + 1]];
          touched.add(changes[i]);
        }
      });
      for (const square of touched) if (boards[0][square] !== boards[1][square]) return { ...found, board: round };
    }
    // One goes on where the other has ended.
    if (one.last !== other.last) found[one.width ? "board" : "panels"] = found.panels >= 0 && !one.width ? found.panels : last + 1;
    return found;
  }
};
