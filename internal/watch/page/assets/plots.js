// The plots over time. Each value is drawn at the moment at which the job was seen.
/* global uPlot */
import { at, bytes, color, number, say } from "./dom.js";

const most = 900; // points, as many as the server keeps
const points = [];
let plots = [];

// rate is the growth of a count a second; null where it cannot be known.
const rate = (name) =>
  points.map((p, i) => {
    const before = points[i - 1];
    const grown = before ? p[name] - before[name] : -1;
    return grown < 0 || p.t - before.t > 10 ? null : grown / (p.t - before.t);
  });
const of = (name) => points.map((p) => p[name]);

const kinds = [
  { id: "pebbles", show: number, series: [["pebbles/s", "compute", () => rate("handled")]] },
  { id: "bytes", show: bytes, series: [["bytes/s", "handle", () => rate("bytes")]] },
  {
    id: "memory",
    show: bytes,
    series: [
      ["held", "compute", () => of("held")],
      ["bound", "bad", () => of("bound"), [6, 4]],
    ],
  },
];

// steps are what marks of an axis may be apart: whole, and even in the units that are shown.
const steps = {
  pebbles: Array.from({ length: 16 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** i)).flat(),
  bytes: Array.from({ length: 50 }, (_, i) => 2 ** i),
};
steps.memory = steps.bytes;

const clock = (t) => new Date(t * 1000).toLocaleTimeString("en-GB");

function make(kind) {
  const parent = at("plot-" + kind.id);
  const axis = {
    stroke: color("soft"),
    grid: { stroke: color("line"), width: 1 },
    ticks: { stroke: color("line"), width: 1 },
  };
  const show = (_, v) => (v == null ? "–" : kind.show(v));
  return new uPlot(
    {
      width: Math.max(200, parent.clientWidth),
      height: 170,
      cursor: { drag: { x: false, y: false } },
      scales: { y: { range: (_, low, high) => [0, high > 0 ? high * 1.05 : 1] } },
      axes: [
        { ...axis, space: 80, values: (_, all) => all.map(clock) },
        { ...axis, size: 70, incrs: steps[kind.id], values: (_, all) => all.map(kind.show) },
      ],
      series: [
        { value: (_, t) => (t == null ? "–" : clock(t)) },
        ...kind.series.map(([label, stroke, , dash]) => ({
          label,
          stroke: color(stroke),
          width: 1.5,
          dash,
          value: show,
          points: { show: false },
        })),
      ],
    },
    [[], ...kind.series.map(() => [])],
    parent,
  );
}

// redrawPlots makes the plots anew, in the colours and the width that the page has now.
export function redrawPlots() {
  plots.forEach((p) => p.destroy());
  plots = kinds.map(make);
  draw();
}

function draw() {
  const times = points.map((p) => p.t);
  kinds.forEach((kind, i) => {
    const values = kind.series.map(([, , get]) => get());
    plots[i].setData([times, ...values]);
    const last = values.map((v) => v.at(-1));
    const texts = last.map((v) => (v == null ? "–" : kind.show(v)));
    say(at("now-" + kind.id), kind.id === "memory" ? `${texts[0]} of at most ${texts[1]}` : texts[0]);
  });
}

export function addPoint(p) {
  const t = Date.parse(p.at) / 1000;
  if (points.length && t <= points.at(-1).t) return;
  points.push({ ...p, t });
  if (points.length > most) points.shift();
}

export function showPlots() {
  if (plots.length === 0) redrawPlots();
  draw();
}

new ResizeObserver(() => {
  kinds.forEach((kind, i) =>
    plots[i]?.setSize({ width: Math.max(200, at("plot-" + kind.id).clientWidth), height: 170 }),
  );
}).observe(at("h-plots"));
