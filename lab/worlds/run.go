package worlds

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

const (
	timeMost  = 10 * time.Second // of virtual time; faults may take seconds
	delayMost = 20_000           // nanoseconds
	silence   = 200_000_000      // nanoseconds
)

// Outcome is the result of a world without mistakes.
type Outcome struct {
	Failed  bool // with an error that its faults explain
	Resumed bool // a job continued from another job's checkpoint
	Crossed int  // connections that both ends have dialled
	Pebbles int
	Stats   sim.Stats
}

// Run runs a world, and returns an error if it finds a mistake.
func (w World) Run() (Outcome, error) {
	if err := w.check(); err != nil {
		return Outcome{}, err
	}
	if w.Posts > 0 {
		return w.connect()
	}
	t := w.twin()
	if w.Again == 0 {
		return w.run(t, w.Ranks, nil)
	}
	return w.runAgain(t)
}

// run runs one job of a world with the given number of main functions. It saves its state unless in is nil.
func (w World) run(t twin, senders int, in *saved) (Outcome, error) {
	config, err := w.config()
	if err != nil {
		return Outcome{}, err
	}
	if in != nil {
		config.Checkpoints = pebble.Checkpoints{Folder: in.folder, Every: -1}
	}
	tried := judged{w, t}
	simulation := w.simulation()
	simulation.TurnLimit = tried.turns()
	simulated, err := sim.New(simulation)
	if err != nil {
		return Outcome{}, err
	}
	config.MemoryLimit = tried.memory(config)
	ends := make([]end, w.Ranks)
	spare := w.spare()
	err = simulated.Each(func(tr netio.Transport) error {
		c := config
		c.Transport = tr
		return pebble.Run(context.Background(), c, func(r *pebble.Rank) error {
			p := newProgram(&w, r, spare)
			e := &ends[r.ID()]
			p.senders = senders
			p.openArrays()
			next, err := p.openCheckpoint(in)
			if err != nil {
				return err
			}
			for i, want := range t.after[next:] {
				i += next
				err := p.save(i)
				if err == nil {
					err = p.epoch(i, want)
				}
				if err == nil {
					err = p.compareArrays(i, t.sums[i])
				}
				if err != nil {
					return err
				}
				e.owned = append(e.owned, p.owned())
				if p.tasks != nil {
					e.ledgers = append(e.ledgers, p.tasks.clone())
				}
			}
			e.counters, e.memory, e.moves, e.asked = r.Counters(), r.Memory(), p.pebbles, p.asked()
			return p.compareKept(t)
		})
	})
	o := Outcome{Pebbles: t.pebbles, Stats: simulated.Stats()}
	if err != nil {
		o.Failed = true
		return o, tried.expected(err)
	}
	if in != nil {
		return o, nil // a continued job sends only the rest
	}
	return o, tried.checkCounters(ends)
}

// judged is a world and the result of its twin, which bounds its turns, memory and counters.
type judged struct {
	World
	t twin
}

// turns returns the limit of turns: several times those of the longest worlds of its size. If ranks share cores, each
// of the many polls before a rank parks may hand its core to another rank, and count as a turn.
func (w judged) turns() uint64 {
	most := uint64(20_000 + 2000*w.Ranks*w.Epochs + 200*w.Ranks*w.Ranks*w.Depth*w.Epochs + 100*w.t.pebbles +
		1000*w.t.jobs*(w.Ops+1))
	if w.Arrays > 0 {
		most += 300 * uint64(w.accesses())
	}
	if w.Again > 0 {
		most += uint64(5000 * w.Ranks * (w.Epochs + 1))
	}
	if w.Cores > 0 {
		most *= pollsMax
	}
	if w.moves() || w.Marks > 0 {
		most *= detourFactor
	}
	return most
}

// accesses returns the maximum number of pebbles of the main functions' accesses.
func (w judged) accesses() int { return 2 * w.Ranks * w.Epochs * (2*rangeMost + 2*w.Ranks) }

