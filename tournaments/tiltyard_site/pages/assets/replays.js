// Replays: from the letters or bytes that a page has to what the viewer shows. What comes from strangers is checked and cut here.
"use strict";
Tiltyard.Replays = (() => {
  const MOST_SQUARES = 1_000_000;
  const MOST_TOKENS = 65_536;
  const LONGEST_NOTE = 200;
  const MOST_LINES = 100;
  const MOST_COLUMNS = 20;
  const MOST_SERIES = 16;
  const LONGEST = { title: 100, line: 400, cell: 60, card: 12 };

  /** A game's replay from the script that has it; null where it has none. */
  async function of(game) {
    if (!game.replay) return null;
    const packed = await Tiltyard.load(`replays/${game.replay}`);
    const data = await fromBytes(bytesOf(packed[game.file]), game);
    data.views = packed[`${game.file}-views`] ?? data.views;
    return data;
  }

  /** The bytes of letters of seven bits: the lower bits of all bytes, then the highest ones of seven bytes a letter. */
  function bytesOf(letters) {
    const size = (letters.length - 1) / 8;
    const bytes = new Uint8Array(7 * size - letters.charCodeAt(0));
    for (let at = 0; at < bytes.length; at++) {
      const highest = letters.charCodeAt(1 + 7 * size + (at % size)) >> Math.floor(at / size);
      bytes[at] = letters.charCodeAt(1 + at) | ((highest & 1) << 7);
    }
    return bytes;
  }

  /** The replay of a game as the viewer needs it, from its compressed bytes. */
  async function fromBytes(bytes, game) {
    if (typeof DecompressionStream === "undefined") throw new Error("This browser is too old to show replays.");
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return read(await new Response(stream).text(), game);
  }

  /** Numbers that stand for texts, in the order of their first use. */
  class Numbers {
    texts = [];
    #numbers = new Map();

    of(text) {
      let number = this.#numbers.get(text);
      if (number === undefined) {
        number = this.texts.push(text) - 1;
        this.#numbers.set(text, number);
      }
      return number;
    }
  }

  /** The values of a replay file. Its players have the names that the site gives them. */
  function read(file, game) {
    const lines = file.split("\n");
    if (lines.at(-1) === "") lines.pop();
    const header = JSON.parse(lines[0]);
    const size = header.width * header.height;
    if (header.squares.length !== size || size > MOST_SQUARES) throw new Error(`The replay can't be shown: its board has ${header.squares.length} squares.`);
    const seats = game.teams.length === header.seats.length ? game.teams.map(([team]) => team) : header.seats;
    const tokens = new Numbers();
    const actions = new Numbers();
    const squares = header.squares.map((token) => tokens.of(token));
    const frames = lines.slice(1).map((line, index) => frame(JSON.parse(line), index + 1, size, tokens, actions));
    if (tokens.texts.length > MOST_TOKENS) throw new Error(`The replay can't be shown: it has more than ${MOST_TOKENS} different tokens.`);
    const { game: name, title, message, width, height, views } = header;
    const panels = (header.panels ?? []).map(shown);
    return { file: named(file, header.seats, seats), game: name, title, message, seats, width, height, tokens: tokens.texts, squares, actions: actions.texts, frames, panels, views };
  }

  function frame([changes = [], actions = [], scores = [], notes = [], panels = []], round, size, tokens, names) {
    const flat = [];
    for (const [square, token] of changes) {
      if (!(square >= 0 && square < size)) throw new Error(`The replay can't be shown: turn ${round} changes square ${square} of ${size}.`);
      flat.push(square, tokens.of(token));
    }
    return { changes: flat, actions: actions.map((action) => names.of(action)), scores, notes: notes.map((note) => cut(note, LONGEST_NOTE)), panels: panels.map(shown) };
  }

  /** The file with other names of the players in its first line. */
  function named(file, before, seats) {
    const [from, to] = [before, seats].map((names) => `"seats":${JSON.stringify(names)}`);
    return from === to ? file : file.replace(from, () => to);
  }

  /** A text of at most so many letters that ends with a whole word. */
  function cut(text, most) {
    return text.length <= most ? text : `${text.slice(0, most).replace(/\s+\S*$/, "")} …`;
  }

  function shortened(text, longest) {
    return text.length <= longest ? text : `${text.slice(0, longest / 2)} ... ${text.slice(-longest / 2)}`;
  }

  /** At most so many values, with one in place of those in the middle. */
  function fewer(values, most, standIn) {
    if (values.length <= most) return values;
    const half = (most - 1) >> 1;
    return [...values.slice(0, half), standIn(values.length - 2 * half), ...values.slice(-half)];
  }

  const cells = (row) => row.slice(0, MOST_COLUMNS).map((cell) => shortened(cell, LONGEST.cell));

  /** A panel with no more of anything than somebody looks at. */
  function shown(panel) {
    const title = shortened(panel.title, LONGEST.title);
    const { lines, cards, rows, headers, row_seats: owners, values, names, seats } = panel;
    if (panel.kind === "text" && lines) return { ...panel, title, lines: fewer(lines, MOST_LINES, (left) => `... ${left} more lines ...`).map((line) => shortened(line, LONGEST.line)) };
    if (panel.kind === "cards" && cards) return { ...panel, title, cards: fewer(cards, MOST_LINES, (left) => `+${left}`).map((card) => shortened(card, LONGEST.card)) };
    if (panel.kind === "plot") return { ...panel, title, values: values?.slice(0, MOST_SERIES) ?? [], names: names?.slice(0, MOST_SERIES), seats: seats?.slice(0, MOST_SERIES) };
    if (panel.kind !== "table") return { ...panel, title };
    const places = fewer([...(rows ?? []).keys()], MOST_LINES, (left) => -left);
    return {
      ...panel,
      title,
      headers: cells(headers ?? []),
      rows: places.map((place) => (place < 0 ? [`... ${-place} more ...`] : cells(rows[place]))),
      row_seats: owners && places.map((place) => owners[place] ?? 0),
    };
  }

  return { of, bytesOf, fromBytes, read, cut };
})();
