"use strict";
// Filters, copies and saves. The cases are in the page itself, so that it reads the same without this script.
(() => {
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");
  const cases = [...document.querySelectorAll("details.case")];
  const groups = [...document.querySelectorAll("section.group")];

  // Read once, and only for a search: the exchanges are long.
  const texts = new Map();
  const textOf = (element) => {
    if (!texts.has(element)) texts.set(element, element.textContent.toLowerCase());
    return texts.get(element);
  };

  const filter = () => {
    const verdicts = new Set([...form.querySelectorAll("input[name=verdict]:checked")].map((box) => box.value));
    const operation = form.elements.operation.value;
    const clause = form.elements.clause.value;
    const words = form.elements.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const element of cases) {
      const { verdict, operation: itsOperation, clause: itsClause } = element.dataset;
      const fits = verdicts.has(verdict)
        && (operation === "" || operation === itsOperation)
        && (clause === "" || clause === itsClause)
        && words.every((word) => textOf(element).includes(word));
      element.hidden = !fits;
      if (fits) count += 1;
    }
    for (const group of groups) group.hidden = !group.querySelector("details.case:not([hidden])");
    shown.textContent = `${count} of ${cases.length} cases shown`;
  };

  const setAll = (open) => {
    for (const element of cases) if (!element.hidden) element.open = open;
  };

  // A link to a case opens it, even if a filter hides it or the same link was followed before.
  const follow = () => {
    let id;
    try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const target = document.getElementById(id);
    if (!target) return;
    const holder = target.closest("details.case");
    if (holder) holder.open = true;
    if (target.closest("[hidden]")) { form.reset(); filter(); }
    target.scrollIntoView();
  };

  const copy = async (button) => {
    const source = button.closest(".copyable").querySelector("code");
    let word = "Copied";
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      // Some browsers give a file no clipboard: select the text, so that it can be copied by hand.
      getSelection().selectAllChildren(source);
      word = "Selected: press Ctrl+C";
    }
    const before = button.dataset.name;
    button.textContent = word;
    setTimeout(() => { button.textContent = before; }, 2000);
  };

  const save = () => {
    const text = document.getElementById("data").textContent;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "conformance-report.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  for (const button of document.querySelectorAll("button.copy")) {
    button.dataset.name = button.textContent;
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
  const saving = document.getElementById("save");
  saving.hidden = false;
  saving.addEventListener("click", save);

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  document.getElementById("open").addEventListener("click", () => setAll(true));
  document.getElementById("close").addEventListener("click", () => setAll(false));
  addEventListener("hashchange", follow);

  // Paper cannot be unfolded: print what did not pass unfolded, and fold it again afterwards.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = cases.filter((element) => !element.hidden && !element.open && element.dataset.verdict !== "pass");
    for (const element of opened) element.open = true;
  });
  addEventListener("afterprint", () => {
    for (const element of opened) element.open = false;
    opened = [];
  });

  filter();
  follow();
})();
