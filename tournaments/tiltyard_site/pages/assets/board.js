// A board on a canvas: only squares that changed are drawn again; zoom and pan show a part of a large board.
"use strict";
Tiltyard.Board = class {
  constructor(timeline, theme, label) {
    this.timeline = timeline;
    this.theme = theme;
    this.label = label;
    this.zoom = 1;
    this.left = 0;
    this.top = 0;
    this.marked = new Set();
    this.canvas = Tiltyard.element("canvas", { role: "img", "aria-label": label, tabindex: "0", class: "board" });
    this.box = Tiltyard.element("div", { class: "stage" }, this.canvas);
    this.box.style.aspectRatio = `${timeline.width} / ${timeline.height}`;
    this.box.style.setProperty("--columns", timeline.width);
    this.box.style.setProperty("--rows", timeline.height);
    this.pen = this.canvas.getContext("2d", { alpha: false });
    this.sprites = new Map();
    this.onmoved = () => {};
    /** How much of a square is gone, from 0 to 1; null: nothing of any. */
    this.fade = null;
    new ResizeObserver(() => this.fit()).observe(this.box);
    document.addEventListener("appearance", () => this.restyle());
    this.#listen();
  }

  /** Take the colours of the page anew. */
  restyle() {
    const style = getComputedStyle(this.box);
    const color = (name) => style.getPropertyValue(name).trim();
    this.look = { floor: color("--floor"), grid: color("--floor-grid"), ink: color("--ink"), track: color("--track"), shot: color("--shot"), difference: color("--difference"), paper: color("--paper") };
    this.sprites.clear();
    this.paint();
  }

  /** Make the canvas as large as its box. */
  fit() {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(this.box.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.box.clientHeight * ratio));
    if (width !== this.canvas.width || height !== this.canvas.height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.#scale();
    this.restyle();
  }

  #scale() {
    const { width, height } = this.timeline;
    const fitting = Math.min(this.canvas.width / width, this.canvas.height / height);
    const wanted = fitting * this.zoom;
    // Whole pixels keep edges crisp; boards of less than three pixels a square need the fraction.
    const size = wanted >= 3 ? Math.floor(wanted) : Math.max(0.5, wanted);
    if (size !== this.size) this.sprites.clear();
    this.size = size;
    this.#hold();
  }

  /** Keep the board in sight. */
  #hold() {
    const { width, height } = this.timeline;
    const place = (at, whole, room) => (whole <= room ? Math.floor((whole - room) / 2) : Math.max(0, Math.min(Math.round(at), whole - room)));
    this.left = place(this.left, width * this.size, this.canvas.width);
    this.top = place(this.top, height * this.size, this.canvas.height);
    this.canvas.classList.toggle("movable", this.movable);
  }

  get movable() {
    return this.timeline.width * this.size > this.canvas.width || this.timeline.height * this.size > this.canvas.height;
  }

  /** Zoom by a factor about a point of the canvas, by default its middle. */
  zoomBy(factor, x = this.canvas.width / 2, y = this.canvas.height / 2) {
    const before = this.size;
    const fitting = Math.min(this.canvas.width / this.timeline.width, this.canvas.height / this.timeline.height);
    const largest = Math.max(1, (64 * (window.devicePixelRatio || 1)) / fitting);
    this.zoom = Math.max(1, Math.min(this.zoom * factor, largest));
    const [boardX, boardY] = [(this.left + x) / before, (this.top + y) / before];
    this.#scale();
    this.left = boardX * this.size - x;
    this.top = boardY * this.size - y;
    this.#hold();
    this.paint();
    this.onmoved();
  }

  whole() {
    this.zoom = 1;
    this.#scale();
    this.paint();
    this.onmoved();
  }

  /** Move by pixels of the canvas. */
  moveBy(x, y) {
    this.left += x;
    this.top += y;
    this.#hold();
    this.paint();
    this.onmoved();
  }

  /** Show the same part as another board does. */
  follow(other) {
    this.zoom = other.zoom;
    this.#scale();
    this.left = other.left;
    this.top = other.top;
    this.#hold();
    this.paint();
  }

  #sprite(number) {
    let sprite = this.sprites.get(number);
    if (sprite === undefined) {
      const token = this.timeline.tokens[number];
      const style = Object.hasOwn(this.theme.styles, token) ? this.theme.styles[token] : undefined;
      // An empty square is floor and grid, which are drawn anyway.
      if (style ? (!style.shape || style.shape === "nothing") && (style.shape || !style.glyph) && !style.ground && !style.floor : !token.trim()) sprite = null;
      else {
        const size = Math.max(1, Math.ceil(this.size));
        sprite = document.createElement("canvas");
        sprite.width = size;
        sprite.height = size;
        Tiltyard.shapes.draw(sprite.getContext("2d"), size, token, style, this.look);
      }
      this.sprites.set(number, sprite);
    }
    return sprite;
  }

  /** Draw all that is in sight. */
  paint() {
    if (!this.size || !this.look) return;
    const { width, height } = this.timeline;
    this.pen.fillStyle = this.look.paper;
    this.pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.pen.fillStyle = this.look.floor;
    this.pen.fillRect(-this.left, -this.top, width * this.size, height * this.size);
    const first = { x: Math.max(0, Math.floor(this.left / this.size)), y: Math.max(0, Math.floor(this.top / this.size)) };
    const end = {
      x: Math.min(width, Math.ceil((this.left + this.canvas.width) / this.size)),
      y: Math.min(height, Math.ceil((this.top + this.canvas.height) / this.size)),
    };
    this.#grid(first, end);
    for (let y = first.y; y < end.y; y++) {
      for (let x = first.x; x < end.x; x++) {
        const sprite = this.#sprite(this.timeline.squares[y * width + x]);
        if (!sprite) continue;
        if (this.fade) this.pen.globalAlpha = 1 - this.fade(y * width + x);
        this.pen.drawImage(sprite, x * this.size - this.left, y * this.size - this.top, this.size, this.size);
      }
    }
    this.pen.globalAlpha = 1;
    if (this.theme.columns) for (let x = first.x; x < end.x; x++) this.#names(x, height - 1);
    if (this.theme.rows) for (let y = first.y; y < end.y; y++) if (y < height - 1) this.#names(0, y);
    for (const square of this.marked) this.#mark(square);
  }

  get gridded() {
    return this.size >= 10 * (window.devicePixelRatio || 1);
  }

  #grid(first, end) {
    if (!this.gridded) return;
    this.pen.fillStyle = this.look.grid;
    const [left, top] = [first.x * this.size - this.left, first.y * this.size - this.top];
    const [right, bottom] = [end.x * this.size - this.left, end.y * this.size - this.top];
    for (let x = first.x; x < end.x; x++) this.pen.fillRect(x * this.size - this.left, top, 1, bottom - top);
    for (let y = first.y; y < end.y; y++) this.pen.fillRect(left, y * this.size - this.top, right - left, 1);
  }

  /** Draw these squares only. */
  update(squares) {
    if (!this.size || !this.look) return;
    // With every round all squares grow older.
    if (this.fade || squares.length * 3 > this.timeline.squares.length) {
      this.paint();
      return;
    }
    for (const square of squares) this.#drawSquare(square);
    if (this.marked.size) for (const square of squares) if (this.marked.has(square)) this.#mark(square);
  }

  #drawSquare(square) {
    const x = (square % this.timeline.width) * this.size - this.left;
    const y = Math.floor(square / this.timeline.width) * this.size - this.top;
    if (x + this.size <= 0 || y + this.size <= 0 || x >= this.canvas.width || y >= this.canvas.height) return;
    this.pen.fillStyle = this.look.floor;
    this.pen.fillRect(x, y, this.size, this.size);
    if (this.gridded) {
      this.pen.fillStyle = this.look.grid;
      this.pen.fillRect(x, y, 1, this.size);
      this.pen.fillRect(x, y, this.size, 1);
    }
    const sprite = this.#sprite(this.timeline.squares[square]);
    if (sprite) this.pen.drawImage(sprite, x, y, this.size, this.size);
    this.#names(square % this.timeline.width, Math.floor(square / this.timeline.width));
  }

  /** On the left and the lower edge small names of row and column. */
  #names(x, y) {
    const [row, column] = [x === 0 && this.theme.rows, y === this.timeline.height - 1 && this.theme.columns];
    if (this.size < 24 || (!row && !column)) return;
    const [left, top] = [x * this.size - this.left, y * this.size - this.top];
    const edge = this.size * 0.05;
    this.pen.fillStyle = this.look.ink;
    this.pen.globalAlpha = 0.6;
    this.pen.font = `${Math.round(this.size * 0.2)}px system-ui, sans-serif`;
    this.pen.textBaseline = "alphabetic";
    if (row) {
      this.pen.textAlign = "left";
      this.pen.fillText(row[y] || "", left + edge, top + edge + this.size * 0.16);
    }
    if (column) {
      this.pen.textAlign = "right";
      this.pen.fillText(column[x] || "", left + this.size - edge, top + this.size - edge);
    }
    this.pen.globalAlpha = 1;
  }

  #mark(square) {
    const x = (square % this.timeline.width) * this.size - this.left;
    const y = Math.floor(square / this.timeline.width) * this.size - this.top;
    const line = Math.max(1, Math.round(this.size * 0.1));
    this.pen.strokeStyle = this.look.difference;
    this.pen.lineWidth = line;
    this.pen.strokeRect(x + line / 2, y + line / 2, this.size - line, this.size - line);
  }

  /** Mark exactly these squares; returns those whose mark came or went, which have to be drawn again. */
  setMarked(squares) {
    const changed = [...this.marked].filter((square) => !squares.has(square)).concat([...squares].filter((square) => !this.marked.has(square)));
    this.marked = squares;
    return changed;
  }

  /** In a game by turns: the player who acts alone in a round, and how; null if there is none. */
  #mover(round) {
    const { actions, actionNames, seats } = this.timeline;
    const given = round > 0 && actions[round] && actions[round].length === seats.length ? actions[round] : [];
    const acted = given.map((action, seat) => [seat + 1, actionNames[action]]).filter(([, name]) => name);
    return acted.length === 1 ? acted[0] : null;
  }

  /** Say what the board shows to those who don't see it: the round, who moved and moves next, the squares of each player. */
  tell() {
    const { squares, tokens, round, last } = this.timeline;
    const owned = new Map();
    for (const number of squares) {
      const style = Object.hasOwn(this.theme.styles, tokens[number]) ? this.theme.styles[tokens[number]] : undefined;
      if (style && style.seat) owned.set(style.seat, (owned.get(style.seat) || 0) + 1);
    }
    const [mover, next] = [this.#mover(round), this.#mover(round + 1)];
    const parts = [`Turn ${round} of ${last}`];
    if (mover) parts.push(`player ${mover[0]}: ${mover[1]}`);
    if (next) parts.push(`player ${next[0]} is next`);
    for (const seat of [...owned.keys()].sort()) parts.push(`player ${seat} has ${owned.get(seat)} ${owned.get(seat) === 1 ? "square" : "squares"}`);
    this.canvas.setAttribute("aria-label", `${this.label}. ${parts.join("; ")}.`);
  }

  /** What the square under a point of the page holds, in words; empty outside. */
  describe(clientX, clientY) {
    const bounds = this.canvas.getBoundingClientRect();
    const ratio = this.canvas.width / bounds.width;
    const x = Math.floor(((clientX - bounds.left) * ratio + this.left) / this.size);
    const y = Math.floor(((clientY - bounds.top) * ratio + this.top) / this.size);
    if (x < 0 || y < 0 || x >= this.timeline.width || y >= this.timeline.height) return "";
    const token = this.timeline.token(y * this.timeline.width + x);
    const style = Object.hasOwn(this.theme.styles, token) ? this.theme.styles[token] : undefined;
    const name = (names, at) => (names && names[at]) || at;
    return `column ${name(this.theme.columns, x)}, row ${name(this.theme.rows, y)}: ${(style && style.label) || (token.trim() ? token : "empty")}`;
  }

  #listen() {
    const pointers = new Map();
    const ratio = () => this.canvas.width / this.canvas.getBoundingClientRect().width;
    this.canvas.addEventListener("pointerdown", (event) => {
      if (!this.movable && event.pointerType === "mouse") return;
      pointers.set(event.pointerId, event);
      if (this.movable) this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      if (pointers.size === 2) {
        const other = [...pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
        const distance = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
        const bounds = this.canvas.getBoundingClientRect();
        const middle = [(event.clientX + other.clientX) / 2 - bounds.left, (event.clientY + other.clientY) / 2 - bounds.top];
        this.zoomBy(distance(event) / Math.max(1, distance(before)), middle[0] * ratio(), middle[1] * ratio());
      } else if (this.movable) {
        this.moveBy((before.clientX - event.clientX) * ratio(), (before.clientY - event.clientY) * ratio());
      }
      pointers.set(event.pointerId, event);
    });
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        // The plain wheel goes on to scroll the page.
        if (!event.ctrlKey) return;
        event.preventDefault();
        const bounds = this.canvas.getBoundingClientRect();
        this.zoomBy(Math.exp(-event.deltaY / 200), (event.clientX - bounds.left) * ratio(), (event.clientY - bounds.top) * ratio());
      },
      { passive: false },
    );
    this.canvas.addEventListener("mousemove", (event) => {
      this.canvas.title = this.describe(event.clientX, event.clientY);
    });
  }
};
