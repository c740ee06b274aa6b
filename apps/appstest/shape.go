// Package appstest runs a test of an application of Active Pebbles for Go over every shape of the synthetic network:
// transports, topologies, coalescing factors, cache sizes and numbers of ranks. Results must not depend on the shape
// (promise 6 of docs/contract.md), so one test body with one expected result serves all.
package appstest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/netio/tcp"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// patience is the time limit of a job of a test. It is not part of any promise.
const patience = 3 * time.Minute

// Shape is one shape of the synthetic network, with all settings of a job.
type Shape struct {
	Ranks        int
	Procs        int    // processes; 1 with mem
	Transport    string // "mem", "sim", "shm" or "tcp"
	Topology     string // the name of New
	New          route.Constructor
	Coalesce     int
	Cache        int
	AddressCache int   // entries; 0 means the default, negative means none
	Budget       int64 // bytes of frames in flight; 0 means the default

	Termination string // name of the detector; "" means the default
	Credits     int    // frames in flight on each link; 0 means the default
	Tuning      *pebble.Tuning
	Checkpoints pebble.Checkpoints
	Team        bool // the ranks are a team of a job with twice as many; see half
	Unwatched   bool // no watch for stalls, which allocates memory once a second
}

// Mem returns a shape of a number of ranks in this process.
func Mem(ranks int) Shape {
	return Shape{Ranks: ranks, Procs: 1, Transport: "mem", New: route.Direct, Topology: "direct"}
}

// Few runs body for a few shapes over all transports, each as a subtest.
func Few(t *testing.T, body func(t *testing.T, s Shape)) {
	for _, s := range []Shape{
		Mem(1),
		{Ranks: 3, Procs: 1, Transport: "mem", New: route.Hypercube},
		{Ranks: 3, Procs: 2, Transport: "shm", New: route.Direct},
		{Ranks: 4, Procs: 2, Transport: "tcp", New: route.Direct},
	} {
		t.Run(fmt.Sprintf("%d ranks over %s", s.Ranks, s.Transport), func(t *testing.T) { body(t, s) })
	}
}

// String returns a name for a subtest.
func (s Shape) String() string {
	return fmt.Sprintf("%s procs=%d ranks=%d %s coalesce=%d cache=%d %s credits=%d",
		s.Transport, s.Procs, s.Ranks, s.Topology, s.Coalesce, s.Cache, s.Termination, s.Credits)
}

// Config returns the job's configuration, without a transport.
func (s Shape) Config() pebble.Config {
	c := pebble.Config{
		Watch: pebble.Watch{Stall: map[bool]time.Duration{true: -1}[s.Unwatched]},
		Ranks: s.Ranks, Topology: s.New, Coalesce: s.Coalesce, Cache: s.Cache, AddressCache: s.AddressCache,
		BufferBudget: s.Budget,
		Credits:      s.Credits, Tuning: s.Tuning, Checkpoints: s.Checkpoints,
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

// Run runs f on every rank of one job of this shape, and returns the joined errors of all processes. With shm and tcp
// the job's processes share this one, and connect over loopback. With sim they are simulated, with faults. It ends
// within patience, and the time that PEBBLES_SOAK sets, whatever f does to the job.
func (s Shape) Run(t testing.TB, f func(r *pebble.Rank) error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience+soakTime())
	defer cancel()
	if s.Team || onTeams {
		s.Ranks, f = 2*s.Ranks, half(f)
	}
	switch s.Transport {
	case "mem":
		return pebble.Run(ctx, s.Config(), f)
	case "sim":
		return s.simulate(ctx, seeds.Of(t), f)
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

func (s Shape) simulate(ctx context.Context, seed uint64, f func(r *pebble.Rank) error) error {
	w, err := sim.New(sim.Config{
		Ranks: s.Ranks, Processes: s.Procs, Seed: seed, Faults: sim.Faults{Delay: 0.1, Double: 0.1},
	})
	if err != nil {
		return err
	}
	return w.Each(func(p netio.Transport) error {
		c := s.Config()
		c.Transport = p
		return pebble.Run(ctx, c, f)
	})
}

// dial connects the processes of a job over loopback. All of them are this process.
func dial(ctx context.Context, name string, ranks, procs int) ([]netio.Transport, error) {
	configs, err := configure(ranks, procs)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	transports, errs := make([]netio.Transport, procs), make([]error, procs)
	var running sync.WaitGroup
	for i, c := range configs {
		running.Go(func() {
			t, err := connect.Dial(ctx, c, name)
			if err != nil {
				errs[i] = fmt.Errorf("dial as process %d: %w", i, err)
				cancel() // the others would wait for this one
				return
			}
			transports[i] = t
		})
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, closeAll(transports))
	}
	return transports, nil
}

func configure(ranks, procs int) ([]tcp.Config, error) {
	secret := make([]byte, 32)
	rand.Read(secret)
	listeners, addresses := make([]net.Listener, procs), make([]string, procs)
	for i := range procs {
		l, err := tcp.Listen("")
		if err != nil {
			return nil, fmt.Errorf("listen as process %d: %w", i, err)
		}
		listeners[i], addresses[i] = l, l.Addr().String()
	}
	configs := make([]tcp.Config, procs)
	for i := range configs {
		configs[i] = tcp.Config{
			Job: "appstest", Secret: secret, Place: netio.PlaceOf(ranks, procs, i), Listener: listeners[i], Addresses: addresses,
		}
		configs[i].Identity.Build = "appstest"
	}
	return configs, nil
}

// closeAll closes the transports. Each waits for the others' goodbyes, so it closes all at once.
func closeAll(transports []netio.Transport) error {
	errs := make([]error, len(transports))
	var running sync.WaitGroup
	for i, t := range transports {
		if t != nil {
			running.Go(func() { t.Abort("another process could not start"); errs[i] = t.Close() })
		}
	}
	running.Wait()
	return errors.Join(errs...)
}
