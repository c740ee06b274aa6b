package appstest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// patience is when a job of a test is given up: it is no part of any promise.
const patience = 3 * time.Minute

// Shape is one shape of the synthetic network, with everything that a job needs.
type Shape struct {
	Ranks        int
	Procs        int    // processes; above 1 only with shm and tcp
	Transport    string // "mem", "shm" or "tcp"
	Topology     string // the name of New
	New          route.Constructor
	Coalesce     int
	Cache        int
	AddressCache int   // entries; 0 is the default, negative is none
	Budget       int64 // bytes of frames in flight; 0 is the default

	Termination string // the detector's name; "" is the default
	Credits     int    // frames in flight on each link; 0 is the default
	Tuning      *pebble.Tuning
}

// String is a name for a subtest.
func (s Shape) String() string {
	return fmt.Sprintf("%s procs=%d ranks=%d %s coalesce=%d cache=%d %s credits=%d",
		s.Transport, s.Procs, s.Ranks, s.Topology, s.Coalesce, s.Cache, s.Termination, s.Credits)
}

// Config is the job's configuration, without a transport.
func (s Shape) Config() pebble.Config {
	c := pebble.Config{
		Ranks: s.Ranks, Topology: s.New, Coalesce: s.Coalesce, Cache: s.Cache, AddressCache: s.AddressCache, BufferBudget: s.Budget,
		Credits: s.Credits, Tuning: s.Tuning,
	}
	if s.Termination != "" {
		detector, err := termination.ByName(s.Termination)
		if err != nil {
			panic(err)
		}
		c.Termination = detector
	}
	return c
}

// Run runs f on every rank of one job of this shape, and returns its errors, those of all processes joined. With shm
// and tcp the job's processes share this one, and meet over loopback. It ends within about a minute, whatever f does to
// the job.
func (s Shape) Run(t testing.TB, f func(r *pebble.Rank) error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if s.Transport == "mem" {
		return pebble.Run(ctx, s.Config(), f)
	}
	transports, err := dial(ctx, s.Transport, s.Ranks, s.Procs)
	if err != nil {
		return err
	}
	errs := make([]error, len(transports))
	var running sync.WaitGroup
	for i, transport := range transports {
		running.Go(func() {
			c := s.Config()
			c.Transport = transport
			errs[i] = pebble.Run(ctx, c, f)
		})
	}
	running.Wait()
	return errors.Join(errs...)
}
