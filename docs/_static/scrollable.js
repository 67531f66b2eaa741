// Code and tables that are wider than the page can be scrolled with a keyboard. What fits is no stop on the way.
const wide = () => {
  for (const box of document.querySelectorAll("article pre, article .table-wrapper")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
addEventListener("DOMContentLoaded", wide);
addEventListener("resize", wide);
