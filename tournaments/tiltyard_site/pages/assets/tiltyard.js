// What all pages share: data that comes as scripts when it is wanted, elements made from texts, the part after "#".
"use strict";
const Tiltyard = (() => {
  const values = new Map();
  const loading = new Map();
  /** Where the pages lie, for one that lies deeper. */
  const root = document.body?.dataset.root ?? "";

  /** Called by the data's scripts. */
  function register(name, value) {
    values.set(name, value);
  }

  /** The value that `name`.js hands over, such as "data/games" or "replays/<key>". A page opened from a disk cannot fetch. */
  function load(name) {
    if (!/^(data|replays|outputs)\/[0-9A-Za-z_-]+$/.test(name)) return Promise.reject(new Error(`there is no data named ${name}`));
    const key = name.replace(/^data\//, "");
    if (values.has(key)) {
      // A page that has its data with it.
      loading.set(name, Promise.resolve(values.get(key)));
      values.delete(key);
    }
    if (!loading.has(name)) {
      loading.set(
        name,
        new Promise((resolve, reject) => {
          const script = document.createElement("script");
          script.src = `${root}${name}.js`;
          script.onload = () => {
            script.remove();
            if (values.has(key)) resolve(values.get(key));
            else reject(new Error(`${name}.js is damaged`));
            values.delete(key);
          };
          script.onerror = () => {
            script.remove();
            loading.delete(name);
            reject(new Error(`${name}.js cannot be read`));
          };
          document.head.append(script);
        }),
      );
    }
    return loading.get(name);
  }

  /** The value as it is now; for pages of a server that has news. */
  function loadAgain(name) {
    loading.delete(name);
    return load(name);
  }

  /** An element. Texts are texts and never markup; `on…` are listeners; null children are left out. */
  function element(name, attributes = {}, ...children) {
    const made = name.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4)) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (key === "text") made.textContent = value;
      else made.setAttribute(key, value === true ? "" : String(value));
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  /** A stranger's name, kept from turning its neighbours around. */
  function name(text, attributes = {}) {
    return element("bdi", { ...attributes, text });
  }

  /** What the address asks for, after its "#". */
  function asked() {
    return new URLSearchParams(location.hash.slice(1));
  }

  /** Change the part after "#" without a step in the history. */
  function ask(parameters) {
    const text = parameters.toString();
    try {
      history.replaceState(null, "", text ? `#${text}` : "#");
    } catch {
      // Browsers refuse too many changes in a short time; the next one comes through.
    }
  }

  function count(number, one, several = `${one}s`) {
    return `${number} ${number === 1 ? one : several}`;
  }

  return { root, register, load, loadAgain, element, name, asked, ask, count };
})();

// The part of the address after "#" says which game is shown: a link within the page must leave it as it is.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});

// A table that is wider than its place fades out where there is more of it.
{
  const look = (box) => box.classList.toggle("more-right", box.scrollWidth - box.clientWidth - box.scrollLeft > 4);
  const boxes = document.querySelectorAll(".scroll");
  const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => look(target.closest(".scroll"))));
  for (const box of boxes) {
    box.addEventListener("scroll", () => look(box), { passive: true });
    sizes.observe(box);
    if (box.firstElementChild) sizes.observe(box.firstElementChild);
  }
}
