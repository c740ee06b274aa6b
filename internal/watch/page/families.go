package page

import "github.com/activepebbles/pebbles/internal/watch/state"

// family is one metric. Exactly one of job, process, rank and link is set: it emits the values of that owner. A further
// distinction within an owner goes into the label sub.
type family struct {
	name string
	kind string // of Prometheus: "gauge", "counter" or "summary"
	help string
	sub  string // a label of its own, such as "reason"; "" for none

	job     func(*state.Job, emit)
	process func(*state.Process, emit)
	rank    func(*state.Rank, emit)
	link    func(*state.Link) float64

	greatest bool // ranks or processes that share a series have the greatest of their values, not the sum
	detail   bool // by rank only in small jobs
}

// emit takes one value of the label sub.
type emit func(sub string, value float64)

// families are all metrics in output order, waiting times first.
var families = []family{
	{name: "pebbles_still_seconds", kind: "gauge", job: func(j *state.Job, e emit) { e("", j.StillSeconds) },
		help: "For how long no rank has made progress while some waited."},
	{name: "pebbles_rank_still_seconds", kind: "gauge", greatest: true,
		rank: one(func(r *state.Rank) float64 { return r.StillSeconds }),
		help: "For how long a rank has made no progress."},
	{name: "pebbles_process_silent_seconds", kind: "gauge", greatest: true, process: silent,
		help: "For how long a process has not told anything."},
	{name: "pebbles_process_lost", kind: "gauge", process: lost,
		help: "1 for a process that has ended before its ranks, or is stopped by a signal."},
	{name: "pebbles_link_pending_bytes", kind: "gauge", link: func(l *state.Link) float64 { return float64(l.Bytes) },
		help: "Bytes that wait or are in flight on the links that hold most."},
	{name: "pebbles_link_age_seconds", kind: "gauge", greatest: true,
		link: func(l *state.Link) float64 { return l.AgeSeconds },
		help: "For how long no frame of these links has come back."},
	{name: "pebbles_credit_wait_seconds_total", kind: "counter",
		rank: one(func(r *state.Rank) float64 { return r.Seconds.Credit }),
		help: "Time in waits for credit, room or memory, as sampled."},
	{name: "pebbles_rank_seconds_total", kind: "counter", sub: "state", rank: seconds,
		help: "Where the time of a rank has gone, as sampled."},

	{name: "pebbles_memory_held_bytes", kind: "gauge",
		rank: one(func(r *state.Rank) float64 { return float64(r.Memory.Held) }),
		help: "Memory that a rank holds for pebbles."},
	{name: "pebbles_memory_bound_bytes", kind: "gauge",
		process: single(func(p *state.Process) float64 { return float64(p.Bound) }),
		help:    "The most that the ranks of a process may hold for pebbles."},
	{name: "pebbles_resident_bytes", kind: "gauge",
		process: single(func(p *state.Process) float64 { return float64(p.Resident) }),
		help:    "Resident memory of a process."},
	{name: "pebbles_connections", kind: "gauge",
		process: single(func(p *state.Process) float64 { return float64(p.Connections) }),
		help:    "Connections of a process with others."},

	{name: "pebbles_sent_total", kind: "counter",
		rank: count(func(c *state.Counters) uint64 { return c.PebblesSent }),
		help: "Pebbles sent, to whatever rank."},
	{name: "pebbles_handled_total", kind: "counter", sub: "target", rank: handled,
		help: "Pebbles given to handlers."},
	{name: "pebbles_frames_sent_total", kind: "counter", sub: "reason", rank: flushes,
		help: "Frames of pebbles sent, by why they left."},
	{name: "pebbles_sent_bytes_total", kind: "counter",
		rank: count(func(c *state.Counters) uint64 { return c.BytesSent }),
		help: "Payload of the frames sent."},

	{name: "pebbles_epoch_duration_seconds", kind: "summary", job: epochs,
		help: "Epochs that rank 0 has ended, and its time in them."},
	{name: "pebbles_start_time_seconds", kind: "gauge", job: started,
		help: "When the job started, since the Unix epoch."},
	{name: "pebbles_ranks", kind: "gauge", job: func(j *state.Job, e emit) { e("", float64(j.Ranks)) },
		help: "Ranks of the job."},

	{name: "pebbles_tasks_waiting", kind: "gauge", detail: true, rank: one(tasks),
		help: "Tasks that wait."},
	{name: "pebbles_memory_queued_bytes", kind: "gauge", detail: true,
		rank: one(func(r *state.Rank) float64 { return float64(r.Memory.Queued) }),
		help: "Memory of pebbles that handlers sent to their own rank."},
	{name: "pebbles_waits_total", kind: "counter", detail: true,
		rank: count(func(c *state.Counters) uint64 { return c.Waits }),
		help: "Looks for room or credit that found none."},
	{name: "pebbles_credit_waits_total", kind: "counter", detail: true,
		rank: count(func(c *state.Counters) uint64 { return c.CreditWaits }),
		help: "Frames that had to wait for credit."},
	{name: "pebbles_frames_held_total", kind: "counter", detail: true,
		rank: count(func(c *state.Counters) uint64 { return c.Held }),
		help: "Frames that arrived and waited because links onward had no credit."},
	{name: "pebbles_frames_received_total", kind: "counter", detail: true,
		rank: count(func(c *state.Counters) uint64 { return c.FramesReceived }),
		help: "Frames of pebbles received."},
	{name: "pebbles_forwarded_total", kind: "counter", detail: true,
		rank: count(func(c *state.Counters) uint64 { return c.Forwarded }),
		help: "Pebbles that passed through a rank as a hop."},
	{name: "pebbles_merged_total", kind: "counter", detail: true,
		rank: count(func(c *state.Counters) uint64 { return c.Merged }),
		help: "Pebbles that a reduction dropped or merged."},
	{name: "pebbles_rescued_total", kind: "counter", detail: true,
		rank: count(func(c *state.Counters) uint64 { return c.Rescued }),
		help: "Pebbles moved away from links that were marked down."},
	{name: "pebbles_control_sent_total", kind: "counter", detail: true,
		rank: count(func(c *state.Counters) uint64 { return c.ControlSent }),
		help: "Messages of collectives and of termination detection."},
}

