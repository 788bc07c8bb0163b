"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const add = (parent, tag, attributes, text = "") => {
  const svg = parent.namespaceURI.endsWith("svg");
  const element = svg ? document.createElementNS(parent.namespaceURI, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(text);
  return parent.appendChild(element);
};
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// What is marked together: an object or prototype (its key) and those related to it.
const rows = new Map(all("tr[data-key]").map((row) => [row.dataset.key, row]));
const links = new Map();
const link = (from, to) => links.set(from, (links.get(from) || new Set()).add(to));
for (const element of all("[data-related]"))
  for (const other of element.dataset.related.split(" ")) {
    link(element.dataset.key, other);
    if (element.matches("tr")) link(other, element.dataset.key);
  }
let pinned = null;
const listeners = [];
const show = (key, scroll = false) => {
  const related = links.get(key) || new Set();
  for (const [other, row] of rows) {
    row.classList.toggle("lit", other === key);
    row.classList.toggle("near", related.has(other));
  }
  const row = rows.get(key) || (scroll && [...related].map((other) => rows.get(other)).find(Boolean));
  if (scroll && row) {
    const list = row.closest(".wide"), head = list.querySelector("thead").offsetHeight;
    const box = list.getBoundingClientRect(), place = row.getBoundingClientRect();
    if (place.top < box.top + head || place.bottom > box.bottom) list.scrollTop += place.top - box.top - head;
  }
  for (const listener of listeners) listener(key, related);
};
const pin = (key) => {
  pinned = key === pinned ? null : key;
  for (const [other, row] of rows) row.querySelector("button")?.setAttribute("aria-pressed", other === pinned);
  show(pinned, true);
};
addEventListener("keydown", (event) => { if (event.key === "Escape") { pinned = null; show(null); } });

// Rows: each has a button; arrow keys go up and down.
for (const table of all("table:has(tr[data-key])")) {
  const buttons = all("tr[data-key]", table).map((row, place) => {
    const name = row.cells[0], text = [...name.childNodes];
    const button = add(name, "button", { class: "pick", "aria-pressed": false, tabindex: place ? -1 : 0 });
    button.append(...text);
    row.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") show(row.dataset.key); });
    row.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") show(pinned); });
    row.addEventListener("click", () => pin(row.dataset.key));
    button.addEventListener("focus", () => show(row.dataset.key));
    button.addEventListener("blur", () => show(pinned));
    button.addEventListener("keydown", (event) => {
      const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
      if (!step) return;
      event.preventDefault();
      let other = row[step];
      while (other?.hidden) other = other[step];
      if (!other) return;
      for (const each of buttons) each.tabIndex = -1;
      const next = other.querySelector("button");
      next.tabIndex = 0;
      next.focus();
    });
    return button;
  });
}

