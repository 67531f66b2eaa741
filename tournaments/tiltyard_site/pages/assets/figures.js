// Figures: small grids of squares that actions tell of, such as the piece a player has to place. Drawn, or told by their size.
"use strict";
Tiltyard.Figures = class {
  static LONGEST_SIDE = 200;

  constructor(timeline, theme) {
    this.style = theme.figures || null;
    const drawn = this.style ? timeline.actionNames.flatMap((text) => this.split(text).filter((part) => part.drawn)) : [];
    const longest = (side) => drawn.reduce((most, part) => Math.max(most, part[side]), 0);
    this.width = longest("width");
    this.height = longest("height");
    /** Pixels of a square: the largest figure stays small, the smallest can be seen. */
    this.unit = Math.max(3, Math.min(10, Math.floor(110 / Math.max(1, this.width, this.height))));
  }

  /** Whether the game's actions tell of any. */
  get any() {
    return this.width > 0;
  }

  /** Pixels that hold the drawing of every figure. */
  get room() {
    return this.height * this.unit + 2;
  }

  /** The rows of a word that is a figure, else null. */
  read(word) {
    const { empty, taken } = this.style;
    const rows = word.split("/");
    const { length } = rows[0];
    if (!length || Math.max(length, rows.length) > Tiltyard.Figures.LONGEST_SIDE || !word.includes(taken)) return null;
    return rows.every((row) => row.length === length && [...row].every((square) => square === empty || square === taken)) ? rows : null;
  }

  /** An action in parts: texts, and figures with what follows them at once. */
  split(text) {
    const words = text.split(" ");
    return words.map((word, index) => {
      const bare = word.replace(/[:;,]+$/, "");
      const rows = this.style ? this.read(bare) : null;
      if (!rows) return { text: word };
      return { rows, width: rows[0].length, height: rows.length, rest: word.slice(bare.length), drawn: index > 0 && words[index - 1] === this.style.after };
    });
  }

  /** What a page shows of an action, in the colour of whose it is. */
  parts(text, color) {
    return this.split(text).flatMap((part, index) => {
      const space = index ? " " : "";
      if (!part.rows) return [space + part.text];
      return part.drawn ? [space, this.#drawing(part, color), part.rest] : [`${space}${part.width}\u00d7${part.height}${part.rest}`];
    });
  }

  #drawing({ rows, width, height }, color) {
    const { element } = Tiltyard;
    const { unit } = this;
    const squares = (wanted) => rows.flatMap((row, y) => [...row].map((square, x) => ((square === this.style.taken) === wanted ? `M${x} ${y}h1v1h-1z` : ""))).join("");
    return element("svg:svg", { class: "figure", viewBox: `0 0 ${width} ${height}`, width: width * unit, height: height * unit, role: "img", "aria-label": `${width} by ${height}: ${rows.join(" ")}` },
      element("svg:path", { class: "figure-empty", d: squares(false) }),
      element("svg:path", { class: "figure-taken", d: squares(true), fill: /^#[0-9a-f]{6}$/i.test(color || "") ? color : "currentColor" }),
    );
  }
};
