package worlds

import (
	"cmp"
	"fmt"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// keeper is the containers as the program knows them, whatever their keys are.
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
	switch {
	case p.Kept == 0:
		p.containers = noContainers{}
	case p.KeptTexts == 1:
		p.containers = newContainers(p, twins, func(label int) string {
			if label == 0 {
				return "" // the zero key
			}
			return fmt.Sprint("key ", label)
		})
	default:
		p.containers = newContainers(p, twins, func(label int) uint64 { return uint64(label) << 40 })
	}
}

// containers is the part of the program that has containers: main functions, tasks and handlers change them, and look
// for keys that nobody changes in the epoch.
type containers[K cmp.Ordered] struct {
	program *program
	twins   []kept
	epoch   int
	keys    []K       // by label
	labels  map[K]int // the other way
	values  *container.Map[K, uint64]
	visits  *container.Visitor[K, uint64]
	finds   *container.Visitor[K, uint64]
	sums    *container.Reducer[K, uint64]
	asks    *container.Asker[K, uint64]
	reads   *container.Reads[K, uint64] // nil when there are no tasks
	counts  *container.Counter[K]
	set     *container.Set[K]
	multi   *container.MultiMap[K, uint64]
	bag     *container.Bag[uint64]
	sets    *container.DisjointSets[K]
	joined  int // unions that have joined two sets
	tables  *tables[K]
	all     []interface{ Clear() error }
	open    int   // questions without an answer
	wrong   error // the first that a handler has found
}

func newContainers[K cmp.Ordered](p *program, twins []kept, key func(label int) K) *containers[K] {
	c := &containers[K]{program: p, twins: twins, labels: map[K]int{}}
	for label := range p.KeptKeys {
		c.keys = append(c.keys, key(label))
		c.labels[c.keys[label]] = label
	}
	r := p.rank
	if p.keeps(keepCounts) {
		c.counts = container.NewCounter[K](r, "kept counts")
		c.all = append(c.all, c.counts)
	}
	if p.keeps(keepMap) {
		c.openMap()
	}
	if p.keeps(keepSet) {
		c.set = container.NewSet[K](r, "kept set")
		c.all = append(c.all, c.set)
	}
	if p.keeps(keepMulti) {
		c.multi = container.NewMultiMap[K, uint64](r, "kept multimap")
		c.all = append(c.all, c.multi)
	}
	if p.keeps(keepBag) {
		c.bag = container.NewBag[uint64](r, "kept bag")
		c.all = append(c.all, c.bag)
	}
	if p.keeps(keepSets) {
		c.sets = container.NewDisjointSets(r, "kept sets", func(K, K) { c.joined++ })
		c.all = append(c.all, c.sets)
	}
	if p.keeps(keepTables) {
		c.tables = newTables(c)
		c.all = append(c.all, c.tables.sides[0], c.tables.sides[1])
	}
	return c
}

func (c *containers[K]) openMap() {
	m := container.NewMap[K, uint64](c.program.rank, "kept map")
	c.values = m
	c.all = append(c.all, m)
	c.visits = container.NewVisitor(m, "visit", func(k K, v *uint64, n uint64) {
		if *v += n; c.counts != nil {
			c.counts.Add(k, 1)
		}
	})
	c.finds = container.NewFinder(m, "find", func(_ K, v *uint64, n uint64) { *v += n })
	c.sums = m.NewReducer("sum", pebble.Sum[uint64])
	c.asks = container.NewAsker(m, "ask", func(_ K, v *uint64, number uint64) container.Found[uint64] {
		if v == nil {
			return container.Found[uint64]{}
		}
		return container.Found[uint64]{Value: *v, OK: true}
	}, func(k K, _ uint64, found container.Found[uint64]) {
		c.open--
		c.found(k, found)
	})
	if t := c.program.tasks; t != nil {
		c.reads = container.NewReads(m, t.scheduler)
	}
}

// found notes an answer that is not what the twin has.
func (c *containers[K]) found(k K, got container.Found[uint64]) {
	want := c.twins[c.epoch].entries[c.labels[k]]
	if got.OK != want.There || got.Value != want.Value {
		c.wrong = cmp.Or(c.wrong, fmt.Errorf("in epoch %d, rank %d has read %v of key %v, which is %+v", c.epoch,
			c.program.rank.ID(), got, k, want))
	}
}

// begin comes before an epoch: containers may be cleared.
func (c *containers[K]) begin(epoch int) error {
	c.epoch = epoch
	if !c.program.clears(epoch) {
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
func (c *containers[K]) main(epoch int) error {
	c.step(c.program.mainSteps(c.program.rank.ID(), epoch), true)
	if c.tables != nil {
		c.tables.add(epoch)
	}
	return nil
}

// step takes the steps of a main function, a task or a handling.
func (c *containers[K]) step(id uint64, mayWait bool) {
	c.program.keptSteps(id, func(kind keeping, number uint64) {
		label := c.program.label(number)
		k, change := c.keys[label], c.program.keptChange(label, c.epoch)
		switch kind {
		case keepMap:
			c.changeMap(k, change, c.program.keptValue(label, c.epoch), number, mayWait)
		case keepCounts:
			if n := added(number); n == 2 {
				c.counts.AddAll([]K{k, k})
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
			c.sets.Union(k, c.keys[c.program.other(number)])
		}
	})
}

func (c *containers[K]) changeMap(k K, change keptChange, value, number uint64, mayWait bool) {
	switch change {
	case putChange:
		c.values.Put(k, value)
	case insertChange:
		c.values.InsertAll([]container.Entry[K, uint64]{{Key: k, Value: value}})
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
			v, ok := c.reads.Get(k)
			c.found(k, container.Found[uint64]{Value: v, OK: ok})
			return
		}
		c.open++
		c.asks.Send(k, number)
	}
}
