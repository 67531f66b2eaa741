// In which order the site's search shows pages; the key html_search_scorer of conf.py. It has Sphinx's own scores, which tell only
// whether a word is in a text or a title, and adds what is known of these pages: who searches has a task or a question. Reasons for
// decisions, benchmarks and names in Python are for few.
"use strict";
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  /** By how a page's address begins; the first that fits counts. */
  folders: [
    ["how-to/measure", -6],
    ["how-to/", 3],
    ["start/", 3],
    ["explanation/", 3],
    ["tutorial/", 2],
    ["what-can-go-wrong", 2],
    ["games", 2],
    ["reference/benchmarks", -8],
    ["reference/commands", -1],
    ["reference/standings", 4],
    ["reference/ratings", 4],
    ["reference/", 1],
    ["api/", -3],
    ["decisions/", -9],
    ["contributing", -9],
    ["changes", -9],
  ],
  /** A page whose own title has a word that was searched for, and not only one of its sections. */
  ownTitle: 4,
  /** A name in Python, and one that is written as the search is. */
  object: -8,
  sameName: 8,

  score([page, title, anchor, , score, , kind]) {
    let sum = score + (Scorer.folders.find(([begin]) => page.startsWith(begin)) ?? ["", 0])[1];
    const asked = (new URLSearchParams(location.search).get("q") ?? "").split(/\s+/);
    if (kind === "object") {
      sum += asked.some((word) => /[A-Z_]/.test(word) && title.split(".").includes(word)) ? Scorer.sameName : Scorer.object;
    } else if (!anchor && asked.some((word) => word.length > 2 && title.toLowerCase().includes(word.toLowerCase()))) {
      sum += Scorer.ownTitle;
    }
    return sum;
  },
};
