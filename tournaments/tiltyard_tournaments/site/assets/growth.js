// How the scores grew: a line a seat over the rounds, with the round that is shown marked. Its width is that of the seek bar.
"use strict";
Tiltyard.Growth = class {
  /** Whether there is anything to see: a score that changes. */
  static isWorth(timeline) {
    return timeline.scores.some((scores, round) => round > 1 && scores.some((score, seat) => score !== timeline.scores[1][seat]));
  }

  constructor(data, timeline, theme, goTo) {
    this.timeline = timeline;
    const { element } = Tiltyard;
    const seats = data.seats.map((name, index) => index);
    const all = timeline.scores.flat();
    this.high = all.reduce((one, other) => Math.max(one, other), 0);
    this.low = all.reduce((one, other) => Math.min(one, other), 0);
    this.span = this.high - this.low || 1;
    const last = Math.max(1, timeline.last);
    const lines = seats.map((seat) => element("svg:polyline", { class: "growth-line", points: this.#points(seat), stroke: this.#color(theme.seats[seat]), "stroke-dasharray": seat % 2 ? "6 2" : null }));
    this.now = element("svg:line", { class: "growth-now", x1: 0, x2: 0, y1: 0, y2: 100 });
    const graph = element("svg:svg", {
      class: "growth-graph", viewBox: `0 0 ${last} 100`, preserveAspectRatio: "none", role: "img", "aria-label": this.#words(data),
      onclick: (event) => {
        const bounds = graph.getBoundingClientRect();
        goTo(Math.round(((event.clientX - bounds.left) / bounds.width) * timeline.last));
      },
    }, ...lines, this.now);
    const label = (score) => String(Number(score.toFixed(3)));
    this.element = element("div", { class: "growth", title: "Scores by round" }, element("span", { class: "growth-high", text: label(this.high) }), element("span", { class: "growth-low", text: label(this.low) }), graph);
  }

  #color(color) {
    return /^#[0-9a-f]{6}$/i.test(color || "") ? color : "currentColor";
  }

  /** A step where the score changes, no point where it does not. */
  #points(seat) {
    const points = [];
    const height = (score) => 100 - ((score - this.low) / this.span) * 100;
    let before = null;
    this.timeline.scores.forEach((scores, round) => {
      if (seat >= scores.length || scores[seat] === before) return;
      if (before !== null) points.push(`${round},${height(before)}`);
      points.push(`${round},${height(scores[seat])}`);
      before = scores[seat];
    });
    if (before !== null) points.push(`${this.timeline.last},${height(before)}`);
    return points.join(" ");
  }

  #words(data) {
    const end = this.timeline.scores.at(-1);
    return `Scores by round; at the end ${data.seats.map((name, seat) => `player ${seat + 1} has ${end[seat] ?? "none"}`).join(", ")}`;
  }

  /** Mark the timeline's round. */
  show() {
    for (const end of ["x1", "x2"]) this.now.setAttribute(end, this.timeline.round);
  }
};
