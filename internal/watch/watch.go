package watch

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	rtrace "runtime/trace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/internal/watch/trace"
	"github.com/activepebbles/pebbles/netio"
)

// Config configures a Watcher.
type Config struct {
	Stall     time.Duration              // time without progress before a report; not positive: never
	Stalled   func(verdict string) error // if not nil: returns the error that ends a job that stands still
	Out       io.Writer                  // for reports
	Program   string                     // "" means the name of this program
	Job       string                     // its id; "" for none
	Settings  func() map[string]string   // by names of flags; called once, at the first use
	Transport string                     // its name
	HTTP      string                     // the address of the page in process 0; "" for none
	Announce  bool                       // process 0 lists the job, for pebbles ps and top
	Pprof     bool                       // the page also serves Go's profiles
	Trace     string                     // the file of the trace, as trace.Path takes it; "" for none
	Record    string                     // the folder of the record; "" for none
	Bound     int64                      // limit of one rank's memory for pebbles, in bytes
	Flight    *rtrace.FlightRecorder     // Go's, dumped beside the report; nil for none
	Log       *slog.Logger
}

// StallDefault is the default of Config.Stall.
const StallDefault = 30 * time.Second

// tick is the time between two looks.
const tick = time.Second

// Watcher watches the ranks of this process. In process 0 it watches all ranks.
type Watcher struct {
	config    Config
	started   time.Time
	outlets   outlets
	peers     peers
	place     netio.Place
	simulated bool // ranks run in turn with those of other processes, so they cannot be asked
	settings  func() map[string]string
	host      string
	over      chan struct{}
	running   sync.WaitGroup
	greeted   bool        // process 0 has the description of this process
	quit      atomic.Bool // a report is being written for a process that ends

	mu     sync.Mutex
	sight  *engine.Observer // nil before the ranks run
	ended  bool
	ranks  []progress // of this process
	stands standstill
}

// progress is the progress of a rank.
type progress struct {
	moved uint64
	still time.Duration
	spent state.Seconds // as sampled
}

var _ engine.Watcher = (*Watcher)(nil)

// New returns a watcher for one job. The page, the record and the trace are open until End.
func New(c Config, transport netio.Transport) (*Watcher, error) {
	if c.Program == "" {
		c.Program = filepath.Base(os.Args[0])
	}
	w := &Watcher{config: c, started: time.Now(), place: transport.Place(), over: make(chan struct{})}
	w.ranks = make([]progress, w.place.Last-w.place.First)
	w.settings = sync.OnceValue(c.Settings)
	w.host, _ = os.Hostname()
	w.peers.place, w.peers.answer = w.place, make(chan struct{})
	if w.place.Process == 0 {
		w.peers.others = make([]other, w.place.Processes)
	}
	_, w.simulated = transport.(netio.Runner)
	o := &w.outlets
	o.config, o.place, o.simulated, o.host, o.started = &w.config, w.place, w.simulated, w.host, w.started
	return w, o.open(w, w.skeleton(), transport)
}

// Begin implements [engine.Watcher].
func (w *Watcher) Begin(s *engine.Observer) {
	noter, ok := s.Transport().(netio.Noter)
	ok = ok && w.place.Processes > 1
	w.mu.Lock()
	w.sight = s
	if ok {
		w.peers.noter = noter
	}
	w.mu.Unlock()
	if ok {
		noter.Notes(w.noted)
	}
	current.Store(w)
	w.running.Go(w.run)
}

// Failing implements [engine.Watcher].
func (w *Watcher) Failing(cause error) error {
	w.aside(func() { w.outlets.failed(cause) }) // the disk may be slow
	if h, ok := cause.(interface{ Hangs() bool }); ok && h.Hangs() {
		verdict, _ := w.here(0).Conclude()
		return &hangError{cause, verdict}
	}
	return cause
}

// hangError adds the verdict to the error of a simulated job that hangs.
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
	w.outlets.second(w.here) // last second, and the only one of a short job
	w.outlets.tellCounters(w.here)
	if err := w.outlets.shut(); err != nil {
		w.config.Log.Warn("close the page of the job", "error", err)
	}
}

// run looks once a second, unless no outlet needs it.
func (w *Watcher) run() {
	if w.config.Stall <= 0 && !w.outlets.shown() {
		<-w.over
		return
	}
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var samples <-chan time.Time
	if w.outlets.shown() {
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
				w.outlets.drain()
			}
		case <-ticker.C:
			if w.look() {
				w.running.Go(w.stalled)
			}
			w.outlets.second(w.here)
			w.outlets.tellCounters(w.here)
		}
	}
}

// look measures the progress of the ranks of this process, and in process 0 of all ranks. It reports whether the job
// has just reached the limit of Config.Stall.
func (w *Watcher) look() (stalled bool) {
	mine := w.count()
	if w.place.Process != 0 {
		if !w.greeted {
			w.greeted = true
			w.state(false)
		}
		w.peers.send(0, note{Count: &mine})
		return false
	}
	all := w.peers.tick(mine)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stands.take(all, w.config.Stall)
}

// standsStill reports whether the job has stood still for the limit, and still does.
func (w *Watcher) standsStill() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stands.told
}

// count is the progress of the ranks of a process.
type count struct {
	Moved   uint64 `json:"moved"`
	Waiting int    `json:"waiting"` // ranks that wait, or are in a handler
}

// count measures the progress of the ranks of this process.
func (w *Watcher) count() (all count) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.ranks {
		moved, waits := w.sight.Progress(w.place.First + i)
		if !waits { // other ranks may wait for a handler that does not return
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

// stalled reports that the job stands still, unless it has moved while the report was made: ranks that get little of a
// busy machine may move after the limit.
func (w *Watcher) stalled() {
	report := w.Report()
	if !w.standsStill() {
		return
	}
	_ = report.Write(w.config.Out)
	w.outlets.dumpFlight()
	w.config.Log.Warn("the job stands still", "verdict", report.Verdict)
	if w.config.Stalled != nil {
		w.sight.Fail(w.config.Stalled(report.Verdict))
	}
}

// Trace returns the trace of a rank of this process; nil without one.
func (w *Watcher) Trace(rank int) *trace.Rank {
	if f := w.outlets.trace; f != nil {
		return f.Rank(rank)
	}
	return nil
}
