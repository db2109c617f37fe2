"use strict";
document.documentElement.classList.add("scripted");
document.addEventListener("DOMContentLoaded", () => {
  const find = (id) => document.getElementById(id);
  const tables = [...document.querySelectorAll("details.table")];
  const groups = [...document.querySelectorAll("section.group")];
  const nodes = [...document.querySelectorAll(".diagram a.node")];

  // The theme: as the system has it, light, or dark. A file without a site may have no storage.
  const themes = ["system", "light", "dark"];
  const theme = find("theme");
  const setTheme = (name) => {
    const known = themes.includes(name) ? name : "system";
    document.documentElement.dataset.theme = known;
    theme.textContent = `Theme: ${known}`;
  };
  const stored = (action) => {
    try {
      return action(window.localStorage);
    } catch {
      return null;
    }
  };
  setTheme(stored((storage) => storage.getItem("delta-report-theme")));
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length];
    setTheme(next);
    stored((storage) => storage.setItem("delta-report-theme", next));
  });

  // Filters. What a table says is read when something is searched for the first time.
  const form = find("filters");
  const texts = new Map();
  const textOf = (table) => {
    if (!texts.has(table)) texts.set(table, table.textContent.toLowerCase());
    return texts.get(table);
  };
  const filter = () => {
    const data = new FormData(form);
    const statuses = new Set(data.getAll("status"));
    const risks = data.getAll("risk");
    const schema = data.get("schema");
    const words = data.get("text").toLowerCase().split(/\s+/).filter(Boolean);
    const hidden = new Set();
    for (const table of tables) {
      const has = (table.dataset.risks || "").split(" ");
      const matches =
        (statuses.size === 0 || statuses.has(table.dataset.status)) &&
        (risks.length === 0 || risks.some((risk) => has.includes(risk))) &&
        (schema === " " || table.dataset.schema === schema) &&
        words.every((word) => textOf(table).includes(word));
      table.hidden = !matches;
      if (!matches) hidden.add(`#${table.id}`);
    }
    for (const group of groups) group.hidden = !group.querySelector("details.table:not([hidden])");
    for (const node of nodes) node.classList.toggle("faded", hidden.has(node.getAttribute("href")));
    const count = tables.length - hidden.size;
    find("none").hidden = count > 0;
    find("shown").textContent = `${count} of ${tables.length} shown`;
  };
  if (form) {
    let timer = 0;
    for (const change of ["input", "change"])
      form.addEventListener(change, (event) => {
        clearTimeout(timer);
        timer = setTimeout(filter, event.target.name === "text" ? 120 : 0);
      });
    form.addEventListener("reset", () => setTimeout(filter, 0));
    form.addEventListener("submit", (event) => event.preventDefault());
    const all = find("open-all");
    all.addEventListener("click", () => {
      const open = all.textContent === "Open all";
      for (const table of tables) if (!table.hidden) table.open = open;
      all.textContent = open ? "Close all" : "Open all";
    });
    filter();
  }

  // A link to a table or a code opens it, even if a filter hides it.
  const showTarget = () => {
    const target = window.location.hash && find(window.location.hash.slice(1));
    if (!target || !target.matches("details")) return;
    if (target.hidden) form.reset();
    target.hidden = false;
    target.open = true;
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", showTarget);
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute("href") === window.location.hash) showTarget();
  });
  showTarget();

  // Buttons that copy, in what is open. Without the clipboard the text is selected, so a key copies it.
  const addButtons = (part) => {
    for (const source of part.querySelectorAll(".copied")) {
      if (source.nextElementSibling) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.setAttribute("aria-label", source.matches("pre") ? "Copy the SQL" : "Copy the remedy");
      source.after(button);
    }
  };
  const addButtonsIfOpen = (details) => details.open && addButtons(details);
  tables.forEach(addButtonsIfOpen);
  for (const findings of document.querySelectorAll(".findings")) addButtons(findings);
  document.addEventListener("toggle", (event) => addButtonsIfOpen(event.target), true);
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button.copy");
    if (!button) return;
    const source = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "Copied";
    } catch {
      window.getSelection().selectAllChildren(source);
      button.textContent = "Selected";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });

  // The size of the diagram.
  const picture = document.querySelector(".canvas svg");
  if (picture) {
    const { width, height } = picture.viewBox.baseVal;
    let scale = 1;
    const setScale = (wanted) => {
      scale = Math.min(3, Math.max(0.05, wanted));
      picture.setAttribute("width", width * scale);
      picture.setAttribute("height", height * scale);
    };
    const ways = {
      in: () => scale * 1.25,
      out: () => scale / 1.25,
      fit: () => Math.min(1, picture.parentElement.clientWidth / width),
      full: () => 1,
    };
    for (const button of document.querySelectorAll("[data-zoom]"))
      button.addEventListener("click", () => setScale(ways[button.dataset.zoom]()));
    setScale(Math.max(0.75, ways.fit()));
  }

  // Paper has no details to open.
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const details of closed) details.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
  });
});
