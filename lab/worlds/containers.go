package worlds

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// keeper is what a program does with containers.
type keeper interface {
	begin(epoch int) error
	main(epoch int) error
	step(id uint64, mayWait bool)
	compare(epoch int) error
}

// noContainers is what a program has that keeps nothing.
type noContainers struct{}

func (noContainers) begin(int) error   { return nil }
func (noContainers) main(int) error    { return nil }
func (noContainers) step(uint64, bool) {}
func (noContainers) compare(int) error { return nil }

// openContainers registers the containers, if there are any. twins are what they have after each epoch.
func (p *program) openContainers(twins []kept) {
	p.containers = noContainers{}
	if p.Kept > 0 {
		p.containers = newContainers(p, twins)
	}
}

// containers is the part of the program that has containers: main functions, tasks and handlers change them, and look
// for keys that nobody changes in the epoch.
type containers struct {
	keepings
	program *program
	twins   []kept
	epoch   int
	keys    []string       // by label
	labels  map[string]int // the other way
	values  *container.Map[string, uint64]
	visits  *container.Visitor[string, uint64]
	finds   *container.Visitor[string, uint64]
	sums    *container.Reducer[string, uint64]
	asks    *container.Asker[string, uint64]
	reads   *container.Reads[string, uint64] // nil when there are no tasks
	counts  *container.Counter[string]
	set     *container.Set[string]
	multi   *container.MultiMap[string, uint64]
	bag     *container.Bag[uint64]
	sets    *container.DisjointSets[string]
	joined  int // unions that have joined two sets
	tables  *tables
	all     []interface{ Clear() error }
	open    int   // questions without an answer
	wrong   error // the first that a handler has found
}

func newContainers(p *program, twins []kept) *containers {
	c := &containers{keepings: keepings{p.World}, program: p, twins: twins, labels: map[string]int{}}
	for label := range p.KeptKeys {
		key := strings.Repeat("key ", label) // "" is the zero key
		c.keys, c.labels[key] = append(c.keys, key), label
	}
	r := p.rank
	if c.keeps(keepCounts) {
		c.counts = container.NewCounter[string](r, "kept counts", target.Cache(keptCache))
		c.all = append(c.all, c.counts)
	}
	if c.keeps(keepMap) {
		c.openMap()
	}
	if c.keeps(keepSet) {
		c.set = container.NewSet[string](r, "kept set")
		c.all = append(c.all, c.set)
	}
	if c.keeps(keepMulti) {
		c.multi = container.NewMultiMap[string, uint64](r, "kept multimap")
		c.all = append(c.all, c.multi)
	}
	if c.keeps(keepBag) {
		c.bag = container.NewBag[uint64](r, "kept bag")
		c.all = append(c.all, c.bag)
	}
	if c.keeps(keepSets) {
		c.sets = container.NewDisjointSets(r, "kept sets", func(string, string) { c.joined++ })
		c.all = append(c.all, c.sets)
	}
	if c.keeps(keepTables) {
		c.tables = newTables(c)
		c.all = append(c.all, c.tables.sides[0], c.tables.sides[1])
	}
	return c
}

// keptCache is so small that keys push each other out.
const keptCache = 8

func (c *containers) openMap() {
	m := container.NewMap[string, uint64](c.program.rank, "kept map")
	c.values = m
	c.all = append(c.all, m)
	c.visits = container.NewVisitor(m, "visit", func(k string, v *uint64, n uint64) {
		if *v += n; c.counts != nil {
			c.counts.Add(k, 1)
		}
	})
	c.finds = container.NewFinder(m, "find", func(_ string, v *uint64, n uint64) { *v += n })
	c.sums = m.NewReducer("sum", pebble.Sum[uint64], target.Cache(keptCache))
	c.asks = container.NewAsker(m, "ask", func(_ string, v *uint64, number uint64) container.Found[uint64] {
		if v == nil {
			return container.Found[uint64]{}
		}
		return container.Found[uint64]{Value: *v, OK: true}
	}, func(k string, _ uint64, found container.Found[uint64]) {
		c.open--
		c.found(k, found)
	})
	if t := c.program.tasks; t != nil {
		c.reads = container.NewReads(m, t.scheduler)
	}
}

// found notes an answer that is not what the twin has.
func (c *containers) found(k string, got container.Found[uint64]) {
	want := c.twins[c.epoch].entries[c.labels[k]]
	if got.OK != want.There || got.Value != want.Value {
		c.wrong = cmp.Or(c.wrong, fmt.Errorf("in epoch %d, rank %d has read %v of key %v, which is %+v", c.epoch,
			c.program.rank.ID(), got, k, want))
	}
}

// begin comes before an epoch: containers may be cleared.
func (c *containers) begin(epoch int) error {
	c.epoch = epoch
	if !c.clears(epoch) {
		return nil
	}
	c.joined = 0
	for _, container := range c.all {
		if err := container.Clear(); err != nil {
			return err
		}
	}
	return nil
}

// main is what a main function does with containers in an epoch's body.
func (c *containers) main(epoch int) error {
	c.step(c.program.mainSteps(c.program.rank.ID(), epoch), true)
	if c.tables != nil {
		c.tables.add(epoch)
	}
	return nil
}

// step takes the steps of a main function, a task or a handling.
func (c *containers) step(id uint64, mayWait bool) {
	c.keptSteps(id, func(kind keeping, number uint64) {
		label := c.label(number)
		k, change := c.keys[label], c.keptChange(label, c.epoch)
		switch kind {
		case keepMap:
			c.changeMap(k, change, c.keptValue(label, c.epoch), number, mayWait)
		case keepCounts:
			if n := added(number); n == 2 {
				c.counts.AddAll([]string{k, k})
			} else {
				c.counts.Add(k, n)
			}
		case keepSet:
			switch {
			case change == deleteChange:
				c.set.Delete(k)
			case change < noChange:
				c.set.Insert(k)
			}
		case keepMulti:
			switch {
			case change == deleteChange:
				c.multi.Delete(k)
			case change < noChange:
				c.multi.Add(k, number)
			}
		case keepBag:
			c.bag.Add(number)
		case keepSets:
			c.sets.Union(k, c.keys[c.other(number)])
		}
	})
}

func (c *containers) changeMap(k string, change keptChange, value, number uint64, mayWait bool) {
	switch change {
	case putChange:
		c.values.Put(k, value)
	case insertChange:
		c.values.InsertAll([]container.Entry[string, uint64]{{Key: k, Value: value}})
	case visitChange:
		c.visits.Send(k, number)
	case reduceChange:
		c.sums.Reduce(k, number)
	case findChange:
		c.finds.Send(k, number)
	case deleteChange:
		c.values.Delete(k)
	default:
		if mayWait && c.reads != nil && number%2 == 0 {
			c.read(k, number/2%5)
			return
		}
		c.open++
		c.asks.Send(k, number)
	}
}

// read reads a key, or some times in one batch.
func (c *containers) read(k string, times uint64) {
	if times < 2 {
		v, ok := c.reads.Get(k)
		c.found(k, container.Found[uint64]{Value: v, OK: ok})
		return
	}
	found := make([]container.Found[uint64], times)
	c.reads.GetMany(slices.Repeat([]string{k}, int(times)), found)
	for _, f := range found {
		c.found(k, f)
	}
}