const drawMap = (map) => {
  const svg = map.querySelector("svg.field"), stage = map.querySelector(".stage");
  const { width, height } = svg.viewBox.baseVal;
  const marks = all(".mark", svg).map((element) => {
    const title = element.querySelector("title"), text = title.textContent;
    title.remove(); // the browser would show it a second time
    element.setAttribute("aria-label", text);
    const { e: x, f: y } = element.transform.baseVal.getItem(0).matrix;
    const size = element.getAttribute("transform").split(") ")[1] || "";
    return { element, text, x, y, size, key: element.dataset.key, groups: element.dataset.group.split(" "), isShown: true };
  });
  const byKey = new Map(marks.map((mark) => [mark.key, mark]));
  const tip = add(stage, "div", { class: "tip", "aria-hidden": true, hidden: "" }); // the focused object says the same
  const lines = svg.insertBefore(add(svg, "path", { class: "lines" }), svg.firstChild);
  const ring = add(svg, "circle", { class: "ring", r: 9, style: "display: none" });

  // Zooming moves the marks and leaves their size.
  const view = { scale: 1, x: 0, y: 0 };
  const place = (mark) => [mark.x * view.scale + view.x, mark.y * view.scale + view.y];
  let current = null;
  const draw = () => {
    for (const mark of marks)
      mark.element.setAttribute("transform", `translate(${place(mark).map((v) => v.toFixed(1)).join(" ")}) ${mark.size}`);
    svg.style.touchAction = view.scale > 1 ? "none" : "pan-y";
    reset.disabled = smaller.disabled = view.scale === 1;
    if (current) mark(...current);
  };
  const move = (x, y) => {
    view.x = clamp(x, width * (1 - view.scale), 0);
    view.y = clamp(y, height * (1 - view.scale), 0);
    draw();
  };
  const zoom = (factor, x = width / 2, y = height / 2) => {
    const scale = clamp(view.scale * factor, 1, 40), ratio = scale / view.scale;
    view.scale = scale;
    move(x - (x - view.x) * ratio, y - (y - view.y) * ratio);
  };

  const mark = (key, related) => {
    current = key === null ? null : [key, related];
    const near = [...related].map((other) => byKey.get(other)).filter(Boolean);
    for (const each of marks) each.element.classList.toggle("near", related.has(each.key));
    const main = byKey.get(key) || near[0], row = rows.get(key);
    tip.hidden = !main;
    ring.style.display = main ? "" : "none";
    lines.setAttribute("d", "");
    if (!main) return;
    const [x, y] = place(main);
    lines.setAttribute("d", near.map((other) => `M${x} ${y}L${place(other).join(" ")}`).join(""));
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    const told = row && `${key[0] === "p" ? "prototype " : ""}${[...row.cells].slice(0, 3).map((cell) => cell.textContent).join("\n")}`;
    tip.textContent = main.key === key ? main.text : told;
    const right = x > width / 2, below = y > height / 2;
    const share = (part, whole) => `calc(${(100 * part) / whole}% + 12px)`;
    tip.style.left = right ? "" : share(x, width);
    tip.style.right = right ? share(width - x, width) : "";
    tip.style.top = below ? "" : share(y, height);
    tip.style.bottom = below ? share(height - y, height) : "";
  };
  listeners.push((key, related) => mark(key, related));

  const point = (event) => {
    const box = svg.getBoundingClientRect(), scale = width / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale, scale];
  };
  const nearest = (event) => {
    const [px, py, scale] = point(event);
    let best = null, least = 18 * scale; // pixels of the screen
    for (const each of marks) {
      const [x, y] = place(each), distance = Math.hypot(x - px, y - py);
      if (each.isShown && distance < least) [best, least] = [each, distance];
    }
    return best;
  };
  // One pointer points, selects or, where it is zoomed, moves the map; two zoom it.
  const pointers = new Map();
  let moved = 0;
  svg.addEventListener("pointerdown", (event) => {
    if (!pointers.size) moved = 0;
    pointers.set(event.pointerId, point(event));
  });
  svg.addEventListener("pointermove", (event) => {
    const from = pointers.get(event.pointerId), [x, y] = point(event);
    if (!from) return show(nearest(event)?.key ?? pinned);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    moved += Math.hypot(x - from[0], y - from[1]);
    pointers.set(event.pointerId, [x, y]);
    if (other) zoom(Math.hypot(x - other[0], y - other[1]) / (Math.hypot(from[0] - other[0], from[1] - other[1]) || 1), ...other);
    else if (view.scale > 1) move(view.x + x - from[0], view.y + y - from[1]);
  });
  const lift = (event) => pointers.delete(event.pointerId);
  svg.addEventListener("pointerup", lift);
  svg.addEventListener("pointercancel", lift);
  svg.addEventListener("pointerleave", (event) => { lift(event); if (event.pointerType === "mouse") show(pinned); });
  svg.addEventListener("click", (event) => { if (moved < 6) pin(nearest(event)?.key ?? pinned); });
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // the page scrolls
    event.preventDefault();
    const [x, y] = point(event);
    zoom(event.deltaY < 0 ? 1.25 : 0.8, x, y);
  }, { passive: false });

  // One tab stop for all; arrow keys move to the nearest object in their direction.
  // Objects in one place are visited one after the other, forwards by right and down.
  const directions = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  const step = (from, [right, down]) => {
    const shown = marks.filter((each) => each.isShown);
    let best = null, least = Infinity, passed = false;
    for (const each of right + down > 0 ? shown : shown.reverse()) {
      if (each === from) { passed = true; continue; }
      const x = each.x - from.x, y = each.y - from.y, distance = Math.hypot(x, y);
      const ahead = x * right + y * down, aside = Math.abs(x * down) + Math.abs(y * right);
      const isNext = distance ? ahead > 0 && aside <= ahead : passed;
      if (isNext && distance < least) [best, least] = [each, distance];
    }
    return best;
  };
  const focus = (each) => {
    for (const other of marks) other.element.setAttribute("tabindex", other === each ? 0 : -1);
    each.element.focus({ preventScroll: true });
  };
  for (const each of marks) {
    each.element.addEventListener("focus", () => {
      const [x, y] = place(each);
      if (x < 0 || y < 0 || x > width || y > height) move(view.x + width / 2 - x, view.y + height / 2 - y);
      show(each.key, true);
    });
    each.element.addEventListener("blur", () => show(pinned));
    each.element.addEventListener("keydown", (event) => {
      const page = { PageDown: 1, PageUp: -1 }[event.key], factor = { "+": 1.5, "=": 1.5, "-": 1 / 1.5, 0: 1 / 40 }[event.key];
      const shown = marks.filter((other) => other.isShown);
      if (factor) zoom(factor, ...place(each));
      else if (event.key === "Enter" || event.key === " ") pin(each.key);
      else if (page || event.key in directions) {
        const next = page ? shown[shown.indexOf(each) + page] : step(each, directions[event.key]);
        if (next) focus(next);
      } else return;
      event.preventDefault();
    });
  }

  const tools = add(stage, "div", { class: "tools" });
  const button = (text, label, act) => {
    const made = add(tools, "button", { type: "button", "aria-label": label, title: label }, text);
    made.addEventListener("click", act);
    return made;
  };
  button("+", "zoom in", () => zoom(1.5));
  const smaller = button("−", "zoom out", () => zoom(1 / 1.5));
  const reset = button("⤢", "show all", () => zoom(1 / 40));

  // Legend entries show and hide what they stand for.
  const hidden = new Set(), entries = all(".legend li", map);
  const apply = () => {
    for (const each of marks) {
      each.isShown = !each.groups.some((group) => hidden.has(group));
      each.element.style.display = each.isShown ? "" : "none";
    }
    for (const entry of entries) entry.firstChild.setAttribute("aria-pressed", !hidden.has(entry.dataset.group));
  };
  for (const entry of entries) {
    const text = [...entry.childNodes], group = entry.dataset.group;
    const toggle = add(entry, "button", { type: "button", "aria-pressed": true });
    toggle.append(...text);
    toggle.addEventListener("click", () => { if (!hidden.delete(group)) hidden.add(group); apply(); });
  }
  if (entries.length > 2) {
    const every = add(add(map.querySelector(".legend"), "li", {}), "button", { type: "button", class: "all" }, "all or none");
    every.addEventListener("click", () => {
      const groups = entries.map((entry) => entry.dataset.group).filter((group) => !isNaN(group));
      const some = groups.some((group) => !hidden.has(group));
      for (const group of groups) some ? hidden.add(group) : hidden.delete(group);
      apply();
    });
  }

  const search = document.createElement("input");
  for (const [name, value] of Object.entries({ type: "search", class: "search", placeholder: "find objects …", "aria-label": "find objects" }))
    search.setAttribute(name, value);
  stage.before(search);
  search.addEventListener("input", () => {
    const wanted = search.value.toLowerCase();
    stage.classList.toggle("searching", wanted !== "");
    for (const each of marks) each.element.classList.toggle("found", wanted !== "" && each.text.toLowerCase().includes(wanted));
    for (const row of rows.values()) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  search.addEventListener("keydown", (event) => {
    const first = event.key === "Enter" && marks.find((each) => each.isShown && each.element.matches(".found"));
    if (first) focus(first);
  });
  draw();
};
for (const map of all("figure.map")) drawMap(map);

// Tables that can be ordered by a column: by its heading or, on a phone, from a list.
for (const table of all("table.sortable")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const names = new Intl.Collator(undefined, { numeric: true });
  const number = (text) => parseFloat(text.replaceAll("\u2212", "-").replace(/^[\s±]+/, ""));
  // Numbers before names, and by their size; a collator takes 0.12 for more than 0.9.
  const compare = (a, b) => {
    const x = number(a), y = number(b);
    if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
    return x < y ? -1 : x > y ? 1 : names.compare(a, b);
  };
  const sort = (column, sign) => {
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
    const text = (row) => row.cells[column].textContent;
    body.append(...[...body.rows].sort((a, b) => sign * compare(text(a), text(b))));
  };
  const choice = document.createElement("select");
  choice.className = "order";
  choice.setAttribute("aria-label", "order of the rows");
  add(choice, "option", { value: "" }, "sort by …");
  heads.forEach((head, column) => {
    for (const [sign, arrow] of [[1, "↑"], [-1, "↓"]]) add(choice, "option", { value: `${column} ${sign}` }, `${head.textContent} ${arrow}`);
    const text = [...head.childNodes];
    const button = add(head, "button", { type: "button" });
    button.append(...text);
    button.addEventListener("click", () => sort(column, head.getAttribute("aria-sort") === "ascending" ? -1 : 1));
  });
  choice.addEventListener("change", () => { if (choice.value) sort(...choice.value.split(" ").map(Number)); });
  table.parentNode.before(choice);
}

// A closed part opens when a link leads to it, and on paper.
const open = () => document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("details")?.setAttribute("open", "");
addEventListener("hashchange", open);
addEventListener("beforeprint", () => { for (const part of all("details")) part.open = true; });
open();