// one returns a function for a family with one value for each rank.
func one(f func(*state.Rank) float64) func(*state.Rank, emit) {
	return func(r *state.Rank, e emit) { e("", f(r)) }
}

// single returns a function for a family with one value for each process.
func single(f func(*state.Process) float64) func(*state.Process, emit) {
	return func(p *state.Process, e emit) { e("", f(p)) }
}

func count(f func(*state.Counters) uint64) func(*state.Rank, emit) {
	return func(r *state.Rank, e emit) { e("", float64(f(&r.Counters))) }
}

func silent(p *state.Process, e emit) { e("", p.SilentSeconds) }

func lost(p *state.Process, e emit) {
	if p.Stopped || p.Ended != "" && !finished(p) {
		e("", 1)
		return
	}
	e("", 0)
}

func seconds(r *state.Rank, e emit) {
	s := &r.Seconds
	e("compute", s.Compute)
	e("handle", s.Handle)
	e("credit", s.Credit)
	e("idle", s.Idle)
	e("served", s.Served)
}

func handled(r *state.Rank, e emit) {
	for i := range r.Targets {
		e(r.Targets[i].Name, float64(r.Targets[i].Handled))
	}
}

func flushes(r *state.Rank, e emit) {
	c := &r.Counters
	e("full", float64(c.FlushFull))
	e("due", float64(c.FlushDue))
	e("explicit", float64(c.FlushExplicit))
	e("idle", float64(c.FlushIdle))
	e("periodic", float64(c.FlushPeriodic))
	e("deep", float64(c.FlushDeep))
}

func tasks(r *state.Rank) (n float64) {
	for _, t := range r.Tasks {
		n += float64(t.Count)
	}
	return n
}

// epochs emits the parts of a summary, by the suffixes of their names.
func epochs(j *state.Job, e emit) {
	if r := rankZero(j); r != nil {
		e("_sum", r.Seconds.Epochs)
		e("_count", float64(r.Counters.Epochs))
	}
}

func started(j *state.Job, e emit) {
	if !j.Started.IsZero() {
		e("", float64(j.Started.UnixMilli())/1e3)
	}
}
