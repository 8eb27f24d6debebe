(() => {
  const told = [];
  const form = document.getElementById("filters");
  const tell = (step) => {
    const cases = document.querySelectorAll("details.case:not([hidden])");
    const open = [...cases].map((element) => element.id);
    told.push(`${step}: ${document.getElementById("shown").textContent}; ${open.length} unhidden`);
  };
  const change = (selector, name, value) => {
    const element = form.querySelector(selector);
    element[name] = value;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  };
  tell("start");
  change("input[value=pass]", "checked", false);
  tell("no passes");
  change("input[value=pass]", "checked", true);
  change("select[name=operation]", "value", "listPartners");
  tell("operation");
  change("select[name=operation]", "value", "");
  change("select[name=clause]", "value", "§4.7.2");
  tell("clause");
  change("select[name=clause]", "value", "");
  change("input[type=search]", "value", "line_NOT_in_payout 422");
  tell("search");
  change("input[type=search]", "value", "");
  document.getElementById("close").click();
  told.push(`folded: ${document.querySelectorAll("details.case[open]").length} open`);
  document.getElementById("open").click();
  told.push(`unfolded: ${document.querySelectorAll("details.case[open]").length} open`);
  told.push(`${document.querySelectorAll("button[hidden], form[hidden]").length} buttons hidden`);
  told.push(`${document.scripts.length} scripts, ${document.images.length} images`);
  const data = JSON.parse(document.getElementById("data").textContent);
  told.push(`${data.cases.length} cases in the data`);
  told.push(`style ${getComputedStyle(form).display}`);
  document.body.dataset.told = told.join(" | ");
})();
