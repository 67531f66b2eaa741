// Playing a replay, or two at once: the clock, the controls and the keys.
"use strict";
Tiltyard.SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, 60, 120];

Tiltyard.icon = (name) => {
  // Drawn, as fonts do not have these signs everywhere.
  const paths = {
    first: "M3 4h2v12H3zM16 4v12L6 10z",
    eventBack: "M17 4v12l-7-6zM9 4v12l-7-6z",
    back: "M14 4v12l-9-6z",
    play: "M5 3v14l12-7z",
    pause: "M5 3h4v14H5zM11 3h4v14h-4z",
    on: "M6 4v12l9-6z",
    eventOn: "M3 4v12l7-6zM11 4v12l7-6z",
    end: "M15 4h2v12h-2zM4 4v12l10-6z",
    minus: "M4 9h12v2H4z",
    plus: "M4 9h5V4h2v5h5v2h-5v5H9v-5H4z",
    whole: "M3 3h5v2H5v3H3zM12 3h5v5h-2V5h-3zM3 12h2v3h3v2H3zM15 12h2v5h-5v-2h3z",
  };
  return Tiltyard.element("svg:svg", { viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true", focusable: "false", class: "icon" }, Tiltyard.element("svg:path", { d: paths[name] }));
};

Tiltyard.Player = class {
  /** `boards` play in step; `marks` are `{round, kind, text}` for the seek bar; `shown(paused)` is told of every new round. */
  constructor(boards, marks, shown) {
    this.boards = boards;
    this.last = Math.max(...boards.map((board) => board.timeline.last));
    this.round = 0;
    this.playing = false;
    this.speed = 8;
    this.shown = shown;
    this.marks = marks;
    this.events = [...new Set(marks.map((mark) => mark.round))].sort((one, other) => one - other);
    this.element = this.#controls();
    boards.forEach((board, number) => {
      board.onmoved = () => {
        boards.forEach((other, which) => which !== number && other.follow(board));
        this.#zoomed();
      };
    });
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#zoomed();
  }

  #button(name, icon, title, action, keys) {
    return Tiltyard.element("button", { type: "button", class: `control ${name}`, title: `${title} (${keys})`, "aria-label": title, onclick: action }, Tiltyard.icon(icon));
  }

  #controls() {
    const { element } = Tiltyard;
    this.seek = element("input", {
      type: "range", class: "seek", min: 0, max: this.last, step: 1, value: 0, "aria-label": "Turn",
      oninput: () => {
        this.pause();
        this.goTo(Number(this.seek.value));
      },
    });
    const lines = this.marks.slice(0, 2000).map((mark) =>
      element("svg:line", { class: `mark ${mark.kind}`, x1: mark.round, x2: mark.round, y1: mark.kind === "event" ? 3 : 0, y2: 10 }),
    );
    const marks = element("svg:svg", { class: "marks", viewBox: `0 0 ${Math.max(1, this.last)} 10`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, ...lines);
    this.playButton = this.#button("play", "play", "Play", () => this.toggle(), "space");
    this.counter = element("output", { class: "counter", "aria-live": "off" });
    this.speedSelect = element(
      "select",
      { "aria-label": "Speed", title: "Turns per second (+ and -)", onchange: () => (this.speed = Number(this.speedSelect.value)) },
      ...Tiltyard.SPEEDS.map((speed) => element("option", { value: speed, text: `${speed} / s`, selected: speed === this.speed })),
    );
    this.wholeButton = this.#button("whole", "whole", "Whole board", () => this.boards[0].whole(), "0");
    const controls = element(
      "div", { class: "controls", role: "group", "aria-label": "Playback" },
      this.#button("first", "first", "Start", () => this.step(-Infinity), "Home"),
      this.#button("event-back", "eventBack", "Previous event", () => this.toEvent(-1), "["),
      this.#button("back", "back", "One turn back", () => this.step(-1), "←"),
      this.playButton,
      this.#button("on", "on", "One turn forward", () => this.step(1), "→"),
      this.#button("event-on", "eventOn", "Next event", () => this.toEvent(1), "]"),
      this.#button("end", "end", "End", () => this.step(Infinity), "End"),
      this.counter,
      element("span", { class: "spacer" }),
      this.speedSelect,
      this.boards.some((board) => board.timeline.width) ? element("span", { class: "zooming", role: "group", "aria-label": "Zoom" },
        this.#button("zoom-out", "minus", "Smaller", () => this.boards[0].zoomBy(1 / 1.5), "o"),
        this.wholeButton,
        this.#button("zoom-in", "plus", "Larger", () => this.boards[0].zoomBy(1.5), "i"),
      ) : null,
    );
    this.#faces();
    return element("div", { class: "player" }, element("div", { class: "seeking" }, marks, this.seek), controls);
  }

  #faces() {
    this.playButton.replaceChildren(Tiltyard.icon(this.playing ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }

  #zoomed() {
    this.wholeButton.disabled = this.boards[0].zoom === 1;
  }

  /** Show a round on all boards. */
  goTo(round) {
    this.round = Math.max(0, Math.min(Math.round(round) || 0, this.last));
    const changed = this.boards.map((board) => board.timeline.goTo(this.round));
    if (this.boards.length === 2) this.#compare(changed);
    this.boards.forEach((board, number) => board.update(changed[number]));
    this.seek.value = String(this.round);
    const text = `${this.round} / ${this.last}`;
    this.counter.textContent = text;
    if (!this.playing) {
      this.seek.setAttribute("aria-valuetext", `turn ${this.round} of ${this.last}`);
      this.boards.forEach((board) => board.tell());
    }
    this.shown(!this.playing);
  }

  /** Mark the squares in which two boards of one size differ. */
  #compare(changed) {
    const [one, other] = this.boards.map((board) => board.timeline);
    if (one.width !== other.width || one.height !== other.height) return;
    const differing = new Set();
    for (let square = 0; square < one.squares.length; square++) if (one.token(square) !== other.token(square)) differing.add(square);
    this.boards.forEach((board, number) => changed[number].push(...board.setMarked(differing)));
    this.differing = differing.size;
  }

  step(rounds) {
    this.pause();
    this.goTo(rounds === Infinity ? this.last : rounds === -Infinity ? 0 : this.round + rounds);
  }

  toEvent(direction) {
    const target = direction > 0 ? this.events.find((round) => round > this.round) : this.events.findLast((round) => round < this.round);
    this.pause();
    if (target !== undefined) this.goTo(target);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.playing) return;
    if (this.round >= this.last) this.goTo(0);
    this.playing = true;
    this.#faces();
    let due = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      // After a pause that was not asked for, such as a hidden page, play goes on from where it was.
      if (now - due > 1000) due = now;
      const rounds = Math.floor(((now - due) * this.speed) / 1000);
      if (rounds > 0) {
        due += (rounds * 1000) / this.speed;
        this.goTo(this.round + rounds);
        if (this.round >= this.last) {
          this.pause();
          return;
        }
      }
      this.tick = requestAnimationFrame(tick);
    };
    this.tick = requestAnimationFrame(tick);
  }

  /** Play as soon as half of the first board can be seen, unless somebody wants no motion, or has begun to do something here. */
  playWhenSeen() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || !this.last) return;
    const watcher = new IntersectionObserver(([{ isIntersecting }]) => {
      if (!isIntersecting || document.hidden) return;
      watcher.disconnect();
      if (this.round || this.playing || this.wasStopped) return;
      this.isUnasked = true;
      this.play();
    }, { threshold: 0.5 });
    watcher.observe(this.boards[0].box || this.element);
  }

  pause() {
    this.wasStopped = true;
    this.isUnasked = false;
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.tick);
    this.#faces();
    this.goTo(this.round);
  }

  faster(steps) {
    const { SPEEDS } = Tiltyard;
    const at = SPEEDS.indexOf(this.speed) + steps;
    this.speed = SPEEDS[Math.max(0, Math.min(at, SPEEDS.length - 1))];
    this.speedSelect.value = String(this.speed);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const target = event.target;
    if (target.matches("select, textarea, input:not([type=range])")) return;
    // The space bar presses the button or opens the part that has the focus.
    if (event.key === " " && target.matches("button:not(.play), summary, a")) return;
    const move = (x, y) => () => this.boards[0].moveBy((x * this.boards[0].canvas.width) / 6, (y * this.boards[0].canvas.height) / 6);
    const keys = {
      " ": () => this.toggle(),
      ArrowRight: () => this.step(event.shiftKey ? 10 : 1),
      ArrowLeft: () => this.step(event.shiftKey ? -10 : -1),
      ".": () => this.step(1),
      ",": () => this.step(-1),
      PageDown: () => this.step(10),
      PageUp: () => this.step(-10),
      Home: () => this.step(-Infinity),
      End: () => this.step(Infinity),
      "]": () => this.toEvent(1),
      "[": () => this.toEvent(-1),
      n: () => this.toEvent(1),
      p: () => this.toEvent(-1),
      "+": () => this.faster(1),
      "=": () => this.faster(1),
      "-": () => this.faster(-1),
      i: () => this.boards[0].zoomBy(1.5),
      o: () => this.boards[0].zoomBy(1 / 1.5),
      0: () => this.boards[0].whole(),
      h: move(-1, 0),
      j: move(0, 1),
      k: move(0, -1),
      l: move(1, 0),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    // Arrows scroll the list that has the focus.
    if (target.closest(".scroll, .events") && /^(Page|Home|End)/.test(event.key)) return;
    event.preventDefault();
    keys[event.key]();
  }
};

Tiltyard.KEYS = [
  ["space", "play, pause"],
  ["← →  , .", "one turn back, forward; with Shift ten"],
  ["Page Up, Page Down", "ten turns back, forward"],
  ["Home, End", "the start, the end"],
  ["[ ]  p n", "the previous, next event"],
  ["+ −", "faster, slower"],
  ["i o 0", "zoom in, out, whole board; pinch or ctrl + wheel too"],
  ["h j k l", "move a board that is larger than its window; dragging too"],
  ["?", "this help"],
];
