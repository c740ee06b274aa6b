package pebble

import (
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
	"github.com/activepebbles/pebbles/tune"
)

// Config says how a job runs. The zero value serves: one rank for each core that the process may use, in memory,
// sending directly. All ranks of a job must be given equal configurations. A Config is copied when the job starts.
type Config struct {
	// Ranks is the number of ranks of the whole job, when Transport is nil. 0 is one for each usable core and at
	// least one for each process, whoever starts them, or what "pebbles run" or PEBBLES_RANKS says; another number than
	// that is an error. More than memory has room for, at 64 KiB a rank, are refused before anything is allocated.
	Ranks int
	// Alone lets a job of this process alone run while the process is one of several that a launcher has started: each
	// has a job of its own then. So does PEBBLES_ALONE=1 in the environment. Otherwise Run refuses when it sees that,
	// and RunLaunched and Main join the job of all. It does not keep these from joining a job of "pebbles run".
	Alone bool
	// Transport connects the job's processes. nil keeps the job in this process. Run closes it.
	Transport netio.Transport
	// Via is what connects the processes of a job under a launcher, when Transport is nil: "shm", "tcp", "ofi", which
	// is libfabric and needs a program that imports netio/ofi, or "auto", which is shared memory within each host, and
	// between hosts libfabric where there is a device for it, else TCP. "ofi:verbs" names a provider of libfabric. "tls+"
	// before one of them encrypts all connections over TCP, and leaves libfabric out. "" is what the launcher was told,
	// or else "auto"; a job that the launcher encrypts stays encrypted.
	Via string
	// Connect is when the processes of a job under a launcher connect with each other: "all" at the start, or at "need",
	// which is with neighbours at the start and with others at the first frame between them. "" is what the launcher was
	// told, or else "need" above 64 processes.
	Connect string

	// Topology is how pebbles travel, for targets that don't say otherwise. nil is route.Direct.
	Topology route.Constructor
	// Coalesce is the coalescing factor, in pebbles a buffer, for targets that don't say otherwise. 0 is 1,024, or as
	// many as 128 KiB hold, where that is fewer.
	Coalesce int
	// Cache is the size of the reduction cache, in entries, for targets that have a reduction and don't say otherwise.
	// 0 is none.
	Cache int
	// AddressCache is how many addresses of arrays and objects of other processes a process keeps: see package memory.
	// 0 is 100; negative is none. More than 1,000 are refused.
	AddressCache int
	// PageCache is how many bytes of copies and twins of shared pages a rank keeps at most: see package pages. 0 is
	// PageCacheDefault.
	PageCache int64
	// Due is how long a pebble may wait in a buffer while its rank keeps sending: after it, the buffer leaves at the
	// next send at which the rank looks at the clock, at the latest 1,024 pebbles on. A rank that waits sends its
	// buffers at once. In a reduction cache that joins pebbles one may wait 100 times as long. 0 is 1 ms; negative is
	// never.
	Due time.Duration

	// Period is TRAM's periodic dispatch: a rank that has neither sent nor received anything for so long sends all its
	// buffers, the next time that it looks at the clock: at a send, a Poll or a wait. 0 is never: Due and the flush of
	// idle ranks serve most programs.
	Period time.Duration

	// Termination makes the detector that ends epochs. nil is termination.Auto, which picks by the declared depth and
	// the topology.
	Termination termination.Maker

	// Credits is how many frames a rank may have in flight to each neighbour of each target: handed to the transport
	// and not yet handled by their receiver. It bounds what others can pile up at a slow rank. 0 is as many full
	// buffers as 512 KiB hold, at least 8 and at most 128 ([Config.CreditsFor]). More than 2^24 are refused.
	Credits int

	// Tuning, when not nil, says what the job changes of itself while it runs.
	Tuning *Tuning

	// BufferBudget is how many bytes of frames a rank may have in flight before a send from the main function waits. 0
	// is 1 MiB. It is half of MemoryLimit at the most; what is more counts as that. One frame may always be in flight.
	BufferBudget int64
	// MemoryLimit is how many bytes of frames, queues and reduction caches a rank may hold before the job fails with a
	// [LimitError]. 0 is half of the memory that is available when the job starts, shared among the ranks of the
	// process.
	MemoryLimit int64

	// Explain, when not nil, is told on rank 0 what an epoch would do, in place of running it: the first one of the job,
	// or the one that ExplainMarked asks for. A job that ends without it fails. Of a job of more than 1,024 ranks of this
	// process alone rank 0 runs, and what collectives return is as if all other ranks had given what it gave; it can't run
	// epochs before the one that is explained.
	Explain func(Explanation)
	// ExplainMarked says that the first epochs prepare: they run, and the one is explained that [Rank.ExplainNext] or
	// [Measure] marks.
	ExplainMarked bool

	// Grace is how long a program under [Main] may go on after SIGTERM, which schedulers send ahead of a preemption:
	// Rank.Preempted tells the program, which then ends in order; the job fails when the time is over, at a second
	// SIGTERM, and at SIGINT. Give less than the scheduler does before it kills. 0 is none, and SIGTERM ends the job at
	// once; with Checkpoints it is 25 s. SIGUSR1 is a notice too, after which the job may go on until SIGTERM.
	Grace time.Duration

	// Checkpoints says where the program saves its state, and when.
	Checkpoints Checkpoints

	// Watch says how the job is watched.
	Watch Watch

	// Log receives what the runtime has to tell beyond errors. nil is silence.
	Log *slog.Logger

	started started
	found   found
}

