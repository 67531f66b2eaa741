// Of a served site: asks for news, and changes in the page only what has changed, so that nothing jumps and the focus stays.
"use strict";
(() => {
  const SECONDS = 1;
  const SECONDS_COMPLETE = 15;
  const LOST = "The server doesn't answer. This page may be out of date.";
  const box = document.getElementById("live");
  const text = document.getElementById("live-text");
  const news = document.getElementById("live-news");
  let version = box.dataset.version;
  let complete = null;
  let lost = false;
  let waiting = 0;

  /** Make an element's attributes, texts and children those of another; whoever is the same stays the same node. */
  function become(here, there) {
    for (const { name } of [...here.attributes]) if (!there.hasAttribute(name) && name !== "open") here.removeAttribute(name);
    for (const { name, value } of there.attributes) if (here.getAttribute(name) !== value) here.setAttribute(name, value);
    const keyed = new Map();
    const others = [];
    for (const child of here.childNodes) {
      const key = child.dataset && child.dataset.key;
      if (key !== undefined && key !== null && !keyed.has(key)) keyed.set(key, child);
      else others.push(child);
    }
    let at = here.firstChild;
    for (const child of [...there.childNodes]) {
      const key = child.dataset && child.dataset.key;
      let own = null;
      if (key !== undefined && key !== null) {
        own = keyed.get(key) ?? null;
        if (own && own.nodeName !== child.nodeName) own = null;
        if (own) keyed.delete(key);
      } else {
        const index = others.findIndex((node) => node.nodeName === child.nodeName && node.id === child.id);
        if (index >= 0) {
          // Those that were passed over are not wanted any more.
          for (const left of others.splice(0, index)) {
            if (left === at) at = at.nextSibling;
            left.remove();
          }
          own = others.shift();
        }
      }
      if (!own) own = here.insertBefore(document.importNode(child, true), at);
      else {
        if (own === at) at = at.nextSibling;
        else here.insertBefore(own, at);
        if (own.nodeType === Node.ELEMENT_NODE) become(own, child);
        else if (own.data !== child.data) own.data = child.data;
      }
    }
    for (const left of [...keyed.values(), ...others]) left.remove();
  }

  async function refresh() {
    // The list and the page of a game are made by scripts, which load their data again themselves.
    if (document.body.matches(".page-index, .page-team, .page-why, .page-crosstable")) {
      const answer = await fetch(location.pathname, { cache: "no-cache" });
      if (!answer.ok) throw new Error(answer.statusText);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const focused = document.activeElement;
      for (const part of ["main", ".site-foot"]) become(document.querySelector(part), page.querySelector(part));
      // Who moves in the page loses the focus.
      if (focused && focused.isConnected && focused !== document.activeElement) focused.focus({ preventScroll: true });
    }
    document.dispatchEvent(new Event("news"));
  }

  /** Change a text only if it is another one: who reads it loses the place, and what is told twice is read out twice. */
  function write(element, words) {
    if (element.textContent !== words) element.textContent = words;
  }

  async function look() {
    clearTimeout(waiting);
    try {
      const answer = await fetch("live.json", { cache: "no-cache" });
      if (!answer.ok) throw new Error(answer.statusText);
      const state = await answer.json();
      if (version !== state.version) await refresh();
      version = state.version;
      write(text, state.text);
      box.className = `live wrap${state.complete ? "" : " on"}`;
      // Not each game, which would keep a screen reader talking: only the end, and whether the server is there.
      if (lost || (state.complete && complete === false)) write(news, state.text);
      complete = state.complete;
      lost = false;
    } catch {
      lost = true;
      write(text, LOST);
      write(news, LOST);
      box.className = "live wrap lost";
    }
    // A page that nobody sees waits until somebody does.
    if (!document.hidden) waiting = setTimeout(look, (complete ? SECONDS_COMPLETE : SECONDS) * 1000);
  }

  document.addEventListener("visibilitychange", () => document.hidden || look());
  look();
})();
