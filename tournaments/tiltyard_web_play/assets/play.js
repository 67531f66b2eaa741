// A game with a person in a seat: asks the server what stands on the board, shows what may be answered, and sends the answer.
"use strict";
(async () => {
  const { element, name } = Tiltyard;
  const box = document.getElementById("play");
  const announce = document.getElementById("announce");
  const theme = await Tiltyard.load("data/theme");
  const lobby = await get("lobby");
  document.getElementById("title").textContent = lobby.title;
  if (lobby.home) document.getElementById("home").href = lobby.home;
  document.title = `Play – ${lobby.title}`;

  async function get(path) {
    const answer = await fetch(path, { cache: "no-store" });
    if (!answer.ok) throw new Error(answer.status === 404 ? "This game is no longer here." : `The server answered ${answer.status}.`);
    return answer.json();
  }

  /** Send something; returns what the server said, or throws its words. */
  async function send(path, value) {
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
    const said = await answer.json();
    if (!answer.ok) throw new Error(said.error || `The server answered ${answer.status}.`);
    return said;
  }

  /** The form that begins a game. */
  function form(problem = "") {
    const asked = Tiltyard.asked();
    const number = Math.max(lobby.seats, 1);
    const choose = (label, id, values, chosen) => {
      const select = element("select", { id }, ...values.map((value) => element("option", { value, selected: value === chosen, text: value })));
      return [element("label", { for: id, text: label }), select];
    };
    const seats = Array.from({ length: number }, (_, at) => String(at + 1));
    const wanted = (asked.get("against") ?? "").split(",").filter(Boolean);
    const [seatLabel, seat] = choose("Your seat", "seat", seats, asked.get("seat") ?? "1");
    const [mapLabel, map] = choose("Map", "map", lobby.maps, asked.get("map"));
    const others = Array.from({ length: number - 1 }, (_, at) => choose(number > 2 ? `Opponent ${at + 1}` : "Opponent", `other-${at}`, lobby.opponents, wanted[at]));
    const begin = async (event) => {
      event?.preventDefault();
      const mine = Number(seat.value);
      const names = others.map(([, select]) => select.value);
      names.splice(mine - 1, 0, "you");
      try {
        const { table } = await send("tables", { names, seat: mine, map: map.value });
        Tiltyard.ask(new URLSearchParams({ table, against: others.map(([, select]) => select.value).join(","), seat: seat.value, map: map.value }));
        await play(table);
      } catch (error) {
        form(error.message);
      }
    };
    const parts = [...others.flat(), ...(number > 1 ? [seatLabel, seat] : []), ...(lobby.maps.length > 1 ? [mapLabel, map] : [])];
    const clock = lobby.clock ? `Your clock has ${lobby.clock} s for the whole game. ` : "";
    box.replaceChildren(
      element("h1", { text: `Play ${lobby.game}` }),
      problem ? element("p", { class: "warning", role: "alert", text: problem }) : "",
      element("form", { class: "begin", onsubmit: begin }, ...parts, element("button", { type: "submit", class: "main-button", text: "Begin" })),
      element("p", { class: "note", text: `${clock}The game doesn't count: no table and no rating shows it.` }),
    );
    box.setAttribute("aria-busy", "false");
    return begin;
  }

  /** Show a table until its game is over. */
  async function play(table) {
    const game = new Game(table);
    box.replaceChildren(game.element);
    box.setAttribute("aria-busy", "false");
    let version = "";
    for (let failures = 0; !game.over && game.element.isConnected; ) {
      try {
        const state = await get(`tables/${table}?after=${version}`);
        version = state.version;
        failures = 0;
        await game.show(state);
      } catch (error) {
        if (++failures > 5 || error.message.includes("no longer here")) return form(error.message);
        await new Promise((on) => setTimeout(on, 500 * failures));
      }
    }
  }

  class Game {
    constructor(table) {
      this.table = table;
      this.over = false;
      this.picked = [];
      this.state = null;
      this.head = element("h1", { class: "versus", text: "" });
      this.status = element("p", { class: "turn", text: "The game begins …" });
      this.place = element("div", { class: "board-place" });
      this.squares = element("div", { class: "squares", role: "group", "aria-label": "Squares that you can choose" });
      this.panels = element("div");
      this.problem = element("p", { class: "warning", role: "alert", hidden: true });
      this.answers = element("div", { class: "answers" });
      this.news = element("ol", { class: "news", tabindex: "0", "aria-label": "Moves", reversed: true });
      this.undo = element("button", { type: "button", text: "Take back", onclick: () => this.act("undo") });
      this.resign = element("button", { type: "button", text: "Resign", onclick: () => this.#giveUp() });
      this.again = element("div", { class: "again", hidden: true });
      this.side = element("section", { class: "side-part", "aria-label": "Your answer" }, this.status, this.problem, this.answers, element("div", { class: "tools" }, this.undo, this.resign), this.again, element("h2", { class: "small", text: "Moves" }), this.news);
      this.element = element("div", { class: "game" }, this.head, element("div", { class: "table-and-side" }, element("div", { class: "table-part" }, this.place, this.panels), this.side));
      new ResizeObserver(() => requestAnimationFrame(() => this.#lay())).observe(this.place);
    }

    async show(state) {
      const fresh = this.state?.question?.number !== state.question?.number;
      this.state = state;
      this.over = Boolean(state.result || state.problem);
      if (fresh || this.over) this.picked = [];
      await this.#drawBoard(state);
      if (!this.head.childElementCount) this.#names(state);
      this.#tell(state);
      if (fresh || this.over) {
        this.#ask();
        this.problem.hidden = true;
      }
      this.undo.hidden = !lobby.undo || this.over;
      this.undo.disabled = !state.takes_back;
      this.resign.hidden = this.over;
      this.resign.disabled = !state.question;
      this.news.replaceChildren(...state.news.slice().reverse().map(([turn, text]) => element("li", { value: turn }, name(text))));
      if (this.over) this.#end(state);
    }

    #names(state) {
      const sides = state.names.map((who, at) => {
        const chip = element("span", { class: "chip", text: at + 1 });
        Tiltyard.paintChip?.(chip, theme.seats[at]);
        return element("span", { class: "side" }, chip, name(who));
      });
      this.head.replaceChildren(...sides.flatMap((side, at) => (at ? [element("span", { class: "muted", text: "–" }), side] : [side])));
    }

    async #drawBoard(state) {
      if (!state.board) return;
      const data = await Tiltyard.Replays.fromBytes(Uint8Array.from(atob(state.board), (letter) => letter.charCodeAt(0)), { teams: [] });
      const timeline = new Tiltyard.Timeline(data);
      const before = this.board && this.tokens;
      this.tokens = Array.from(timeline.squares, (number) => timeline.tokens[number]);
      if (data.width) {
        if (!this.board || this.board.timeline.width !== data.width || this.board.timeline.height !== data.height) {
          this.board = new Tiltyard.Board(timeline, theme, `The board of ${lobby.game}`);
          this.place.replaceChildren(this.board.box);
          this.board.box.append(this.squares);
        }
        this.board.timeline = timeline;
        this.board.sprites.clear();
        const changed = before ? this.tokens.flatMap((token, at) => (token[0] === before[at]?.[0] ? [] : [at])) : [];
        if (changed.length) this.board.setMarked(new Set(changed.length < this.tokens.length / 3 ? changed : []));
        this.board.paint();
      }
      const panels = new Tiltyard.Panels(data, timeline, theme, () => {});
      panels.show();
      this.panels.replaceChildren(panels.element);
    }

    #tell(state) {
      const clock = state.clock === null ? "" : ` Your clock: ${Math.floor(state.clock / 60)}:${String(Math.floor(state.clock % 60)).padStart(2, "0")}.`;
      let text = "The others are thinking …";
      if (state.problem) text = `The game can't go on: ${state.problem}`;
      else if (state.result) text = [state.result.message, ...state.result.faults].filter(Boolean).join(". ");
      else if (state.question?.units.length) text = `Your turn: an action for each of your ${Tiltyard.count(state.question.units.length, "tank")}.${clock}`;
      else if (state.question) text = `Your turn.${clock}`;
      if (this.status.textContent !== text) {
        this.status.textContent = text;
        const last = state.news.at(-1)?.[1];
        announce.textContent = last ? `${last}. ${text}` : text;
      }
    }

    /** Show what may be answered. */
    #ask() {
      const { question } = this.state;
      this.answers.replaceChildren();
      this.squares.replaceChildren();
      if (!question || this.over) return;
      if (question.units.length) this.#askTanks(question);
      else this.#askOnce(question);
    }

    #askTanks(question) {
      const selects = question.units.map(([tank]) => {
        const id = `tank-${tank}`;
        const select = element("select", { id }, ...question.choices.map(([text]) => element("option", { value: text, selected: text === "do nothing", text })));
        return [element("label", { for: id, text: `Tank ${tank + 1}` }), select];
      });
      const act = (event) => {
        event.preventDefault();
        this.act("answer", { answers: selects.map(([, select]) => select.value) });
      };
      const places = question.units.filter(([, square]) => square !== null);
      if (this.board) this.squares.replaceChildren(...places.map(([tank, square]) => element("span", { class: "square tank", "data-square": square, "aria-hidden": "true" }, element("b", { text: tank + 1 }))));
      this.#lay();
      this.answers.append(element("form", { class: "tanks", onsubmit: act }, ...selects.flat(), element("button", { type: "submit", class: "main-button", text: "Play the turn" })));
    }

    #askOnce(question) {
      const left = this.#left(question);
      const onBoard = question.choices.some(([, squares]) => squares.length) && this.board;
      if (onBoard) this.#offer(question, left);
      const list = left.map(([text]) => element("li", {}, element("button", { type: "button", onclick: () => this.answer(text) }, name(text))));
      const words = onBoard ? (this.picked.length ? "Choose another square, or an answer:" : "Choose a square, or an answer:") : "Choose an answer:";
      this.answers.append(element("p", { class: "note", text: question.all ? words : "For example:" }), element("ul", { class: "choices", tabindex: "0", "aria-label": "Legal answers" }, ...list));
      if (this.picked.length) this.answers.append(element("button", { type: "button", onclick: () => this.#pick(null), text: "Choose another square" }));
      if (!question.all || question.choices.length > 30) this.#field();
    }

    #field() {
      const input = element("input", { id: "typed", type: "text", autocomplete: "off", spellcheck: "false", maxlength: 1000 });
      const act = (event) => {
        event.preventDefault();
        if (input.value.trim()) this.answer(input.value);
      };
      this.answers.append(element("form", { class: "typed", onsubmit: act }, element("label", { for: "typed", text: "Or type it" }), input, element("button", { type: "submit", text: "Play" })));
    }

    /** The answers that all picked squares belong to. */
    #left(question) {
      return question.choices.filter(([, squares]) => this.picked.every((square) => squares.includes(square)));
    }

    /** A button on each square that tells answers apart. */
    #offer(question, left) {
      const counts = new Map();
      for (const [, squares] of left) for (const square of squares) counts.set(square, (counts.get(square) ?? 0) + 1);
      const { width } = this.board.timeline;
      const buttons = [...counts].filter(([square]) => !this.picked.includes(square)).map(([square, count]) => {
        const one = count === 1 ? left.find(([, squares]) => squares.includes(square))[0] : "";
        const token = this.tokens[square];
        const label = `${theme.styles[token]?.label || (token.trim() ? token : "empty")}, row ${Math.floor(square / width) + 1}, column ${(square % width) + 1}: ${one || Tiltyard.count(count, "answer")}`;
        return element("button", { type: "button", class: "square", "data-square": square, "aria-label": label, title: one || label, onclick: () => this.#pick(square) });
      });
      const own = this.picked.map((square) => element("span", { class: "square picked", "data-square": square }));
      this.squares.replaceChildren(...own, ...buttons);
      this.#lay();
    }

    #pick(square) {
      this.picked = square === null ? [] : [...this.picked, square];
      const left = this.#left(this.state.question);
      if (square !== null && left.length === 1) this.answer(left[0][0]);
      else {
        this.#ask();
        (this.squares.querySelector("button") ?? this.answers.querySelector("button"))?.focus();
      }
    }

    /** Put the buttons where the board draws the squares. */
    #lay() {
      const { board } = this;
      if (!board?.size) return;
      const ratio = board.canvas.width / Math.max(1, board.box.clientWidth);
      const [size, width] = [board.size / ratio, board.timeline.width];
      for (const square of this.squares.children) {
        const at = Number(square.dataset.square);
        square.style.width = square.style.height = `${size}px`;
        square.style.left = `${(at % width) * size - board.left / ratio}px`;
        square.style.top = `${Math.floor(at / width) * size - board.top / ratio}px`;
      }
    }

    answer(text) {
      return this.act("answer", { answers: [text] });
    }

    async act(what, more = {}) {
      const { question } = this.state;
      if (!question) return;
      try {
        await send(`tables/${this.table}/${what}`, { question: question.number, ...more });
        this.problem.hidden = true;
        // Nothing can be chosen twice. The next question may be here already.
        if (this.state.question?.number === question.number) {
          this.answers.replaceChildren();
          this.squares.replaceChildren();
        }
      } catch (error) {
        this.problem.textContent = error.message;
        this.problem.hidden = false;
        this.picked = [];
        this.#ask();
      }
    }

    #giveUp() {
      if (confirm("Give up the game?")) this.act("resign");
    }

    #end(state) {
      const again = element("button", { type: "button", class: "main-button", text: "Play again", onclick: () => form()() });
      const other = element("button", { type: "button", text: "Another game", onclick: () => form() });
      const replay = state.result ? element("a", { class: "button", href: `tables/${this.table}/replay`, download: "", text: "Download the replay" }) : null;
      this.again.replaceChildren(...[again, other, replay].filter(Boolean));
      this.again.hidden = false;
      again.focus();
    }
  }

  const asked = Tiltyard.asked();
  if (asked.get("table")) await play(asked.get("table"));
  else {
    const begin = form();
    if (asked.get("begin")) await begin();
  }
})().catch((error) => {
  const box = document.getElementById("play");
  box.replaceChildren(Tiltyard.element("p", { class: "warning", role: "alert", text: error.message }));
});
