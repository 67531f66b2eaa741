// The menu of versions. versions.json stands beside the folders of all versions, so that an old version's menu knows the new ones.
document.addEventListener("DOMContentLoaded", async () => {
  const menu = document.querySelector(".versions select");
  const root = new URL(document.documentElement.dataset.content_root, location.href);
  const folder = root.pathname.split("/").at(-2);
  const answer = await fetch(new URL("../versions.json", root));
  if (!menu || !answer.ok) return;
  for (const version of await answer.json()) {
    menu.add(new Option(version.label, version.folder, false, version.folder === folder));
  }
  menu.closest(".versions").hidden = false;
  menu.addEventListener("change", async () => {
    const other = new URL(`../${menu.value}/`, root);
    const page = new URL(location.pathname.slice(root.pathname.length), other);
    const found = await fetch(page, { method: "HEAD" });
    location.assign(found.ok ? page : other);
  });
});
