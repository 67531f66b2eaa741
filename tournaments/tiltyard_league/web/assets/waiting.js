// A version that waits for its check: asks for its page again, and shows that only when it is another one, so that readers keep their place.
"use strict";
(() => {
  const SECONDS = 2;
  const shown = document.getElementById("main").textContent;

  async function look() {
    try {
      const answer = await fetch(location.pathname, { cache: "no-cache" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (answer.ok && page.getElementById("main").textContent !== shown) {
        location.reload();
        return;
      }
    } catch {
      // The server is away for a moment; the next look finds it.
    }
    setTimeout(look, SECONDS * 1000);
  }

  setTimeout(look, SECONDS * 1000);
})();
