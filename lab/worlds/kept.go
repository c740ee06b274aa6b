package worlds

import "slices"

// keeping is what a step on containers is for. What it does follows from a number.
type keeping int

const (
	keepMap    keeping = iota // puts, inserts, visits, merges, removes or reads an entry of a map
	keepCounts                // adds to a counter
	keepSet                   // inserts or removes a key of a set
	keepMulti                 // adds a value to a multimap, or removes all of a key
	keepBag                   // adds an element to a bag
	keepSets                  // joins two disjoint sets
	keepTables                // nothing: main functions add rows, which are sorted, grouped or joined after an epoch
	keepKinds
)

// keepings are a world as far as containers go.
type keepings struct{ *World }

// keeps tells whether the world has a kind of container.
func (w keepings) keeps(k keeping) bool { return w.Kept > 0 && w.KeptKinds>>k&1 == 1 }

// keptSteps calls do for the steps of a main function, a task or a handling on containers, in order.
func (w keepings) keptSteps(id uint64, do func(k keeping, number uint64)) {
	for i := range mix(id, 40) % uint64(w.Kept+1) {
		number := mix(id, 1_200_000+i)
		if k := keeping(mix(number, 41) % uint64(keepKinds)); w.keeps(k) {
			do(k, number)
		}
	}
}

// label stands for a key.
func (w keepings) label(number uint64) int { return int(mix(number, 42) % uint64(w.KeptKeys)) }

// other is the label whose set is joined with that of a step's own.
func (w keepings) other(number uint64) int { return w.label(mix(number, 43)) }

// keptChange is what all steps of an epoch do to one key: in whichever order they come, they come to the same.
type keptChange int

const (
	putChange    keptChange = iota // sets one value
	insertChange                   // sets it if the key is not there
	visitChange                    // adds to the value, and lets the handler send
	reduceChange                   // adds to the value by merging
	findChange                     // adds to the value if the key is there
	deleteChange
	noChange // is read
	noChange2
	keptChanges
)

func (w keepings) keptChange(label, epoch int) keptChange {
	return keptChange(mix(mix(w.Seed, uint64(1_300_000+epoch)), uint64(label)) % uint64(keptChanges))
}

// keptValue is what a key is set to in an epoch.
func (w keepings) keptValue(label, epoch int) uint64 {
	return mix(mix(w.Seed, uint64(1_400_000+epoch)), uint64(label))
}

// clears tells whether all containers are cleared before an epoch.
func (w keepings) clears(epoch int) bool {
	return epoch > 0 && mix(mix(w.Seed, uint64(epoch)), 44)%100 < uint64(w.KeptClear)
}

// pair is a row of a table by its label, or two labels.
type pair struct{ Label, Number uint64 }

// rows are those that a rank adds to a table in an epoch: 0 is the left one, 1 the right one. Many are equal.
func (w keepings) rows(rank, epoch, side int) []pair {
	if !w.keeps(keepTables) {
		return nil
	}
	seed := mix(mix(mix(w.Seed, uint64(rank)), uint64(1_500_000+epoch)), uint64(side))
	all := make([]pair, mix(seed, 45)%uint64(w.KeptRows+1))
	for i := range all {
		number := mix(seed, uint64(1000+i))
		all[i] = pair{uint64(w.label(number)), mix(number, 46) % 5}
	}
	return all
}

// entry is what the containers have of a key, in the twin.
type entry struct {
	There       bool // in the map
	Value       uint64
	Count       uint64
	Has         bool // in the set
	Values, Sum uint64
	Parent      int // in the disjoint sets: a label and 1; 0 where the key is not there
}

// kept is what is in containers, in the twin.
type kept struct {
	entries []entry
	bagged  draws
	tables  [2][]pair
}

func (w keepings) newKept() (k kept) {
	if w.Kept > 0 {
		k.entries = make([]entry, w.KeptKeys)
	}
	return k
}

func (t *kept) clone() kept {
	c := *t
	c.entries = slices.Clone(t.entries)
	for i := range c.tables {
		c.tables[i] = slices.Clone(t.tables[i])
	}
	return c
}

// addRows adds those of a rank.
func (t *kept) addRows(w keepings, rank, epoch int) {
	for side := range t.tables {
		t.tables[side] = append(t.tables[side], w.rows(rank, epoch, side)...)
	}
}

// step does a step.
func (t *kept) step(w keepings, epoch int, k keeping, number uint64) {
	at := w.label(number)
	e, c := &t.entries[at], w.keptChange(at, epoch)
	switch k {
	case keepMap:
		if t.changeValue(e, c, w.keptValue(at, epoch), number); c == visitChange && w.keeps(keepCounts) {
			e.Count++
		}
	case keepCounts:
		e.Count += added(number)
	case keepSet:
		if c < noChange {
			e.Has = c != deleteChange
		}
	case keepMulti:
		if c < noChange {
			e.Values, e.Sum = e.Values+1, e.Sum+number
		}
		if c == deleteChange {
			e.Values, e.Sum = 0, 0
		}
	case keepBag:
		t.bagged.add(number)
	case keepSets:
		a, b := t.root(at), t.root(w.other(number))
		t.entries[a].Parent = b + 1
	}
}

func (t *kept) changeValue(e *entry, c keptChange, value, number uint64) {
	switch {
	case c == putChange, c == insertChange && !e.There:
		e.There, e.Value = true, value
	case c == visitChange, c == reduceChange, c == findChange && e.There:
		e.There, e.Value = true, e.Value+number
	case c == deleteChange:
		e.There, e.Value = false, 0
	}
}

// added is what a step adds to a count.
func added(number uint64) uint64 { return 1 + number%4 }

// root is the label that stands for a key's set. A key that is not there is added.
func (t *kept) root(label int) int {
	if t.entries[label].Parent == 0 {
		t.entries[label].Parent = label + 1
	}
	for t.entries[label].Parent != label+1 {
		label = t.entries[label].Parent - 1
	}
	return label
}

// add adds a number, of which the order doesn't matter.
func (d *draws) add(number uint64) {
	d.Count, d.Sum, d.Squares = d.Count+1, d.Sum+number, d.Squares+number*number
}