// detourFactor bounds the delay of pebbles that follow moving keys, and of pebbles while views of marks differ.
const detourFactor = 8

const pollsMax = 256

// taskTargets is the number of targets that tasks use.
const taskTargets = 10

// end holds the counts of a rank.
type end struct {
	counters pebble.Counters
	memory   pebble.Memory
	moves    uint64    // pebbles of the directory
	asked    uint64    // pebbles of accesses
	owned    []int     // keys of the directory after each epoch
	ledgers  []*ledger // of tasks after each epoch, if the world has any
}

// expected returns nil for an error that the world's faults explain, and any other error unchanged.
func (w judged) expected(err error) error {
	var lost *netio.LostError
	if !w.simulation().Faults.Harmless() && (errors.As(err, &lost) || errors.Is(err, sim.ErrDied)) {
		return nil
	}
	return err
}

// checkCounters returns an error if the counters are inconsistent.
func (w judged) checkCounters(ends []end) error {
	var sum pebble.Counters
	sent, owned := uint64(w.t.pebbles), make([]int, w.Epochs)
	for rank, e := range ends {
		sum = sum.Add(e.counters)
		sent += e.moves + e.asked
		for epoch, n := range e.owned {
			owned[epoch] += n
		}
		if e.memory.Filling != 0 || e.memory.Queued != 0 {
			return fmt.Errorf("rank %d ends with %d bytes in buffers and %d in queues", rank, e.memory.Filling, e.memory.Queued)
		}
	}
	for epoch, n := range owned {
		if w.moves() && n != w.Keys {
			return fmt.Errorf("after epoch %d, %d keys have an owner, of %d", epoch, n, w.Keys)
		}
	}
	if err := w.checkTasks(ends); err != nil {
		return err
	}
	switch {
	case sum.PebblesSent != sent && w.Tasks == 0:
		return fmt.Errorf("%d pebbles were sent, not %d", sum.PebblesSent, sent)
	case sum.PebblesHandled+sum.Merged != sum.PebblesSent:
		return fmt.Errorf("%d pebbles were handled and %d merged, of %d", sum.PebblesHandled, sum.Merged, sum.PebblesSent)
	case sum.FramesReceived != sum.FramesSent:
		return fmt.Errorf("%d frames were received, of %d", sum.FramesReceived, sum.FramesSent)
	case sum.Epochs != uint64(w.Epochs):
		return fmt.Errorf("%d epochs have ended, of %d", sum.Epochs, w.Epochs)
	}
	return nil
}

// checkTasks returns an error if the work of tasks differs from the twin's.
func (w judged) checkTasks(ends []end) error {
	for epoch := range w.Epochs {
		all := newLedger(w.Keys)
		for _, e := range ends {
			if w.Tasks > 0 {
				all.add(e.ledgers[epoch])
			}
		}
		if err := all.differs(w.t.ledgers[epoch]); err != nil {
			return fmt.Errorf("after epoch %d, %w", epoch, err)
		}
	}
	return nil
}

func (w World) topology() (route.Topology, error) {
	t, err := route.ByName(w.Topology)
	if err != nil {
		return nil, err
	}
	var hosts []int
	for process := 0; process < w.Processes; process += max(1, w.PerHost) {
		hosts = append(hosts, process)
	}
	return route.PlaceOn(t(w.Ranks), netio.PlaceOf(w.Ranks, w.Processes, 0).OnHosts(hosts)), nil
}

// spare lists the links and ranks of the world that may be marked.
func (w World) spare() []route.Mark {
	if w.Marks == 0 {
		return nil
	}
	t, err := w.topology()
	if err != nil {
		return nil
	}
	return spare(t)
}

// ends returns the detectors that epochs ask for, in turn.
func (w World) ends() []string {
	return strings.FieldsFunc(w.Ends, func(r rune) bool { return r == ',' })
}

// countFrom returns the initial value of counts.
func (w World) countFrom() uint64 {
	switch {
	case w.Wrap == 0:
		return 0
	case w.Narrow == 1:
		return 1<<32 - uint64(w.Wrap)
	}
	return -uint64(w.Wrap)
}

