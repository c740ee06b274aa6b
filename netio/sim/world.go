package sim

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/netio"
)

// Config describes a simulated job. The same program runs identically in Worlds with the same Config.
type Config struct {
	Ranks     int     // 64 KiB each must fit in memory
	Processes int     // 0: from the network's ranks per process
	Network   Network // the zero value is Machines["flat"]
	Seed      uint64  // for faults, and for the order of simultaneous events
	Faults    Faults
	Memory    int64         // bytes for a rank's pebbles unless the program sets a limit; 0 is 256 MiB
	TimeLimit time.Duration // of virtual time; 0 means no limit
	TurnLimit uint64        // of ranks' turns and events; 0 means no limit
	// CountFrom is the first number of frames, epochs (in 32 bits) and collectives. Set it just below a wrap for a
	// test.
	CountFrom uint64
}

const memoryDefault = 256 << 20

// Check returns an error that describes the first invalid field of c.
func (c Config) Check() error {
	c = c.withDefaults()
	switch {
	case c.Ranks < 1:
		return fmt.Errorf("sim: %d ranks: a job has at least one", c.Ranks)
	case c.Processes < 1 || c.Processes > c.Ranks:
		return fmt.Errorf("sim: %d processes for %d ranks: each process has at least one rank", c.Processes, c.Ranks)
	case c.Memory < 0 || c.TimeLimit < 0:
		return fmt.Errorf("sim: memory %d, time limit %v: give positive numbers, or 0 for the defaults",
			c.Memory, c.TimeLimit)
	}
	if err := cpu.CheckMemory(c.Ranks, "simulated ranks", netio.RankBytes, cpu.MemoryAvailable()); err != nil {
		return fmt.Errorf("sim: %w: simulate fewer", err)
	}
	return errors.Join(c.Network.Check(), c.Faults.check(c.Processes))
}

func (c Config) withDefaults() Config {
	if c.Network == (Network{}) {
		c.Network = Machines["flat"]
	}
	if c.Processes == 0 {
		each := max(1, c.Network.RanksPerProcess)
		c.Processes = (c.Ranks + each - 1) / each
	}
	if c.Memory == 0 {
		c.Memory = memoryDefault
	}
	return c
}

// World is one simulated job: its processes, their ranks, the network between them, and its clock. One rank runs at a
// time, on its own coroutine, until its clock is so far ahead that another rank could still send it something earlier.
type World struct {
	config    Config
	layout    layout
	charges   charges
	cores     allCores
	links     links
	faults    injector
	processes []*Process
	ranks     []rank

	// mu guards all fields below. Ranks take it, and so do other goroutines that release frames or wake ranks.
	mu          sync.Mutex
	queue       queue
	agenda      agenda
	now         instant
	running     *rank        // rank that has the turn; nil between turns
	arrived     int          // processes that have called Run or Close
	alive       int          // ranks that have not ended
	dead        int          // those of them whose process has died
	aborted     bool         // all processes have been or will be notified of the job's failure
	failedFirst int          // process that failed first; -1 for none
	stalled     bool         // a hang was reported
	unreleased  netio.Frames // to be released when the world is unlocked
	exposure    exposure
	stats       Stats
	done        chan struct{} // closed when all ranks have ended
	outside     chan struct{} // capacity 1: a goroutine outside has woken a rank or released a frame
	progress    atomic.Uint64 // turns, read by goroutines that wait for the end
}

// New makes a World. It takes some hundred bytes per rank, and more as the ranks need it.
func New(c Config) (*World, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	reserve(c.Ranks)
	w := &World{
		config: c, layout: newLayout(c.Ranks, c.Processes, c.Network.ProcessesPerHost), ranks: make([]rank, c.Ranks),
		failedFirst: -1, queue: newQueue(c.Ranks), done: make(chan struct{}), outside: make(chan struct{}, 1),
	}
	w.charges = newCharges(c.Network, &w.layout)
	w.cores = newCores(c.Network.Cores, &w.layout, &w.queue)
	hosts := w.layout.hosts()
	w.links = links{&w.layout, &w.charges, newFabric(c.Network.Fabric, hosts), make([]traffic, hosts), &w.stats}
	for i := range c.Processes {
		w.processes = append(w.processes, &Process{world: w, place: w.layout.of(i)})
	}
	for id := range w.ranks {
		w.ranks[id].open(w, id)
	}
	w.alive = c.Ranks
	w.faults.prepare(w)
	return w, nil
}

// Each calls run for each process on its own goroutine, and returns when all calls have returned. It returns the error
// of the process that failed first, or else of the lowest process that has one. It replaces the launcher of real
// processes.
func (w *World) Each(run func(netio.Transport) error) error {
	errs := make([]error, len(w.processes))
	var running sync.WaitGroup
	for i, p := range w.processes {
		running.Go(func() { errs[i] = run(p) })
	}
	running.Wait()
	return w.firstError(errs)
}

// firstError selects the most useful error: that of the first failed process, unless it only reports another one's end.
func (w *World) firstError(errs []error) (found error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failedFirst > 0 {
		errs = append([]error{errs[w.failedFirst]}, errs...)
	}
	for _, err := range errs {
		switch {
		case err == nil:
		case errors.Is(err, ErrDied) || errors.Is(err, netio.ErrFinished):
			found = err
		default:
			return err
		}
	}
	return found
}

// Stats returns the network's counters. Call it after all processes have returned.
func (w *World) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.stats
	for i := range w.ranks {
		s.Seconds = max(s.Seconds, float64(w.ranks[i].clock)/1e12)
	}
	return s
}

// Stats are the counters of a simulated network.
type Stats struct {
	Seconds float64 `json:"seconds"` // of virtual time, until the last rank ended
	Turns   uint64  `json:"turns"`   // turns of ranks, and events
	Frames  uint64  `json:"frames"`  // data and control frames, including those within a process
	Bytes   uint64  `json:"bytes"`   // of their payloads

	WithinProcess uint64 `json:"frames_within_process"`
	WithinHost    uint64 `json:"frames_within_host"`
	BetweenHosts  uint64 `json:"frames_between_hosts"`

	Delayed    uint64 `json:"delayed"`
	Lost       uint64 `json:"lost"`
	Duplicated uint64 `json:"duplicated"`
	Corrupted  uint64 `json:"corrupted"`
}

// mix hashes two numbers with SplitMix64.
func mix(seed, n uint64) uint64 {
	z := seed + (n+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
