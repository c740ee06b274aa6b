package nbody

import (
	"slices"
	"sync"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
)

// forest is what the ranks of a process share: one tree of all bodies at a time. Their own cells, those of each other
// and the tree's top are there from the beginning; below it, cells of other processes are a cache of answers, which the
// next tree begins without.
type forest struct {
	mutex  sync.Mutex
	trees  int // that there were
	grown  map[gravity.ID]*gravity.Cell
	root   *gravity.Cell
	wanted map[gravity.ID]*wanted
}

// wanted is a cell of which something was asked for.
type wanted struct {
	cell  *gravity.Cell
	ranks []int32 // of this process whose walks wait; the first of them has asked
}

// plant adds a piece of a tree that a rank of this process has grown. The ranks plant the trees one after the other,
// and a collective comes between plant and crown, and between crown and the next plant.
func (f *forest) plant(tree int, piece *gravity.Cell) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.clear(tree)
	f.grown[piece.ID] = piece
}

// clear forgets the trees before.
func (f *forest) clear(tree int) {
	if f.trees < tree {
		f.trees, f.root = tree, nil
		f.grown, f.wanted = map[gravity.ID]*gravity.Cell{}, map[gravity.ID]*wanted{}
	}
}

// crown is the root of the tree over its pieces, of which owners are the ranks. The first rank that comes builds the
// top.
func (f *forest) crown(tree int, pieces []gravity.Summary, owners []int, bucket int) *gravity.Cell {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.clear(tree)
	if f.root == nil {
		f.root = gravity.Crown(pieces, func(i int, at *gravity.Cell) {
			if own := f.grown[pieces[i].Cell]; own != nil {
				at.Alias(own)
				return
			}
			at.Place(&pieces[i], bucket, owners[i])
		})
	}
	return f.root
}

// want notes that a rank wants what is below a cell. It returns whether this is there already, and if not, whether it
// was asked for already.
func (f *forest) want(c *gravity.Cell, rank int) (there, asked bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if c.Below() != nil {
		return true, true
	}
	w := f.wanted[c.ID]
	if w == nil {
		f.wanted[c.ID] = &wanted{c, []int32{int32(rank)}}
		return false, false
	}
	if !slices.Contains(w.ranks, int32(rank)) {
		w.ranks = append(w.ranks, int32(rank))
	}
	return false, true
}

// attach puts an answer into the cache, and returns the ranks that wait for it. Nobody waits for one that comes again.
func (f *forest) attach(id gravity.ID, b *gravity.Branch) (ranks []int32) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	w := f.wanted[id]
	if w == nil {
		return nil
	}
	delete(f.wanted, id)
	w.cell.Attach(b)
	return w.ranks
}
