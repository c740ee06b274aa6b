package engine

import (
	"log/slog"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/watch/trace"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// Config is a job's configuration with its defaults filled in. Package pebble documents the fields.
type Config struct {
	coalesce.Options
	Transport   netio.Transport
	Topology    route.Constructor
	Coalesce    int
	FactorFree  bool // no coalescing factor was given: each target has the default for its pebbles
	Cache       int
	Period      time.Duration
	Lone        bool // rank 0 runs alone: the next epoch is explained; collectives act as if all gave the same
	Termination termination.Maker
	Tuning      *Tuning
	Log         *slog.Logger

	// Explain runs instead of an epoch that is explained. Its error is the epoch's.
	Explain func(r *Rank, depth int) error
	// ExplainMarked explains the epoch after ExplainNext instead of the first one.
	ExplainMarked bool
	Described     func()                     // called when a rank describes a checkpoint
	Saved         func()                     // notifies the launcher of a checkpoint; nil for none
	Watcher       Watcher                    // nil for none
	Labels        bool                       // goroutines carry labels for profiles
	Trace         func(rank int) *trace.Rank // makes the trace of a rank of this process; nil for none
}
