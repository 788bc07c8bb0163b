"use strict";

// An object tells of itself where a pointer is near it, where it is touched, and where it has the focus.
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

  // One stop of the tabulator for all; arrows go to the nearest object in their direction.
  const ways = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  const step = (from, [right, down]) => {
    let best = null, least = Infinity;
    for (const mark of marks) {
      const x = mark.x - from.x, y = mark.y - from.y;
      const ahead = x * right + y * down, aside = Math.abs(x * down) + Math.abs(y * right);
      if (ahead > 0 && aside <= ahead && Math.hypot(x, y) < least) [best, least] = [mark, Math.hypot(x, y)];
    }
    return best;
  };
  for (const mark of marks) {
    mark.element.addEventListener("focus", () => show(mark));
    mark.element.addEventListener("blur", () => show(null));
    mark.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") show(null);
      if (!(event.key in ways)) return;
      event.preventDefault();
      const next = step(mark, ways[event.key]);
      if (!next) return;
      mark.element.setAttribute("tabindex", -1);
      next.element.setAttribute("tabindex", 0);
      next.element.focus({ preventScroll: true });
    });
  }
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
  const order = new Intl.Collator(undefined, { numeric: true });
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const text = (row) => row.cells[column].textContent;
      body.append(...[...body.rows].sort((a, b) => sign * order.compare(text(a), text(b))));
    });
  });
}
