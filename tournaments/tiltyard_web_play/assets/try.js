// In the replay of a game: another answer of a team at this turn, and both courses beside each other.
"use strict";
Tiltyard.triesAt = document.currentScript.dataset.at;
/** The form; `show` gets the moment with its course. */
Tiltyard.tryHere = (game, player, show) => {
  const { element, name } = Tiltyard;
  const send = async (path, order) => {
    const answer = await fetch(`${Tiltyard.triesAt}${game.id}/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(order) });
    // What stands between here and the server may answer with a page.
    const value = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(value.error || `The server answered ${answer.status}.`);
    return value;
  };
  const status = element("p", { class: "note", role: "status" });
  const form = element("form", { class: "try-form", hidden: true });
  const teams = element("select", { id: "try-team" }, ...game.teams.map(([team], index) => element("option", { value: index + 1, text: team })));
  const open = element("button", { type: "button", text: "Try here", onclick: () => ask() });

  /** What the team could have answered from the turn that is shown on. */
  async function ask() {
    player.pause();
    open.disabled = teams.disabled = true;
    status.textContent = "Playing the game again up to here …";
    try {
      const seat = Number(teams.value);
      const { turn, parts } = await send("answers", { seat, turn: player.round + 1 });
      player.goTo(turn - 1);
      fill(seat, turn, parts);
      status.textContent = "";
    } catch (error) {
      status.textContent = error.message;
    }
    open.disabled = teams.disabled = false;
  }

  function fill(seat, turn, parts) {
    const which = element("select", { id: "try-part", onchange: () => choose() }, ...parts.map(([part, answer], index) => element("option", { value: index, text: `${part}: ${answer}` })));
    const answers = element("select", { id: "try-answer" });
    const typed = element("input", { id: "try-typed", type: "text", autocomplete: "off", spellcheck: "false", maxlength: 1000 });
    const typing = element("p", {}, element("label", { for: "try-typed", text: "or type it" }), " ", typed);
    const said = element("p", {});
    const choose = () => {
      const [, answer, others, all] = parts[Number(which.value)];
      said.replaceChildren(`Turn ${turn}: `, name(game.teams[seat - 1][0]), " answered ‘", name(answer), "’.");
      answers.replaceChildren(...others.map((text) => element("option", { value: text, text })));
      typing.hidden = all;
      typed.value = "";
    };
    choose();
    const go = element("button", { type: "submit", class: "main-button", text: "Watch both courses" });
    form.onsubmit = async (event) => {
      event.preventDefault();
      const [part, answer] = parts[Number(which.value)];
      const better = typed.value.trim() || answers.value;
      go.disabled = true;
      status.textContent = "Both programs play on …";
      try {
        const course = await send("course", { seat, turn, part, answer: better });
        await show({ turn, part, place: part === 1 ? `${turn}` : `${turn}, part ${part}`, answer, better, ...course });
      } catch (error) {
        status.textContent = error.message;
        go.disabled = false;
      }
    };
    const several = parts.length > 1 ? [element("label", { for: "try-part", text: "Part" }), which] : [];
    form.replaceChildren(said, element("p", { class: "tools" }, ...several, element("label", { for: "try-answer", text: "Instead" }), answers, go), typing);
    form.hidden = false;
    (several.length ? which : answers).focus();
  }

  return element("section", { class: "why try", "aria-label": "Try another answer" }, element("p", { class: "tools" }, element("label", { for: "try-team", text: "Try another answer of" }), teams, open), status, form);
};
