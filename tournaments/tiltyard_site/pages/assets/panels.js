// What a game shows besides its board, or instead of one: texts, cards, tables, and plots of numbers by round.
"use strict";
Tiltyard.Panels = class {
  /** Letters in a line from which on a panel is twice as broad as others, or takes the whole width. */
  static BROAD = 17;
  static WIDE = 42;
  static SHOWN_BACKS = 3;

  /** `which` tells screen readers which of two games it is. */
  constructor(data, timeline, theme, goTo, which = "") {
    this.which = which;
    this.data = data;
    this.timeline = timeline;
    this.theme = theme;
    this.goTo = goTo;
    this.parts = [...timeline.panels].map(([title, history]) => this.#part(title, history));
    this.element = Tiltyard.element("div", { class: "panels" }, ...this.parts.map((part) => part.element));
  }

  /** Show the timeline's round. */
  show() {
    for (const part of this.parts) {
      const panel = this.timeline.panelNow(part.title);
      part.graph?.show();
      if (panel === part.shown) continue;
      part.shown = panel;
      this.#own(part, panel);
      part.content.replaceChildren(...(panel ? this.#content(part, panel) : []));
    }
  }

  #part(title, history) {
    const { element } = Tiltyard;
    const extents = history.shown.map((panel) => this.#extent(panel));
    const largest = (side) => extents.reduce((most, extent) => Math.max(most, extent[side]), 0);
    const chip = element("span", { class: "chip", hidden: true });
    const content = element("div", { class: "content" });
    // As high as it ever gets, so that nothing below it jumps.
    content.style.setProperty("--lines", Math.min(largest(1), 40));
    const { BROAD, WIDE } = Tiltyard.Panels;
    const breadth = largest(0) > WIDE ? " wide" : largest(0) > BROAD ? " broad" : "";
    const part = { title, chip, content, shown: undefined, graph: null };
    part.element = element("section", { class: `shown-panel${breadth}`, "aria-label": title + this.which }, element("h2", {}, chip, Tiltyard.name(title)), content);
    return part;
  }

  /** About how many letters wide and lines high a panel is. */
  #extent(panel) {
    const { WIDE } = Tiltyard.Panels;
    const longest = (texts) => texts.reduce((most, text) => Math.max(most, text.length), 0);
    if (panel.kind === "text") return [longest(panel.lines || []), (panel.lines || []).length];
    if (panel.kind === "cards") return [Math.min(40, (panel.cards || []).length * 5), panel.cards || panel.hidden ? 3 : 0];
    if (panel.kind === "plot") return [WIDE + 1, 0];
    const rows = [...(panel.headers ? [panel.headers] : []), ...(panel.rows || [])];
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
    const widths = Array.from({ length: columns }, (_, at) => longest(rows.map((row) => row[at] || "")) + 3);
    return [widths.reduce((sum, width) => sum + width, 0), rows.length];
  }

  /** Say whose the panel is. */
  #own({ element: section, chip }, panel) {
    const seat = (panel && panel.seat) || 0;
    chip.hidden = !seat;
    chip.textContent = seat ? String(seat) : "";
    chip.removeAttribute("style");
    section.style.borderLeftColor = "";
    if (!seat) return;
    Tiltyard.paintChip(chip, this.theme.seats[seat - 1]);
    section.style.borderLeftColor = this.#color(seat);
  }

  #color(seat) {
    const color = this.theme.seats[seat - 1] || "";
    return /^#[0-9a-f]{6}$/i.test(color) ? color : "";
  }

  #chip(seat) {
    if (!seat) return null;
    const chip = Tiltyard.element("span", { class: "chip small", text: seat });
    Tiltyard.paintChip(chip, this.theme.seats[seat - 1]);
    return chip;
  }

  #content(part, panel) {
    if (panel.kind === "text") return [Tiltyard.element("pre", { tabindex: "0", "aria-label": part.title, text: (panel.lines || []).join("\n") })];
    if (panel.kind === "cards") return [this.#cards(panel)];
    if (panel.kind === "table") return [this.#table(part, panel)];
    if (panel.kind === "plot") return this.#plot(part, panel);
    return [];
  }

  #cards({ cards = [], hidden = 0 }) {
    const { element } = Tiltyard;
    if (!cards.length && !hidden) return element("p", { class: "note", text: "None." });
    const faces = cards.map((card) => element("li", { class: `face${/[\u2665\u2666\u2661\u2662]/.test(card) ? " red" : ""}`, text: card }));
    const count = hidden > Tiltyard.Panels.SHOWN_BACKS ? 1 : hidden;
    const backs = Array.from({ length: count }, () => element("li", { class: "face back", role: "img", "aria-label": hidden > count ? `${hidden} cards face down` : "a card face down" }));
    const more = hidden > count ? [element("li", { class: "face more", "aria-hidden": "true", text: `\u00d7 ${hidden}` })] : [];
    return element("ul", { class: "hand" }, ...faces, ...backs, ...more);
  }

  #table(part, { headers = [], rows = [], column_seats: columns = [], row_seats: owners = [] }) {
    const { element } = Tiltyard;
    const count = [headers, ...rows].reduce((most, row) => Math.max(most, row.length), 0);
    const places = Array.from({ length: count }, (_, at) => at);
    const numeric = places.map((at) => {
      const cells = rows.map((row) => row[at] || "").filter(Boolean);
      return cells.length > 0 && cells.every((cell) => /^[+-]*\d+(\.\d*)?[%+-]*$/.test(cell));
    });
    const look = (at) => (numeric[at] ? "number" : null);
    const head = headers.length ? [element("thead", {}, element("tr", {}, ...places.map((at) => element("th", { scope: "col", class: look(at) }, this.#chip(columns[at]), Tiltyard.name(headers[at] || "")))))] : [];
    const body = rows.map((row, number) => element("tr", {}, ...places.map((at) => element("td", { class: look(at) }, at ? null : this.#chip(owners[number]), Tiltyard.name(row[at] || "")))));
    return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": part.title }, element("table", {}, ...head, element("tbody", {}, ...body)));
  }

  #plot(part, panel) {
    const { element } = Tiltyard;
    const owner = (at) => (panel.seats ? panel.seats[at] : at + 1);
    const name = (at) => (panel.names || [])[at] || this.data.seats[owner(at) - 1] || "";
    const number = (value) => String(Number(value.toFixed(3)));
    const words = () => `${part.title}: ${panel.values.map((value, at) => `${name(at) || `line ${at + 1}`} ${number(value)}`).join(", ")}`;
    if (!part.graph) {
      const colors = panel.values.map((_, at) => this.theme.seats[owner(at) - 1]);
      part.graph = new Tiltyard.Growth({ timeline: this.timeline, values: this.timeline.valuesOf(part.title), colors, words: "", title: part.title, goTo: this.goTo, hidesLater: true });
      part.graph.show();
    }
    part.graph.graph.setAttribute("aria-label", words());
    const now = panel.values.map((value, at) => element("li", {}, this.#chip(owner(at)), Tiltyard.name(`${name(at)}${name(at) ? ": " : ""}${number(value)}`)));
    return [part.graph.element, element("ul", { class: "lines-now" }, ...now)];
  }
};

/** In place of a board, where a game has none: the player moves its timeline all the same. */
Tiltyard.NoBoard = class {
  constructor(timeline) {
    this.timeline = timeline;
    this.zoom = 1;
    this.canvas = { width: 0, height: 0 };
    this.box = "";
  }

  update() {}

  tell() {}

  follow() {}

  whole() {}

  zoomBy() {}

  moveBy() {}

  setMarked() {
    return [];
  }
};
