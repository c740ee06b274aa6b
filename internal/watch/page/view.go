package page

import (
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Bounds of a view. Strings of the application are clipped to textMost runes.
const (
	rowsMost  = 64 // maximum of strips, of cells per side, and of processes
	worstMost = 5
	linksMost = 10
	textMost  = 400
)

// View is the content of the page. Its size is bounded, whatever the number of ranks.
type View struct {
	Program   string    `json:"program"`
	ID        string    `json:"id"`
	Transport string    `json:"transport"`
	Ranks     int       `json:"ranks"`
	Started   time.Time `json:"started"`
	Taken     time.Time `json:"taken"`

	Grade   Grade   `json:"grade"`
	Verdict string  `json:"verdict"`
	Still   float64 `json:"still"` // seconds
	Status  Status  `json:"status"`

	Worst     []Worst           `json:"worst"`
	Strips    []Strip           `json:"strips"` // by rank, or by range of ranks if there are more than 64
	Heat      Heat              `json:"heat"`
	Fullest   []state.Held      `json:"fullest"` // the ten fullest links
	Events    []state.Event     `json:"events"`  // of rank 0
	Processes []Row             `json:"processes"`
	Settings  map[string]string `json:"settings"`
	Now       Point             `json:"now"`
}

// Status is the last status of the application.
type Status struct {
	Rank int    `json:"rank"` // of the status; -1 without one
	Text string `json:"text"`
}

// Strip is the use of time of a rank, or of several neighbouring ones.
type Strip struct {
	First   int           `json:"first"` // the ranks are First to Last-1
	Last    int           `json:"last"`
	Seconds state.Seconds `json:"seconds"` // sum
	Handled uint64        `json:"handled"` // pebbles
	Still   float64       `json:"still"`   // seconds, of the rank without progress for longest
	Told    int           `json:"told"`    // ranks with a state
}

// ViewOf returns a view of a job. Its cost is linear in the ranks and their links: some milliseconds for 4,096 ranks.
// It does not change the job.
func ViewOf(j *state.Job) View {
	v := View{
		Program: clip(j.Program), ID: clip(j.ID), Transport: clip(j.Transport), Ranks: j.Ranks,
		Started: j.Started, Taken: j.Taken,
		Grade: gradeOf(j), Verdict: clip(j.Verdict), Still: j.StillSeconds, Status: statusOf(j),
		Worst: worst(j), Strips: strips(j), Heat: heatOf(j), Fullest: fullest(j, linksMost), Events: []state.Event{},
		Processes: rows(j), Settings: map[string]string{}, Now: pointOf(j),
	}
	for name, value := range j.Settings {
		v.Settings[clip(name)] = clip(value)
	}
	if r := rankZero(j); r != nil {
		for _, e := range r.Events[max(0, len(r.Events)-eventsMost):] {
			e.Name, e.Site = clip(e.Name), clip(e.Site)
			v.Events = append(v.Events, e)
		}
	}
	return v
}

// eventsMost bounds the events of a view. It equals the bound of state.Rank.
const eventsMost = 256

// ranks calls f for each rank with a state, with its process.
func ranks(j *state.Job, f func(*state.Process, *state.Rank)) {
	for i := range j.Processes {
		p := &j.Processes[i]
		for k := range p.Ranks {
			f(p, &p.Ranks[k])
		}
	}
}

func rankZero(j *state.Job) (zero *state.Rank) {
	ranks(j, func(_ *state.Process, r *state.Rank) {
		if r.Rank == 0 {
			zero = r
		}
	})
	return zero
}

// statusOf returns the status of rank 0, or of the first rank with one.
func statusOf(j *state.Job) Status {
	s := Status{Rank: -1}
	ranks(j, func(_ *state.Process, r *state.Rank) {
		if r.Status != "" && (s.Rank < 0 || r.Rank < s.Rank) {
			s = Status{Rank: r.Rank, Text: clip(r.Status)}
		}
	})
	return s
}

// span returns the number of neighbours that share a row, within the limit of rows.
func span(n int) int { return max(1, (n+rowsMost-1)/rowsMost) }

func strips(j *state.Job) []Strip {
	each := span(j.Ranks)
	all := make([]Strip, 0, rowsMost)
	for first := 0; first < j.Ranks; first += each {
		all = append(all, Strip{First: first, Last: min(first+each, j.Ranks)})
	}
	ranks(j, func(_ *state.Process, r *state.Rank) {
		if r.Rank >= 0 && r.Rank < j.Ranks {
			all[r.Rank/each].add(r)
		}
	})
	return all
}

func (s *Strip) add(r *state.Rank) {
	t, of := &s.Seconds, r.Seconds
	t.Compute += of.Compute
	t.Handle += of.Handle
	t.Credit += of.Credit
	t.Idle += of.Idle
	t.Served += of.Served
	t.Epochs += of.Epochs
	s.Handled += r.Counters.PebblesHandled
	s.Still = max(s.Still, r.StillSeconds)
	s.Told++
}

// clip shortens a text that is too long for the page.
func clip(text string) string {
	n := 0
	for i := range text {
		if n == textMost {
			return text[:i] + "…"
		}
		n++
	}
	return text
}
