// Tells frames of matches whether the notebook around them is light or dark: by the colour of its text, now and when its theme changes.
(() => {
  const tell = (frame) => {
    const [red, green, blue] = (getComputedStyle(frame.parentElement).color.match(/[\d.]+/g) || [0, 0, 0]).map(Number);
    const tiltyardAppearance = 0.299 * red + 0.587 * green + 0.114 * blue > 127 ? "dark" : "light";
    frame.contentWindow?.postMessage({ tiltyardAppearance }, "*");
  };
  for (const frame of document.querySelectorAll("iframe.tiltyard-replay:not([data-told])")) {
    frame.dataset.told = "";
    frame.addEventListener("load", () => tell(frame));
    tell(frame);
    new MutationObserver(() => requestAnimationFrame(() => tell(frame))).observe(document.body, { attributes: true });
  }
})();
