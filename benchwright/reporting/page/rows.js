"use strict";
// The row table: search, filters, pages, and a picture of the row that is open. Its data are of strangers: all text
// becomes text nodes and attributes of known elements, never markup.
(() => {
  const PAGE = 25, WAIT = 80, TIMELINE = 1, OUTLINE = 2, COLOURS = 5, LONGEST = 36;
  const SVG = new Set(["svg", "rect", "line", "text", "title"]);
  const $ = id => document.getElementById(id);
  const data = JSON.parse($("table-data").textContent);
  const text = held => typeof held === "number" ? data.texts[held] : held;
  const words = held => held.toLocaleString("en");

  const rows = data.rows.map(([name, fate, split, cells, picture, notes, thumbnail], place) =>
    ({ place, name, fate: data.fates[fate], split: data.splits[split], cells, picture, notes, thumbnail }));
  for (const row of rows) {
    const notes = row.notes.flat(2).map(text);
    row.searched = [row.name, row.split, row.fate === "kept" ? "kept" : `dropped ${row.fate}`,
      ...row.cells.map(text), ...notes].join(" ").toLowerCase();
  }
  const evidence = new Map(Object.entries(data.evidence).map(([id, places]) => [id, new Set(places)]));
  const splits = data.splits.length > 1;
  const timed = rows.some(row => row.picture && row.picture[0] === TIMELINE);
  const fated = timed || rows.some(row => row.fate !== "kept");
  const width = data.columns.length + splits + fated;
  let found = rows, at = 0, open = null;

  function make(tag, attributes = {}, ...children) {
    const element = SVG.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag)
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  const percent = share => `${(100 * Math.max(0, Math.min(1, share))).toFixed(2)}%`;

  function strip([, length, start, end, marks]) {
    const part = share => Math.max(0, Math.min(1, share / length));
    return make("svg", { class: "strip", role: "img", "aria-label": `span ${start} to ${end} of ${length} s` },
      make("rect", { class: "axis", fill: "currentColor", y: 6, width: "100%", height: 6, rx: 3 }),
      make("rect", { class: "kept", fill: "currentColor", x: percent(start / length), y: 6,
        width: percent(part(end) - part(start)), height: 6 }),
      ...marks.map(mark => make("rect", { class: "gone", fill: "currentColor", x: percent(mark / length), y: 1,
        width: 2, height: 16 })));
  }

  function timeline([, length, start, end, marks, lanes, ...ends]) {
    const narrow = innerWidth < 640, left = narrow ? 0 : 26, right = 99, step = narrow ? 34 : 20, down = narrow ? 16 : 0;
    const at = time => left + (right - left) * Math.max(0, Math.min(1, time / length));
    const spans = [["truth", start, end, "kept"], ...data.lanes[lanes].map((name, i) =>
      [name, ends[2 * i], ends[2 * i + 1], colour(data.systems.indexOf(name))])];
    const bottom = 34 + step * spans.length;
    const drawing = make("svg", { class: "time", height: bottom, role: "img",
      "aria-label": "the true span, marks, and the spans of systems on the time line" });
    for (const mark of marks) drawing.append(make("line", { class: "gone", stroke: "currentColor", x1: `${at(mark)}%`,
      x2: `${at(mark)}%`, y1: 4, y2: bottom - 20, "stroke-dasharray": "3 3" }, make("title", {}, `${mark} s`)));
    spans.forEach(([name, from, to, kind], i) => {
      const y = 8 + step * i + down;
      drawing.append(write(0, y - down + 9, name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name, "strong"));
      const doubt = from == null || to == null ? "no answer"
        : to < from ? `${from} to ${to} s: ends before it starts`
        : from > length ? `${from} to ${to} s: after the end` : "";
      drawing.append(doubt ? write(at(0), y + 9, doubt) : make("rect", { class: kind, fill: "currentColor",
        x: `${at(from)}%`, y, width: `${Math.max(0.4, at(to) - at(from))}%`, height: 10, rx: 2 },
        make("title", {}, `${name}: ${from} to ${to} s`)));
    });
    const last = write(right, bottom - 4, `${length} s`);
    last.setAttribute("text-anchor", "end");
    drawing.append(write(left, bottom - 4, "0 s"), last);
    return drawing;
  }

  function outline([, wide, high, grouped, ...flat]) {
    const scale = Math.max(1, wide / 1040), boxes = [];
    for (let i = 0; i < flat.length; i += 6) boxes.push(flat.slice(i, i + 6));
    const numbers = [...new Set(boxes.map(box => box[4]).filter(number => number >= 0))].sort((a, b) => a - b);
    const hue = number => grouped ? cycle(numbers.indexOf(number)) : cycle(number);
    const drawing = make("svg", { class: wide > 1040 ? "outline wide" : "outline", viewBox: `0 0 ${wide} ${high}`, preserveAspectRatio: "xMinYMin",
      "font-size": 12 * scale, role: "img", "aria-label": `outlines of ${boxes.length} boxes` },
      make("rect", { class: "panel", fill: "currentColor", width: wide, height: high }));
    for (const [x, y, w, h, number, label] of [...boxes].sort((a, b) => b[2] * b[3] - a[2] * a[3]))
      drawing.append(make("rect", { class: `box ${hue(number)}`, x, y, width: w, height: h,
        fill: "currentColor", "fill-opacity": 0.14, stroke: "currentColor", "stroke-width": 1.5 * scale },
        make("title", {}, text(label))));
    const taken = [];
    if (grouped) for (const number of numbers) {
      const own = boxes.filter(box => box[4] === number), gap = 3 * scale;
      const left = Math.min(...own.map(box => box[0])) - gap, top = Math.min(...own.map(box => box[1])) - gap;
      const right = Math.max(...own.map(box => box[0] + box[2])) + gap;
      const bottom = Math.max(...own.map(box => box[1] + box[3])) + gap;
      const above = top > 14 * scale ? top - 3 * scale : bottom + 13 * scale;
      const [x, y] = place(left, [above, bottom + 13 * scale, Math.max(top, 0) + 13 * scale], 8.5 * scale * String(number).length, 12 * scale, high, taken);
      const label = make("text", { class: "strong bold", fill: "currentColor", x, y }, String(number));
      drawing.append(make("rect", { class: hue(number), x: left, y: top, width: right - left,
        height: bottom - top, fill: "none", stroke: "currentColor", "stroke-width": 1.2 * scale,
        "stroke-dasharray": `${5 * scale} ${3 * scale}` }), label);
    }
    return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "boxes of the row" }, drawing);
  }

  function place(left, heights, wide, tall, most, taken) { // where the number of a group covers no other one
    const corners = [0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5].flatMap(step => heights.map(y => [Math.max(left + step * tall, 0), y]));
    const free = corners.find(([x, y]) => y <= most && taken.every(each =>
      x >= each[0] + each[2] || each[0] >= x + wide || Math.abs(y - each[1]) >= tall)) || corners[0];
    taken.push([...free, wide]);
    return free;
  }

  function write(x, y, said, kind = "soft") {
    return make("text", { class: kind, fill: "currentColor", x: `${x}%`, y }, said);
  }

  function colour(number) { // systems beyond the colours are grey
    return number >= 0 && number < COLOURS ? `system-${number}` : "other";
  }

  function cycle(number) { // groups and classes beyond the colours: again from the first; grey of none
    return number >= 0 ? `system-${number % COLOURS}` : "soft";
  }

  function detail(row) {
    const said = row.notes.map(note => make("p", {}, ...note.map(part =>
      Array.isArray(part) ? make("code", {}, text(part[0])) : text(part))));
    const shown = [];
    if (row.thumbnail) shown.push(make("img", { src: row.thumbnail, alt: "thumbnail of the media" }));
    if (row.picture) shown.push((row.picture[0] === TIMELINE ? timeline : outline)(row.picture));
    const link = make("a", { href: `#row=${encodeURIComponent(row.name)}` }, "Link to this row");
    return make("tr", { class: "x open" }, make("td", { colspan: width }, ...shown, ...said, make("p", {}, link)));
  }

  function line(row) {
    const button = make("button", { type: "button", class: "link", "aria-expanded": open === row }, row.name);
    const cells = [make("td", {}, button)];
    if (splits) cells.push(make("td", { "data-h": "split" }, row.split));
    if (fated) cells.push(make("td", {}, row.fate !== "kept" ? make("span", {}, "dropped by ", make("b", {}, row.fate))
      : row.picture && row.picture[0] === TIMELINE ? strip(row.picture) : "kept"));
    row.cells.forEach((cell, i) => {
      const numeric = data.numeric.includes(i + 1);
      cells.push(make("td", numeric ? { class: "n", "data-h": data.columns[i + 1] } : {}, text(cell)));
    });
    const element = make("tr", { class: open === row ? "r open" : "r" }, ...cells);
    element.addEventListener("click", () => {
      if (!getSelection().isCollapsed) return; // somebody copies
      open = open === row ? null : row;
      draw();
      focus(row);
    });
    return element;
  }

  function focus(row) {
    const button = $("table-rows").querySelectorAll("tr.r button")[found.indexOf(row) - at];
    if (button) button.focus({ preventScroll: true });
    return button;
  }

  function draw() {
    const shown = found.slice(at, at + PAGE), last = at + shown.length;
    $("table-rows").tBodies[0].replaceChildren(...shown.flatMap(row => open === row ? [line(row), detail(row)] : [line(row)]));
    $("table-count").textContent = found.length ? `${words(at + 1)} to ${words(last)} of ${words(found.length)} ${data.thing}`
      : `Nothing matches. Try fewer words, or choose all ${data.thing}.`;
    $("table-earlier").disabled = at === 0;
    $("table-later").disabled = last >= found.length;
  }

  const choice = id => $(id) ? $(id).value : "";

  let waiting;
  function filter() {
    clearTimeout(waiting);
    const wanted = $("table-search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const fate = choice("table-fate"), split = choice("table-split"), rowsOf = evidence.get(choice("table-finding"));
    found = rows.filter(row => (!fate || (fate === "*" ? row.fate !== "kept" : row.fate === fate.slice(1)))
      && (!split || row.split === split.slice(1)) && (!rowsOf || rowsOf.has(row.place))
      && wanted.every(word => row.searched.includes(word)));
    at = 0;
    open = null;
    draw();
  }

  function clear() {
    $("table-search").value = "";
    for (const id of ["table-fate", "table-split", "table-finding"]) if ($(id)) $(id).value = "";
  }

  function follow() { // #row=NAME and #finding=ID
    const [, kind, coded] = /^#(row|finding)=(.*)$/s.exec(location.hash) || [];
    if (!kind) return;
    let name;
    try { name = decodeURIComponent(coded); } catch { return; }
    clear();
    if (kind === "finding" && $("table-finding")) $("table-finding").value = evidence.has(name) ? name : "";
    filter();
    let target = $("table-count");
    if (kind === "row") {
      const row = rows.find(each => each.name === name);
      if (row) {
        at = row.place - row.place % PAGE;
        open = row;
        draw();
        target = focus(row);
      } else {
        $("table-count").textContent = `No row here is called ${name}.`;
      }
    }
    target.scrollIntoView({ block: "center" });
  }

  $("table-search").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, WAIT); });
  $("table-search").addEventListener("keydown", event => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // else the key also presses what is focused next
    filter();
    const first = $("table-rows").querySelector("tr.r button");
    if (first) first.focus();
  });
  for (const id of ["table-fate", "table-split", "table-finding"]) if ($(id)) $(id).addEventListener("change", filter);
  const turn = (id, other, step) => $(id).addEventListener("click", () => {
    at += step;
    open = null;
    draw();
    if ($(id).disabled) $(other).focus();
  });
  turn("table-earlier", "table-later", -PAGE);
  turn("table-later", "table-earlier", PAGE);
  for (const link of document.querySelectorAll("a[data-finding]")) link.addEventListener("click", event => {
    event.preventDefault();
    const hash = `#finding=${encodeURIComponent(link.dataset.finding)}`;
    if (location.hash === hash) follow(); else location.hash = hash;
  });
  addEventListener("hashchange", follow);
  $("table-parts").hidden = false;
  filter();
  follow();
})();
