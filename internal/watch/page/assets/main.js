// The page of a job: it asks for the view of the job once a second and shows it, part by part.
import { at, bytes, cells, child, percent, rows, say, seconds, span } from "./dom.js";
import { redrawHeat, showHeat } from "./heat.js";
import { addPoint, redrawPlots, showPlots } from "./plots.js";
import { showStrips } from "./strips.js";
import { showTimeline } from "./timeline.js";

const every = 1000; // milliseconds
const patience = 5000;

const grades = {
  died: ["DIED", "bad"],
  stopped: ["STOPPED", "bad"],
  stalled: ["STALLED", "bad"],
  silent: ["SILENT", "bad"],
  waits: ["WAITS", "warn"],
  runs: ["RUNS", "good"],
  ended: ["ENDED", "good"],
};

function showHead(view) {
  const [word, level] = grades[view.grade] || [view.grade, "warn"];
  const processes = view.processes.at(-1)?.last ?? 0;
  document.title = `${word} · ${view.program}`;
  at("head").dataset.level = level;
  say(at("grade"), word);
  say(at("verdict"), view.verdict);
  say(at("program"), view.program);
  say(
    at("facts"),
    [
      view.id && "job " + view.id,
      `${view.ranks} rank${view.ranks === 1 ? "" : "s"}`,
      `${processes} process${processes === 1 ? "" : "es"}`,
      view.transport,
    ]
      .filter(Boolean)
      .join(" · "),
  );
  say(at("status"), view.status.text);
  at("status").title = view.status.rank >= 0 ? "said by rank " + view.status.rank : "";
  say(at("elapsed"), `runs for ${seconds(Math.max(0, Date.parse(view.taken) - Date.parse(view.started)) / 1000)}`);
  say(at("still"), view.still >= 1 ? `· no progress for ${seconds(view.still)}` : "");
}

function showWorst(view) {
  at("no-worst").hidden = view.worst.length > 0;
  rows(at("worst"), view.worst, "li", (li, w) => {
    const waiters = w.waiters > 0 ? `; ${w.waiters} rank${w.waiters > 1 ? "s wait" : " waits"} for it` : "";
    say(child(li, "strong", "rank"), `Rank ${w.rank}`);
    say(child(li, "span", "doing"), ` ${w.doing}`);
    say(child(li, "span", "still"), `; no progress for ${seconds(w.still)}${waiters}. `);
    say(child(li, "span", "where"), `Process ${w.process}${w.host ? " on " + w.host : ""}.`);
    child(li, "span", "where").className = "note";
    const details = child(li, "details", "stack");
    details.hidden = w.stack.length === 0;
    say(child(details, "summary", "title"), "Its stack");
    say(child(details, "pre", "calls"), w.stack.join("\n"));
  });
}

function showProcesses(view) {
  rows(at("processes"), view.processes, "tr", (row, p) => {
    row.classList.toggle("bad", p.bad);
    cells(
      row,
      [
        span(p.first, p.last),
        span(...p.ranks),
        `${bytes(p.held)} of ${bytes(p.bound)} (${percent(p.held, p.bound)})`,
        "",
        bytes(p.resident),
        p.connections,
        p.state,
        p.host,
        p.last - p.first > 1 ? `${p.pid} …` : p.pid,
        seconds(p.silent),
      ],
      [6, 7],
    );
    const part = p.bound > 0 ? Math.min(1, p.held / p.bound) : 0;
    const bar = child(row.children[3], "div", "bar");
    bar.className = part > 0.9 ? "bar full" : "bar";
    child(bar, "i", "part").style.width = 100 * part + "%";
  });
}

function showSettings(view) {
  const names = Object.keys(view.settings).sort();
  rows(
    at("settings"),
    names.flatMap((name) => [
      ["dt", name],
      ["dd", view.settings[name]],
    ]),
    "div",
    (element, [tag, text]) => {
      if (element.localName === tag) return say(element, text);
      const right = document.createElement(tag);
      right.textContent = text;
      element.replaceWith(right);
    },
  );
}

function show(view) {
  showHead(view);
  showWorst(view);
  addPoint(view.now);
  showPlots();
  showStrips(view);
  showHeat(view);
  showTimeline(view);
  showProcesses(view);
  showSettings(view);
}

const get = (path, patience) => fetch(path, { signal: AbortSignal.timeout(patience), cache: "no-store" });

// Whatever goes wrong is told, and what was seen last stays.
let goneSince = null;

function gone(why) {
  goneSince ||= new Date();
  say(at("gone"), why + goneSince.toLocaleTimeString("en-GB") + ". What you see is its last state.");
  at("gone").hidden = false;
  document.title = "GONE · " + at("program").textContent;
}

async function look() {
  let answer;
  try {
    answer = await get("/view.json", patience);
    if (answer.status === 401)
      return gone("This address now belongs to another job, or to none that knows you, since ");
    if (!answer.ok) return gone("The job tells nothing since ");
    answer = await answer.json();
  } catch {
    return gone("The job has ended or is unreachable since ");
  }
  goneSince = null;
  at("gone").hidden = true;
  show(answer);
}

async function report() {
  at("ask").disabled = true;
  say(at("asked"), "A report is being made …");
  try {
    const answer = await get("/report", 30000);
    say(at("report"), await answer.text());
    at("report").hidden = false;
    say(at("asked"), `Made at ${new Date().toLocaleTimeString("en-GB")}.`);
  } catch {
    say(at("asked"), "No report came: the job has ended or is unreachable.");
  }
  at("ask").disabled = false;
}

async function start() {
  history.replaceState(null, "", "/"); // the token is in the cookie now, and in no address
  at("ask").addEventListener("click", report);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    redrawPlots();
    redrawHeat();
  });
  try {
    for (const p of await (await get("/history.json", patience)).json()) addPoint(p);
  } catch {
    /* look tells what is wrong */
  }
  for (;;) {
    const begun = Date.now();
    await look();
    await new Promise((again) => setTimeout(again, Math.max(50, every - (Date.now() - begun))));
  }
}

start();