// config returns the runtime's configuration for the world.
func (w World) config() (c pebble.Config, err error) {
	c = pebble.Config{
		Coalesce: w.Coalesce, Cache: w.Cache, Credits: w.Credits, BufferBudget: int64(w.Budget),
		AddressCache: w.Addresses - 1,
		Due:          time.Duration(w.Due), Period: time.Duration(w.Period),
	}
	if w.Due == 0 {
		c.Due = -1
	}
	c.Tuning = w.tuning()
	if c.Topology, err = route.ByName(w.Topology); err != nil {
		return c, err
	}
	c.Termination, err = termination.ByName(w.Detector)
	return c, err
}

// memory returns the memory of a rank by the sum in docs/contract.md: buffers, waiting frames and frames in flight of
// each target, caches, and the pebbles of handlers, which no credit bounds.
func (w judged) memory(c pebble.Config) int64 {
	made, err := w.topology()
	if err != nil {
		return 0
	}
	neighbors := 0
	for rank := range w.Ranks {
		neighbors = max(neighbors, len(made.Neighbors(rank)))
	}
	cache := w.Cache
	if w.Tune != 0 {
		neighbors, cache = w.Ranks, max(cache, randomCacheMax)
	}
	targets, pebbles, pebbleBytes := w.Targets, w.t.pebbles, 64
	// the directory's targets have large pebbles, one or two for each pebble sent or handled, and no hops
	if w.moves() {
		targets, pebbles, pebbleBytes, neighbors = targets+2, 5*pebbles, 256, w.Ranks
	}
	if w.Tasks > 0 {
		targets, pebbles = targets+taskTargets, pebbles+8*w.t.jobs*(w.Ops+1)
	}
	if w.Arrays > 0 { // questions and answers of accesses
		targets, pebbles, pebbleBytes = targets+2, 3*pebbles+w.accesses(), max(pebbleBytes, 256)
	}
	const cacheEntry, smallFrame = 64, 512
	frame := max(w.Coalesce*pebbleBytes, 64<<10)
	each := int64(neighbors)*int64(c.CreditsFor(frame)+2)*netio.FrameCost(frame) + int64(cache)*cacheEntry
	return int64(targets)*each + int64(pebbles)*int64(pebbleBytes+smallFrame) + 1<<20
}

// simulation returns the simulator's configuration for the world.
func (w World) simulation() sim.Config {
	network := sim.Machines["ideal"]
	if w.Local == 1 {
		network = sim.Machines["flat"]
	}
	network.ProcessesPerHost = w.PerHost
	network.Cores = sim.Cores{Count: w.Cores, Switch: 1e-9, ProcessSwitch: 5e-9, Slice: 1e-9 * float64(w.Slice)}
	call := sim.End{Batch: 1e-9 * float64(w.Call)}
	network.Ends = sim.Ends{Host: call, Between: call}
	f := sim.Faults{
		Delay: float64(w.Delay) / 100, DelayMost: delayMost, Double: float64(w.Double) / 1000, Loss: float64(w.Loss) / 1000,
		Corrupt: float64(w.Corrupt) / 1000, Silence: silence,
	}
	when, lasts := time.Duration(w.When), time.Duration(delayMost)
	if w.Long == 1 {
		lasts = 2 * silence
	}
	if w.Death > 0 {
		f.Deaths = []sim.Death{{Process: w.Death - 1, At: when}}
	}
	if w.Freeze > 0 {
		f.Freezes = []sim.Freeze{{Process: w.Freeze - 1, At: when, For: lasts}}
	}
	if w.Partition > 0 {
		f.Partitions = []sim.Partition{{Below: w.Partition, At: when, For: lasts}}
	}
	return sim.Config{
		Ranks: w.Ranks, Processes: w.Processes, Network: network, Seed: w.Seed, Faults: f, TimeLimit: timeMost,
		CountFrom: w.countFrom(),
	}
}
