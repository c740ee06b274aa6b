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

// Config configures a job. The zero value serves: one rank for each core that the process may use, in memory, sending
// directly. All ranks of a job must be given equal configurations. A Config is copied when the job starts.
type Config struct {
	// Ranks is the number of ranks of the whole job if Transport is nil. 0 is the number that "pebbles run" or
	// PEBBLES_RANKS sets, or else one for each usable core, with at least one for each process. A number that differs
	// from the launcher's is an error. A number that exceeds memory, at 64 KiB a rank, is refused before anything is
	// allocated.
	Ranks int
	// Alone allows a job of this process alone, even if a launcher has started several processes: each then runs its
	// own job. PEBBLES_ALONE=1 in the environment does the same. Otherwise Run returns an error in such a process, and
	// RunLaunched and Main join the common job. Alone does not keep them from joining a job of "pebbles run".
	Alone bool
	// Transport connects the job's processes. nil keeps the job in this process. Run closes it.
	Transport netio.Transport
	// Via names the transport between the processes of a job under a launcher, if Transport is nil: "shm", "tcp", "ofi"
	// or "auto". "ofi" is libfabric; the program must import netio/ofi. "auto" is shared memory within each host;
	// between hosts it is libfabric if a device supports it, else TCP. "ofi:verbs" names a provider of libfabric. The
	// prefix "tls+" encrypts all connections over TCP, and excludes libfabric. "" is the launcher's setting, or else
	// "auto"; a job that the launcher encrypts stays encrypted.
	Via string
	// Connect sets when the processes of a job under a launcher connect with each other: "all" at the start, or "need",
	// with neighbours at the start and with others at the first frame between them. "" is the launcher's setting, or
	// else "need" above 64 processes.
	Connect string

	// Topology routes the pebbles of targets that set no topology. nil is route.Direct.
	Topology route.Constructor
	// Coalesce is the coalescing factor, in pebbles per buffer, of targets that set none. 0 is 1,024, or the number
	// that 128 KiB hold if that is less.
	Coalesce int
	// Cache is the size of the reduction cache, in entries, of targets that have a reduction and set no size. 0 is
	// none.
	Cache int
	// AddressCache is the number of addresses of arrays and objects of other processes that a process keeps: see
	// package memory. 0 is 100; negative is none. More than 1,000 are refused.
	AddressCache int
	// PageCache is the maximum memory for copies and twins of shared pages of a rank, in bytes: see package pages. 0 is
	// PageCacheDefault.
	PageCache int64
	// Due is the time that a pebble may wait in a buffer while its rank keeps sending. After it, the buffer leaves at
	// the next send that reads the clock, at most 1,024 pebbles later. A rank that waits sends its buffers at once. In
	// a reduction cache that joins pebbles, a pebble may wait 100 times as long. 0 is 1 ms; negative is never.
	Due time.Duration

	// Period is TRAM's periodic dispatch: a rank that has neither sent nor received for this time sends all its buffers
	// when it next reads the clock, at a send, a Poll or a wait. 0 is never: Due and the flush of idle ranks serve most
	// programs.
	Period time.Duration

	// Termination makes the detector that ends epochs. nil is termination.Auto, which selects by declared depth and
	// topology.
	Termination termination.Maker

	// Credits is the number of frames that a rank may have in flight to each neighbour of each target: handed to the
	// transport, but not yet handled by the receiver. It bounds the frames that pile up at a slow rank. 0 is the number
	// of full buffers that 512 KiB hold, at least 8 and at most 128 ([Config.CreditsFor]). More than 2^24 are refused.
	Credits int

	// Tuning, if not nil, selects the settings that the job changes while it runs.
	Tuning *Tuning

	// BufferBudget is the size of the frames in flight, in bytes, at which a send from the main function waits. 0 is 1
	// MiB. The maximum is half of MemoryLimit; a larger value is reduced to it. One frame may always be in flight.
	BufferBudget int64
	// MemoryLimit is the maximum size of a rank's frames, queues and reduction caches, in bytes; beyond it, the job
	// fails with a [LimitError]. 0 is half of the memory that is available when the job starts, divided by the ranks of
	// the process.
	MemoryLimit int64

	// Explain, if not nil, is called on rank 0 with the plan of an epoch instead of running that epoch: the first of
	// the job, or the one that ExplainMarked selects. A job without such an epoch fails at its end. If this process
	// alone runs a job of more than 1,024 ranks, then only rank 0 runs. Its collectives return as if all other ranks
	// had given its value, and it can't run epochs before the one that is explained.
	Explain func(Explanation)
	// ExplainMarked runs the first epochs as preparation, and explains the one that [Rank.ExplainNext] or [Measure]
	// marks.
	ExplainMarked bool

	// Grace is the time that a program under [Main] may go on after SIGTERM, which schedulers send before a preemption.
	// Rank.Preempted notifies the program, which then ends in order. The job fails when the time is over, at a second
	// SIGTERM, and at SIGINT. Give less time than the scheduler leaves before it kills. 0 is none: SIGTERM ends the job
	// at once; with Checkpoints it is 25 s. SIGUSR1 is a notice too, after which the job may go on until SIGTERM.
	Grace time.Duration

	// Checkpoints sets where and when the program saves its state.
	Checkpoints Checkpoints

	// Watch configures the observation of the job.
	Watch Watch

	// Log receives the runtime's messages other than errors. nil discards them.
	Log *slog.Logger

	started started
	found   found
}

// found holds settings that complete derives from those left open.
type found struct {
	factorFree bool // no coalescing factor was given
	lone       bool // only rank 0 exists, in a job that is explained
}

// started is the context that Main and RunLaunched give a job.
type started struct {
	job       string          // its id; "" if this process is alone
	saved     func()          // notifies the launcher of a checkpoint; nil for none
	preempted <-chan struct{} // closed by SIGTERM or SIGUSR1; nil without a grace
}

// AddressCacheDefault is the default number of addresses that a process keeps (XLUPC, section 4.5).
const AddressCacheDefault = 100

// PageCacheDefault is the default memory for copies and twins of shared pages of a rank, in bytes.
const PageCacheDefault = 64 << 20

const (
	dueDefault    = time.Millisecond
	budgetDefault = 1 << 20
	creditsLimit  = 1 << 24 // limit of Config.Credits

	explainedTogether = 1024 // ranks that all run in an explained job; with more, only rank 0 runs
	explainedBytes    = 256  // maximum memory of rank 0 for each other rank
)

// complete checks c and returns it with its defaults filled in.
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

// memoryOf returns the memory that a process may use, of this machine or of the simulated one, in bytes.
func memoryOf(t netio.Transport) int64 {
	if r, ok := t.(netio.Runner); ok {
		return r.Memory()
	}
	return cpu.MemoryAvailable()
}

// CreditsFor returns the number of frames of the given size in bytes that a link may have in flight.
func (c Config) CreditsFor(frameBytes int) int {
	if c.Credits > 0 {
		return c.Credits
	}
	return coalesce.CreditsDefault(frameBytes)
}

// engine converts a complete configuration to the engine's form.
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
		e.FactorFree = e.FactorFree && !t.Coalesce // a chooser begins with a number
		e.Tuning = &engine.Tuning{May: engine.Tunes{Topology: t.Topology, Coalesce: t.Coalesce, Cache: t.Cache},
			Tuner: tuner}
	}
	if c.Explain != nil {
		e.Explain, e.ExplainMarked = c.explain, c.ExplainMarked
	}
	return e
}
