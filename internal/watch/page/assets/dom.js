// What the parts of the page share. All text goes into text nodes: no string of the job is ever read as HTML.

export const at = (id) => document.getElementById(id);

// say sets a text where it has changed, so that nothing that is selected or read aloud is disturbed.
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// rows makes a parent have one child for each item, keeps those it has, and lets fill write each.
export function rows(parent, items, tag, fill) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  items.forEach((item, i) => {
    const child = parent.children[i] || parent.appendChild(document.createElement(tag));
    fill(child, item, i);
  });
}

// cells writes the texts of a row; those in wrapped may be long.
export function cells(row, texts, wrapped = []) {
  rows(row, texts, "td", (cell, text, i) => {
    say(cell, String(text));
    cell.classList.toggle("text", wrapped.includes(i));
  });
}

// child is the child of an element for some use, made at the first.
export function child(parent, tag, name) {
  for (const c of parent.children) if (c.dataset.use === name) return c;
  const made = parent.appendChild(document.createElement(tag));
  made.dataset.use = name;
  return made;
}

const scaled = (n, step, units) => {
  let i = 0;
  while (Math.abs(n) >= step && i < units.length - 1) {
    n /= step;
    i++;
  }
  return (i === 0 || Math.abs(n) >= 100 ? Math.round(n) : parseFloat(n.toPrecision(3))) + units[i];
};

export const number = (n) => scaled(n, 1000, ["", " k", " M", " G", " T", " P"]);
export const bytes = (n) => scaled(n, 1024, [" B", " KiB", " MiB", " GiB", " TiB", " PiB"]);
export const percent = (part, whole) =>
  (whole > 0 ? ((100 * part) / whole).toFixed(part < whole ? 1 : 0) + " %" : "–");

// seconds is a time in words of at most two units.
export function seconds(s) {
  if (s < 0.001) return s > 0 ? Math.round(s * 1e6) + " µs" : "0 s";
  if (s < 1) return (s * 1000).toPrecision(3) + " ms";
  if (s < 60) return s.toFixed(1) + " s";
  const m = Math.floor(s / 60);
  if (m < 60) return `${m} min ${Math.floor(s % 60)} s`;
  return `${Math.floor(m / 60)} h ${m % 60} min`;
}

// span names numbers from first to last - 1.
export const span = (first, last) => (last - first > 1 ? `${first}–${last - 1}` : `${first}`);

// color is the value of a custom property of the style sheet.
export const color = (name) =>
  getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name)
    .trim();

// choice lets the user choose one of many things by pointer or by arrow keys. find tells which one is under an event,
// move which one a key leads to from the current one, and show shows it; -1 is none.
export function choice(element, { find, move, show }) {
  let now = -1;
  const choose = (n) => {
    now = n;
    show(n);
  };
  for (const kind of ["pointermove", "pointerdown"]) {
    element.addEventListener(kind, (e) => {
      const n = find(e);
      if (n >= 0 && n !== now) choose(n);
    });
  }
  element.addEventListener("keydown", (e) => {
    if (!e.key.startsWith("Arrow") && e.key !== "Home" && e.key !== "End") return;
    e.preventDefault();
    choose(move(now, e.key));
  });
  return {
    again: () => {
      if (now >= 0) show(now);
    },
  };
}

// inList moves through a list of n things.
export function inList(now, key, n) {
  if (n === 0) return -1;
  if (key === "Home") return 0;
  if (key === "End") return n - 1;
  return Math.min(n - 1, Math.max(0, now + (key === "ArrowUp" || key === "ArrowLeft" ? -1 : 1)));
}
