// The timeline of rank 0: epochs, other calls, and waits, each in a lane.
import { at, cells, choice, inList, rows, say, seconds } from "./dom.js";

const lanes = ["epochs", "other", "waited"];
const lane = (e) => (e.kind === "epoch" ? 0 : ["wait", "failed", "slow"].includes(e.kind) ? 2 : 1);

let events = [];
let now = 0; // on the clock of the events: the last that is known

const ends = (e) => (e.end > 0 ? e.end : now);
const lasted = (e) => (e.end > 0 ? seconds(e.end - e.at) : "not ended");
const what = (e) => (e.number ? `${e.kind} ${e.number}` : e.kind);

function read(i) {
  [...at("bars").children].forEach((bar, k) => bar.classList.toggle("chosen", k === i));
  const e = events[i];
  if (e)
    say(at("time-read"), [`${what(e)} at ${seconds(e.at)}: ${lasted(e)}`, e.name, e.site].filter(Boolean).join(", "));
}

const chosen = choice(at("timeline"), {
  find: (e) => [...at("bars").children].indexOf(e.target),
  move: (i, key) => inList(i, key, events.length),
  show: read,
});

export function showTimeline(view) {
  events = view.events;
  const begun = events.length ? events[0].at : 0;
  const elapsed = (Date.parse(view.taken) - Date.parse(view.started)) / 1000;
  now = Math.max(elapsed || 0, ...events.map((e) => Math.max(e.at, e.end)));
  const across = (t) => (100 * (t - begun)) / Math.max(1e-9, now - begun);
  rows(at("bars"), events, "i", (bar, e) => {
    bar.className = [lanes[lane(e)], e.end > 0 ? "" : "open", e.kind === "failed" ? "wrong" : ""].join(" ");
    bar.style.left = across(e.at) + "%";
    bar.style.width = Math.max(0, across(ends(e)) - across(e.at)) + "%";
    bar.style.top = 1 + 1.875 * lane(e) + "rem";
  });
  rows(at("event-rows"), [...events].reverse(), "tr", (row, e) =>
    cells(row, [seconds(e.at), lasted(e), what(e), e.name, e.site], [3, 4]),
  );
  chosen.again();
}
