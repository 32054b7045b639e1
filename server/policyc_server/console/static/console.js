// What pages do beyond being read. Texts from the server are only ever set as text.
"use strict";

const MOST_ROWS = 300;

// One function for each named cell of a row (parts.html).
const text = (name) => (cell, row) => { cell.textContent = row[name]; };
const words = (value) => value.replaceAll("_", " ");
const FILL = {
  link: (cell, row) => { cell.href = `/console/events/${encodeURIComponent(row.id)}`; },
  clock: (cell, row) => { cell.textContent = row.clock; cell.dateTime = row.at; },
  verdict: (cell, row) => { cell.textContent = words(row.verdict); cell.className = `verdict v-${row.verdict}`; },
  would_be: (cell, row) => { cell.textContent = row.would_be && `would ${words(row.would_be)}`; },
  tool: text("tool"),
  args: text("args"),
  agent: text("agent"),
  rule: text("rule"),
  surface: text("surface"),
  outcome: text("outcome"),
};

// Letters are keys only while the focus is in the part that they belong to, and in no field.
const KEYS = { list: moveInList, decide: goToButton };

function onLetter(part, act) {
  part.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, textarea, select");
    if (!isTyping && !event.ctrlKey && !event.metaKey && !event.altKey && act(event.key)) event.preventDefault();
  });
}

function moveInList(list) {
  const links = [...list.querySelectorAll("a.card")];
  links[0]?.focus({ preventScroll: true });
  onLetter(list, (key) => {
    const step = { j: 1, k: -1 }[key];
    if (step) links[links.indexOf(document.activeElement) + step]?.focus();
    return Boolean(step);
  });
}

function goToButton(part) {
  part.focus({ preventScroll: true });
  onLetter(part, (key) => {
    const button = part.querySelector(`[data-key="${CSS.escape(key)}"]`);
    button?.focus();
    return Boolean(button);
  });
}

function startTail(button) {
  const rows = document.getElementById("rows");
  const template = document.getElementById("row");
  const state = document.getElementById("tail-state");
  let source = null;
  let address = button.dataset.stream;
  let arrived = 0;

  button.hidden = false;
  button.addEventListener("click", () => (source ? stop() : start()));

  function start() {
    source = new EventSource(address);
    source.onopen = () => say("Live");
    source.onerror = () => say(source.readyState === EventSource.CLOSED ? "Ended: load the page again" : "Connecting again");
    source.onmessage = (message) => add(JSON.parse(message.data));
    button.setAttribute("aria-pressed", "true");
    say("Connecting");
  }

  function stop() {
    source.close();
    source = null;
    button.setAttribute("aria-pressed", "false");
    say("Paused");
  }

  function say(text) {
    state.textContent = arrived ? `${text}, ${arrived} new` : text;
  }

  function add(row) {
    // Where to go on after a pause; and what the page has already.
    address = address.replace(/after=\d+/, `after=${row.seq}`);
    if (rows.querySelector(`[data-seq="${row.seq}"]`)) return;
    const line = template.content.firstElementChild.cloneNode(true);
    line.dataset.seq = row.seq;
    line.classList.add("fresh");
    for (const cell of line.querySelectorAll("[data-cell]")) FILL[cell.dataset.cell]?.(cell, row);
    rows.prepend(line);
    while (rows.children.length > MOST_ROWS) rows.lastElementChild.remove();
    document.getElementById("none").hidden = true;
    arrived += 1;
    say("Live");
  }
}

const tail = document.getElementById("tail");
if (tail) startTail(tail);

const part = document.querySelector("[data-keys]");
if (part) KEYS[part.dataset.keys](part);

document.getElementById("continue")?.click();