// found is what the configuration leaves open, and complete has found.
type found struct {
	factorFree bool // nobody has asked for a coalescing factor
	lone       bool // rank 0 alone is there, for a job that is explained
}

// started is what Main and RunLaunched know of the job.
type started struct {
	job       string          // its id; "" when this process is alone
	saved     func()          // tells the launcher of a checkpoint; nil for none
	preempted <-chan struct{} // closed by SIGTERM or SIGUSR1; nil when there is no grace
}

// AddressCacheDefault is how many addresses a process keeps when it is not told (XLUPC, section 4.5).
const AddressCacheDefault = 100

// PageCacheDefault is how many bytes of copies and twins of shared pages a rank keeps when it is not told.
const PageCacheDefault = 64 << 20

const (
	dueDefault    = time.Millisecond
	budgetDefault = 1 << 20
	creditsLimit  = 1 << 24 // frames of credit that can be asked for

	explainedTogether = 1024 // up to so many ranks, all ranks of a job that is explained are there; beyond, rank 0 alone
	explainedBytes    = 256  // that rank 0 takes for each of the others, at most
)

// complete checks c, and returns it with its defaults filled in.
func (c Config) complete() (Config, error) {
	switch {
	case c.Ranks < 0:
		return c, fmt.Errorf("pebble: config: %d ranks: a job has at least one, or 0 for one a core", c.Ranks)
	case c.Coalesce < 0:
		return c, fmt.Errorf("pebble: config: coalescing factor %d: a buffer holds at least one pebble, or 0 for "+
			"the default", c.Coalesce)
	case c.Cache < 0:
		return c, fmt.Errorf("pebble: config: cache of %d entries: give a positive number, or 0 for none", c.Cache)
	case c.AddressCache > values.AddressCacheMax:
		return c, fmt.Errorf("pebble: config: %w", values.CheckAddressCache(c.AddressCache))
	case c.PageCache < 0:
		return c, fmt.Errorf("pebble: config: page cache of %d bytes: give a positive number, or 0 for the default",
			c.PageCache)
	case c.Credits < 0:
		return c, fmt.Errorf("pebble: config: %d frames of credit: a link needs at least one, or 0 for the default",
			c.Credits)
	case c.BufferBudget < 0 || c.MemoryLimit < 0:
		return c, fmt.Errorf("pebble: config: buffer budget %d, memory limit %d: give positive numbers of bytes, "+
			"or 0 for the defaults",
			c.BufferBudget, c.MemoryLimit)
	case c.Grace < 0:
		return c, fmt.Errorf("pebble: config: a grace of %v: give the time that the program may take to end after "+
			"SIGTERM, or 0 for none", c.Grace)
	case c.Coalesce > netio.FrameBytesMax:
		return c, fmt.Errorf("pebble: config: a coalescing factor of %d is too large: a frame holds %d bytes at "+
			"the most, and a pebble has at least one", c.Coalesce, netio.FrameBytesMax)
	case c.Credits > creditsLimit:
		return c, fmt.Errorf("pebble: config: %d frames of credit are too many: give at most %d", c.Credits,
			creditsLimit)
	}
	if err := c.Checkpoints.check(); err != nil {
		return c, fmt.Errorf("pebble: config: %w", err)
	}
	if _, simulated := c.Transport.(netio.Runner); c.Transport == nil || simulated { // a job of this process alone
		if err := launch.CheckAlone(c.Alone); err != nil {
			return c, fmt.Errorf("pebble: run: %w", err)
		}
	}
	if c.Transport == nil {
		if c.Ranks == 0 {
			c.Ranks = runtime.GOMAXPROCS(0)
		}
		c.found.lone = c.Explain != nil && c.Ranks > explainedTogether
		each := int64(netio.RankBytes)
		if c.found.lone {
			each = explainedBytes
		}
		if err := cpu.CheckMemory(c.Ranks, "ranks", each, cpu.MemoryAvailable()); err != nil {
			return c, fmt.Errorf("pebble: config: %w: use fewer ranks", err)
		}
		if c.found.lone {
			c.Transport = mem.NewLone(c.Ranks)
		} else {
			c.Transport = mem.New(c.Ranks)
		}
	}
	place := c.Transport.Place()
	if c.Ranks != 0 && c.Ranks != place.Ranks {
		return c, fmt.Errorf("pebble: config: %d ranks, but the transport connects %d", c.Ranks, place.Ranks)
	}
	c.Ranks = place.Ranks
	if c.Topology == nil {
		c.Topology = route.Direct
	}
	if c.Coalesce == 0 {
		c.Coalesce, c.found.factorFree = coalesce.FactorDefault, true
	}
	if c.PageCache == 0 {
		c.PageCache = PageCacheDefault
	}
	if c.AddressCache == 0 {
		c.AddressCache = AddressCacheDefault
	}
	if c.Due == 0 {
		c.Due = dueDefault
	}
	if c.Checkpoints.Every == 0 {
		c.Checkpoints.Every = checkpointsEvery
	}
	if c.Termination == nil {
		c.Termination = termination.Auto
	}
	if c.BufferBudget == 0 {
		c.BufferBudget = budgetDefault
	}
	if c.MemoryLimit == 0 {
		here := place.Last - place.First
		if c.found.lone {
			here = c.Ranks
		}
		c.MemoryLimit = memoryOf(c.Transport) / 2 / int64(here)
	}
	if int64(c.Cache) > c.MemoryLimit {
		return c, fmt.Errorf("pebble: config: a cache of %d entries needs more than the %d bytes of the memory "+
			"limit: ask for a smaller cache, "+
			"or raise the limit", c.Cache, c.MemoryLimit)
	}
	c.BufferBudget = min(c.BufferBudget, max(1, c.MemoryLimit/2))
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// memoryOf is how much memory a process may use: of this machine, or of the one that is simulated.
func memoryOf(t netio.Transport) int64 {
	if r, ok := t.(netio.Runner); ok {
		return r.Memory()
	}
	return cpu.MemoryAvailable()
}

// CreditsFor is how many frames of so many bytes a link may have in flight.
func (c Config) CreditsFor(frameBytes int) int {
	if c.Credits > 0 {
		return c.Credits
	}
	return coalesce.CreditsDefault(frameBytes)
}

// engine is a complete configuration as the engine takes it.
func (c *Config) engine(tuner *tune.Schedule) engine.Config {
	e := engine.Config{
		Options: coalesce.Options{
			Credits: c.CreditsFor, Due: c.Due, BufferBudget: c.BufferBudget, MemoryLimit: c.MemoryLimit,
		},
		Transport: c.Transport, Topology: c.Topology, Termination: c.Termination,
		Coalesce: c.Coalesce, Cache: c.Cache, Period: c.Period, Lone: c.found.lone,
		Log: c.Log,
	}
	e.FactorFree, e.Saved = c.found.factorFree, c.started.saved
	if t := c.Tuning; t != nil {
		e.FactorFree = e.FactorFree && !t.Coalesce // who chooses begins with a number
		e.Tuning = &engine.Tuning{May: engine.Tunes{Topology: t.Topology, Coalesce: t.Coalesce, Cache: t.Cache},
			Tuner: tuner}
	}
	if c.Explain != nil {
		e.Explain, e.ExplainMarked = c.explain, c.ExplainMarked
	}
	return e
}
