"use strict";

// Show the details of an object near the pointer, touched, or focused.
for (const map of document.querySelectorAll("figure.map")) {
  const svg = map.querySelector("svg.field");
  const stage = map.querySelector(".stage");
  const view = svg.viewBox.baseVal;
  const marks = [...svg.querySelectorAll(".mark")].map((element) => {
    const title = element.querySelector("title");
    const text = title.textContent;
    title.remove(); // the browser would show it a second time
    element.setAttribute("aria-label", text);
    const place = element.transform.baseVal.getItem(0).matrix;
    return { element, text, x: place.e, y: place.f };
  });
  const tip = stage.appendChild(document.createElement("div"));
  tip.className = "tip";
  tip.setAttribute("aria-hidden", "true"); // the focused object says the same
  tip.hidden = true;
  const ring = svg.appendChild(document.createElementNS(svg.namespaceURI, "circle"));
  ring.setAttribute("class", "lit");
  ring.setAttribute("r", 8);
  ring.style.display = "none";

  const show = (mark) => {
    tip.hidden = !mark;
    ring.style.display = mark ? "" : "none";
    if (!mark) return;
    ring.setAttribute("cx", mark.x);
    ring.setAttribute("cy", mark.y);
    tip.textContent = mark.text;
    const right = mark.x > view.width / 2, below = mark.y > view.height / 2;
    const share = (part, whole) => `calc(${(100 * part) / whole}% + 12px)`;
    tip.style.left = right ? "" : share(mark.x, view.width);
    tip.style.right = right ? share(view.width - mark.x, view.width) : "";
    tip.style.top = below ? "" : share(mark.y, view.height);
    tip.style.bottom = below ? share(view.height - mark.y, view.height) : "";
  };

  const near = (event) => {
    const box = svg.getBoundingClientRect();
    const scale = view.width / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    let best = null, least = 18 * scale; // pixels of the screen
    for (const mark of marks) {
      const distance = Math.hypot(mark.x - x, mark.y - y);
      if (distance < least) [best, least] = [mark, distance];
    }
    return best;
  };
  svg.addEventListener("pointermove", (event) => show(near(event)));
  svg.addEventListener("pointerdown", (event) => show(near(event)));
  svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") show(null); });

  // One tab stop for all; arrow keys move to the nearest object in their direction.
  // Objects in one place are visited one after the other, forwards by right and down.
  const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  const pages = { PageDown: 1, PageUp: -1 };
  const step = (from, [right, down]) => {
    const line = right + down > 0 ? marks : [...marks].reverse();
    let best = null, least = Infinity, passed = false;
    for (const mark of line) {
      if (mark === from) { passed = true; continue; }
      const x = mark.x - from.x, y = mark.y - from.y, distance = Math.hypot(x, y);
      const ahead = x * right + y * down, aside = Math.abs(x * down) + Math.abs(y * right);
      const isNext = distance ? ahead > 0 && aside <= ahead : passed;
      if (isNext && distance < least) [best, least] = [mark, distance];
    }
    return best;
  };
  marks.forEach((mark, place) => {
    mark.element.addEventListener("focus", () => show(mark));
    mark.element.addEventListener("blur", () => show(null));
    mark.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") show(null);
      if (!(event.key in directions || event.key in pages)) return;
      event.preventDefault();
      const next = event.key in directions ? step(mark, directions[event.key]) : marks[place + pages[event.key]];
      if (!next) return;
      mark.element.setAttribute("tabindex", -1);
      next.element.setAttribute("tabindex", 0);
      next.element.focus({ preventScroll: true });
    });
  });
}

// Tables that can be ordered by a column, and searched.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const search = document.createElement("input");
  search.type = "search";
  search.className = "search";
  search.placeholder = "show only rows with …";
  search.setAttribute("aria-label", "show only rows with");
  table.parentNode.before(search);
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  const names = new Intl.Collator(undefined, { numeric: true });
  const number = (text) => parseFloat(text.replaceAll("\u2212", "-").replace(/^[\s±]+/, ""));
  // Numbers before names, and by their size; a collator takes 0.12 for more than 0.9.
  const compare = (a, b) => {
    const x = number(a), y = number(b);
    if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
    return x < y ? -1 : x > y ? 1 : names.compare(a, b);
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const text = (row) => row.cells[column].textContent;
      body.append(...[...body.rows].sort((a, b) => sign * compare(text(a), text(b))));
    });
  });
}
