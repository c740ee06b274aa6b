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
	FactorFree  bool // nobody has asked for a coalescing factor: each target has what suits its pebbles
	Cache       int
	Period      time.Duration
	Lone        bool // rank 0 alone is there: the next epoch is explained, and collectives are as if all gave the same
	Termination termination.Maker
	Tuning      *Tuning
	Log         *slog.Logger

	// Explain runs instead of an epoch that is to be explained. Its error is the epoch's.
	Explain func(r *Rank, depth int) error
	// ExplainMarked says that the epoch behind ExplainNext is to be explained, and not the first one.
	ExplainMarked bool
	Described     func()                     // is called when a rank describes a checkpoint
	Saved         func()                     // tells the launcher of a checkpoint; nil for none
	Watcher       Watcher                    // nil for none
	Labels        bool                       // goroutines carry what they run as labels, for profiles
	Trace         func(rank int) *trace.Rank // where a rank of this process writes its trace; nil for nowhere
}
