// What is old fades: each square the more, the longer ago it last changed.
"use strict";
Tiltyard.Ages = class {
  /** `board` is the Board that is faded while this is on. */
  constructor(board) {
    this.board = board;
    this.timeline = board.timeline;
    this.button = Tiltyard.element("button", { type: "button", class: "ages", "aria-pressed": "false", text: "Fade by age", title: "The longer ago a square changed, the paler it is", onclick: () => this.#toggle() });
  }

  #toggle() {
    const isOn = !this.board.fade;
    this.button.setAttribute("aria-pressed", String(isOn));
    this.board.fade = isOn ? (square) => this.#fade(square) : null;
    this.board.paint();
  }

  /** From 0, as it is, to 1, gone. */
  #fade(square) {
    const round = this.timeline.round;
    if (this.at !== round) this.#follow(round);
    return round ? 0.8 * (1 - this.changed[square] / round) : 0;
  }

  #follow(round) {
    if (this.at === undefined || round < this.at) {
      this.changed = new Int32Array(this.timeline.squares.length);
      this.at = 0;
    }
    while (this.at < round) {
      const changes = this.timeline.changes[this.at++];
      for (let i = 0; i < changes.length; i += 2) this.changed[changes[i]] = this.at;
    }
  }
};
