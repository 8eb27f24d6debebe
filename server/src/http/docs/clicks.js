(async () => {
  const shown = [];
  for (const { element, button, texts } of WANTED) {
    const text = () => document.querySelector(element)?.innerText.replace(/\s+/g, " ") ?? "";
    const isComplete = () => texts.every((wanted) => text().includes(wanted));
    for (let turn = 0; turn < 100 && !isComplete(); turn++) {
      document.querySelectorAll(`${element} ${button}`).forEach((found) => found.click());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    shown.push(text());
  }
  shown.push(...violations);
  const result = document.createElement("pre");
  result.id = "shown";
  result.textContent = JSON.stringify(shown);
  document.body.replaceChildren(result);
})();
