// The heat map of links: bytes that wait or are in flight, from rank (row) to rank (column).
import { at, bytes, cells, choice, color, rows, say, seconds, span } from "./dom.js";

let heat = { side: 0, each: 1, cells: [] };
let ranks = 0;
let held = new Map(); // cells by row * side + column
let marked = -1;

const holds = (c) => c.bytes + c.filling;
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

// ramp maps 0 to 1 onto colours.
function ramp() {
  const [cold, mild, hot] = ["cold", "mild", "hot"].map((name) => rgb(color(name)));
  return (x) => {
    const [from, to, t] = x < 0.5 ? [cold, mild, 2 * x] : [mild, hot, 2 * x - 1];
    return `rgb(${from.map((c, i) => Math.round(c + (to[i] - c) * t)).join(" ")})`;
  };
}

function draw() {
  const canvas = at("heat"),
    ratio = window.devicePixelRatio || 1;
  const size = Math.round(canvas.clientWidth * ratio);
  if (size === 0) return;
  if (canvas.width !== size) canvas.width = canvas.height = size;
  const context = canvas.getContext("2d"),
    tone = ramp(),
    cell = size / Math.max(1, heat.side);
  const most = Math.max(1, ...heat.cells.map(holds));
  context.fillStyle = tone(0);
  context.fillRect(0, 0, size, size);
  const edge = (i) => Math.round(i * cell);
  for (const c of heat.cells) {
    context.fillStyle = tone(Math.sqrt(holds(c) / most));
    context.fillRect(edge(c.to), edge(c.from), edge(c.to + 1) - edge(c.to), edge(c.from + 1) - edge(c.from));
  }
  if (cell >= 14 * ratio) grid(context, size, edge);
  if (marked >= 0) {
    context.strokeStyle = color("text");
    context.lineWidth = 2 * ratio;
    context.strokeRect(edge(marked % heat.side), edge(Math.floor(marked / heat.side)), cell, cell);
  }
  say(at("heat-most"), `${bytes(most > 1 ? most : 0)} (by the square root)`);
  legend(tone);
}

function grid(context, size, edge) {
  context.fillStyle = color("line");
  for (let i = 1; i < heat.side; i++) {
    context.fillRect(edge(i), 0, 1, size);
    context.fillRect(0, edge(i), size, 1);
  }
}

function legend(tone) {
  const canvas = at("ramp"),
    context = canvas.getContext("2d");
  for (let x = 0; x < canvas.width; x++) {
    context.fillStyle = tone(x / canvas.width);
    context.fillRect(x, 0, 1, canvas.height);
  }
}

const names = (i) => (heat.each > 1 ? "ranks " : "rank ") + span(i * heat.each, Math.min(ranks, (i + 1) * heat.each));

function read(n) {
  marked = n < heat.side * heat.side ? n : -1;
  draw();
  if (marked < 0) return;
  const c = held.get(n) || { bytes: 0, filling: 0, flight: 0, waiting: 0 };
  say(
    at("heat-read"),
    `From ${names(Math.floor(n / heat.side))} to ${names(n % heat.side)}: ${bytes(c.bytes)} in frames ` +
      `(${c.flight} in flight, ${c.waiting} waiting for credit), ${bytes(c.filling)} in buffers that fill`,
  );
}

function under(e) {
  const box = at("heat").getBoundingClientRect();
  const index = (x) => Math.min(heat.side - 1, Math.max(0, Math.floor(x * heat.side)));
  return heat.side && index((e.clientY - box.top) / box.height) * heat.side + index((e.clientX - box.left) / box.width);
}

function step(now, key) {
  if (now < 0 || key === "Home") return 0;
  if (key === "End") return heat.side * heat.side - 1;
  const down = { ArrowUp: -1, ArrowDown: 1 }[key] || 0,
    right = { ArrowLeft: -1, ArrowRight: 1 }[key] || 0;
  const within = (x) => Math.min(heat.side - 1, Math.max(0, x));
  return within(Math.floor(now / heat.side) + down) * heat.side + within((now % heat.side) + right);
}

const chosen = choice(at("heat"), { find: under, move: step, show: read });
new ResizeObserver(draw).observe(at("heat"));

export function showHeat(view) {
  heat = view.heat;
  ranks = view.ranks;
  held = new Map(heat.cells.map((c) => [c.from * heat.side + c.to, c]));
  at("links").hidden = ranks < 2;
  at("no-links").hidden = heat.cells.length > 0;
  draw();
  chosen.again();
  rows(at("fullest"), view.fullest, "tr", (row, l) =>
    cells(row, [l.from, l.to, l.target, bytes(l.bytes + l.filling), l.flight, l.waiting, seconds(l.age_seconds)], [2]),
  );
}

export const redrawHeat = draw;
