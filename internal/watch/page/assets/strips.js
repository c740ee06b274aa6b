// Where the time of ranks went: one strip for each rank or range of ranks.
import { at, cells, choice, inList, number, percent, rows, say, seconds, span } from "./dom.js";

const states = [
  ["compute", "compute"],
  ["handle", "handle"],
  ["credit", "wait for credit"],
  ["idle", "idle"],
  ["served", "served memory"],
];
const whole = (s) => states.reduce((sum, [name]) => sum + s.seconds[name], 0);
const title = (s) => (s.last - s.first > 1 ? "ranks " : "rank ") + span(s.first, s.last);

let strips = [];

function read(i) {
  [...at("strips").children].forEach((row, k) => row.classList.toggle("chosen", k === i));
  const s = strips[i];
  if (!s) return;
  const parts = states.map(
    ([name, word]) => `${word} ${seconds(s.seconds[name])} (${percent(s.seconds[name], whole(s))})`,
  );
  const told = s.told < s.last - s.first ? `, ${s.last - s.first - s.told} have told nothing` : "";
  say(at("strip-read"), `${title(s)}: ${parts.join(", ")}; no progress for ${seconds(s.still)}${told}`);
}

const chosen = choice(at("strips"), {
  find: (e) => [...at("strips").children].indexOf(e.target.closest(".strip")),
  move: (now, key) => inList(now, key, strips.length),
  show: read,
});

function strip(row, s) {
  row.className = strips.length > 16 ? "strip dense" : "strip";
  if (!row.firstChild) row.append(document.createElement("span"), document.createElement("div"));
  say(row.firstChild, title(s));
  rows(row.lastChild, states, "i", (bar, [name]) => {
    bar.className = name;
    bar.style.width = (whole(s) > 0 ? (100 * s.seconds[name]) / whole(s) : 0) + "%";
  });
  row.classList.toggle("chosen", false);
}

export function showStrips(view) {
  strips = view.strips;
  rows(at("legend"), states, "li", (li, [name, word]) => {
    if (li.firstChild) return;
    const swatch = document.createElement("i");
    swatch.className = name;
    li.append(swatch, word);
  });
  rows(at("strips"), strips, "div", strip);
  rows(at("strip-rows"), strips, "tr", (row, s) =>
    cells(row, [
      span(s.first, s.last),
      ...states.map(([name]) => `${seconds(s.seconds[name])} · ${percent(s.seconds[name], whole(s))}`),
      seconds(s.seconds.epochs),
      number(s.handled),
      seconds(s.still),
    ]),
  );
  chosen.again();
}
