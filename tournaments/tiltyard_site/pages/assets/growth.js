// Numbers by turn, such as the scores: a line each, with the round that is shown marked. Its width is that of the seek bar.
"use strict";
Tiltyard.Growth = class {
  static drawn = 0;

  /** Whether there is anything to see: a score that changes. */
  static isWorth(timeline) {
    return timeline.scores.some((scores, round) => round > 1 && scores.some((score, seat) => score !== timeline.scores[1][seat]));
  }

  static ofScores(data, timeline, theme, goTo) {
    const end = timeline.scores.at(-1);
    const words = `Scores by turn; at the end ${data.seats.map((name, seat) => `player ${seat + 1} has ${end[seat] ?? "none"}`).join(", ")}`;
    return new Tiltyard.Growth({ timeline, values: timeline.scores, colors: data.seats.map((name, seat) => theme.seats[seat]), words, title: "Scores by turn", isTitled: true, goTo });
  }

  /** `values` are numbers by round; with `hidesLater` the lines end at the round that is shown. */
  constructor({ timeline, values, colors, words, title, goTo, hidesLater = false, isTitled = false }) {
    this.timeline = timeline;
    this.values = values;
    const { element } = Tiltyard;
    const all = values.flat();
    this.high = all.reduce((one, other) => Math.max(one, other), 0);
    this.low = all.reduce((one, other) => Math.min(one, other), 0);
    this.span = this.high - this.low || 1;
    const last = Math.max(1, timeline.last);
    const clip = `until-${Tiltyard.Growth.drawn++}`;
    const lines = colors.map((color, line) => element("svg:polyline", { class: "growth-line", points: this.#points(line), stroke: this.#color(color), "stroke-dasharray": line % 2 ? "6 2" : null, "clip-path": hidesLater ? `url(#${clip})` : null }));
    // A little to the right, so that a jump in the round that is shown can be seen.
    this.until = hidesLater ? element("svg:rect", { x: last * 0.003, y: -10, width: 0, height: 120 }) : null;
    this.now = element("svg:line", { class: "growth-now", x1: 0, x2: 0, y1: 0, y2: 100 });
    this.graph = element("svg:svg", {
      class: "growth-graph", viewBox: `0 0 ${last} 100`, preserveAspectRatio: "none", role: "img", "aria-label": words,
      onclick: (event) => {
        const bounds = this.graph.getBoundingClientRect();
        goTo(Math.round(((event.clientX - bounds.left) / bounds.width) * timeline.last));
      },
    }, this.until ? element("svg:clipPath", { id: clip }, this.until) : null, this.now, ...lines);
    const label = (score) => String(Number(score.toFixed(3)));
    this.element = element("figure", { class: `growth${isTitled ? " titled" : ""}`, title }, isTitled ? element("figcaption", { text: title }) : null, element("span", { class: "growth-high", text: label(this.high) }), element("span", { class: "growth-low", text: label(this.low) }), this.graph);
  }

  #color(color) {
    return /^#[0-9a-f]{6}$/i.test(color || "") ? color : "currentColor";
  }

  /** A step where the score changes, no point where it does not. */
  #points(line) {
    const points = [];
    const height = (score) => 100 - ((score - this.low) / this.span) * 100;
    let before = null;
    this.values.forEach((values, round) => {
      if (line >= values.length || values[line] === before) return;
      if (before !== null) points.push(`${round},${height(before)}`);
      points.push(`${round},${height(values[line])}`);
      before = values[line];
    });
    if (before !== null) points.push(`${this.timeline.last},${height(before)}`);
    return points.join(" ");
  }

  /** Mark the timeline's round. */
  show() {
    for (const end of ["x1", "x2"]) this.now.setAttribute(end, this.timeline.round);
    this.until?.setAttribute("width", this.timeline.round);
  }
};
