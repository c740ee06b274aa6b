package watch

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/netio"
)

// Config says what is watched, and what is done about it.
type Config struct {
	Stall     time.Duration              // how long a job may stand still before it is reported; not positive is for ever
	Stalled   func(verdict string) error // not nil: the error by which a job ends that stands still
	Out       io.Writer                  // where reports go
	Program   string                     // "" is the name of this program
	Job       string                     // its id; "" for none
	Settings  func() map[string]string   // by names of flags; asked once, when somebody wants to know
	Transport string                     // its name
	HTTP      string                     // where process 0 serves the page; "" for nowhere
	Announce  bool                       // process 0 has the job listed, for pebbles ps and top
	Pprof     bool                       // the page has Go's profiles too
	Trace     string                     // the file of the trace, as trace.Path takes it; "" for none
	Record    string                     // the folder of the record; "" for none
	Bound     int64                      // bytes that one rank may hold for pebbles
	Flight    *trace.FlightRecorder      // Go's own, which is dumped beside the report; nil for none
	Log       *slog.Logger
}

// StallDefault is how long a job may stand still before it is reported, when nobody says otherwise.
const StallDefault = 30 * time.Second

// tick is the time between two looks.
const tick = time.Second

// Watcher watches the ranks of this process, and in process 0 those of all others.
type Watcher struct {
	config    Config
	started   time.Time
	outlets   outlets
	sight     *engine.Sight
	place     netio.Place
	noter     netio.Noter // nil where this process is alone
	simulated bool        // ranks run in turn, with those of other processes, so that they can't be asked
	settings  func() map[string]string
	host      string
	over      chan struct{}
	running   sync.WaitGroup
	greeted   bool        // process 0 was told who this process is
	quit      atomic.Bool // a report is being written for somebody who ends the process

	mu     sync.Mutex
	ended  bool
	ranks  []progress // of this process
	others []other    // by process, in process 0
	moved  uint64     // by all ranks, when somebody looked last
	still  time.Duration
	told   bool          // that the job stands still
	answer chan struct{} // closed and renewed when a process has told its state
	stacks []state.Calls // that have come with the last answers
}

// progress is how far a rank has come.
type progress struct {
	moved uint64
	still time.Duration
	spent state.Seconds // as sampled
}

// other is what another process has told.
type other struct {
	heard  time.Duration // since it told anything
	count  count
	state  *state.Process // nil before it has told
	stated time.Time      // when it told that
}

var _ engine.Watcher = (*Watcher)(nil)

// New makes a watcher, for one job. The page and the record are open from here on, until End.
func New(c Config, transport netio.Transport) (*Watcher, error) {
	if c.Program == "" {
		c.Program = filepath.Base(os.Args[0])
	}
	w := &Watcher{
		config: c, started: time.Now(), place: transport.Place(), over: make(chan struct{}), answer: make(chan struct{}),
	}
	w.ranks = make([]progress, w.place.Last-w.place.First)
	w.settings = sync.OnceValue(c.Settings)
	w.host, _ = os.Hostname()
	if w.place.Process == 0 {
		w.others = make([]other, w.place.Processes)
	}
	_, w.simulated = transport.(netio.Runner)
	return w, w.open(transport)
}

// Begin implements [engine.Watcher].
func (w *Watcher) Begin(s *engine.Sight) {
	w.mu.Lock()
	w.sight = s
	w.mu.Unlock()
	if n, ok := s.Transport().(netio.Noter); ok && w.place.Processes > 1 {
		w.noter = n
		n.Notes(w.noted)
	}
	current.Store(w)
	w.running.Go(w.run)
}

// Failing implements [engine.Watcher].
func (w *Watcher) Failing(cause error) error {
	w.mu.Lock()
	w.aside(func() { w.failed(cause) }) // the disk may be slow
	w.mu.Unlock()
	if h, ok := cause.(interface{ Hangs() bool }); ok && h.Hangs() {
		verdict, _ := w.here(0).Conclude()
		return &hangError{cause, verdict}
	}
	return cause
}

// hangError is the error of a simulated job that hangs, with the verdict.
type hangError struct {
	error
	verdict string
}

func (e *hangError) Error() string { return e.error.Error() + "\n" + e.verdict }
func (e *hangError) Unwrap() error { return e.error }

// End implements [engine.Watcher].
func (w *Watcher) End() {
	current.CompareAndSwap(w, nil)
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	close(w.over)
	w.running.Wait()
	w.write() // the last second, and the only one of a short job
	w.tellCounters()
	if err := w.shut(); err != nil {
		w.config.Log.Warn("close the page of the job", "error", err)
	}
}

// run looks once a second, unless nobody wants to know.
func (w *Watcher) run() {
	if w.config.Stall <= 0 && !w.shown() {
		<-w.over
		return
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var samples <-chan time.Time
	if w.shown() {
		sampler := time.NewTicker(sampleEvery)
		defer sampler.Stop()
		samples = sampler.C
	}
	for n := 0; ; n++ {
		select {
		case <-w.over:
			return
		case <-samples:
			w.sample()
			if n%samplesPerDrain == 0 {
				w.drain()
			}
		case <-ticker.C:
			if w.look() {
				w.running.Go(w.stalled)
			}
			w.write()
			w.tellCounters()
		}
	}
}

// look counts how far the ranks here have come, and in process 0 those of all. It reports whether the job has just
// stood still for as long as it may.
func (w *Watcher) look() (stalled bool) {
	mine := w.count()
	if w.place.Process != 0 {
		if !w.greeted {
			w.greeted = true
			w.state(false)
		}
		w.tell(mine)
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.others {
		o := &w.others[i]
		if i != 0 {
			o.heard += tick
		}
		mine.Moved += o.count.Moved
		mine.Waiting += o.count.Waiting
	}
	return w.standsStill(mine)
}

// standsStill takes in how far the job has come, a tick after the last look. It is for the holder of mu.
func (w *Watcher) standsStill(all count) (stalled bool) {
	if all.Moved != w.moved || all.Waiting == 0 {
		w.moved, w.still, w.told = all.Moved, 0, false
		return false
	}
	w.still += tick
	if w.told || w.config.Stall <= 0 || w.still < w.config.Stall || traced() {
		return false
	}
	w.told = true
	return true
}

// count is how far the ranks of a process have come.
type count struct {
	Moved   uint64 `json:"moved"`
	Waiting int    `json:"waiting"` // ranks that wait, or are in a handler
}

// count looks at all ranks here.
func (w *Watcher) count() (all count) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.ranks {
		moved, waits := w.sight.Progress(w.place.First + i)
		if !waits { // a handler is to return, so others may count on it
			doing, _ := w.sight.Doing(w.place.First + i)
			waits = doing == state.Handling
		}
		if p := &w.ranks[i]; moved == p.moved {
			p.still += tick
		} else {
			p.moved, p.still = moved, 0
		}
		all.Moved += moved
		if waits {
			all.Waiting++
		}
	}
	return all
}

// stalled tells that the job stands still.
func (w *Watcher) stalled() {
	report := w.Report()
	_ = report.Write(w.config.Out)
	w.dumpFlight()
	w.config.Log.Warn("the job stands still", "verdict", report.Verdict)
	if w.config.Stalled != nil {
		w.sight.Fail(w.config.Stalled(report.Verdict))
	}
}
