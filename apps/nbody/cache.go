package nbody

import (
	"slices"
	"sync"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
)

// cache is what the ranks of a process share: one tree of all bodies at a time. Their own cells, those of each other
// and the tree's top are there from the beginning; below it, cells of other processes are a cache of answers, which the
// next tree begins without.
type cache struct {
	mutex  sync.Mutex
	trees  int // that there were
	pieces map[gravity.ID]*gravity.Cell
	root   *gravity.Cell
	wanted map[gravity.ID]*wanted
}

// wanted is a cell of which something was asked for.
type wanted struct {
	cell  *gravity.Cell
	ranks []int32 // of this process whose walks wait; the first of them has asked
}

// add adds a piece of a tree that a rank of this process has built. The ranks build the trees one after the other, and
// a collective comes between add and top, and between top and the next add.
func (c *cache) add(tree int, piece *gravity.Cell) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.clear(tree)
	c.pieces[piece.ID] = piece
}

// clear forgets the trees before.
func (c *cache) clear(tree int) {
	if c.trees < tree {
		c.trees, c.root = tree, nil
		c.pieces, c.wanted = map[gravity.ID]*gravity.Cell{}, map[gravity.ID]*wanted{}
	}
}

// top is the root of the tree over its pieces. The first rank that comes builds it.
func (c *cache) top(tree int, pieces []gravity.Summary, bucket int) *gravity.Cell {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.clear(tree)
	if c.root == nil {
		c.root = gravity.Top(pieces, func(i int, at *gravity.Cell) {
			if own := c.pieces[pieces[i].Cell]; own != nil {
				at.Alias(own)
				return
			}
			at.SetRemote(&pieces[i], bucket)
		})
	}
	return c.root
}

// want notes that a rank wants what is below a cell. It returns whether this is there already, and if not, whether it
// was asked for already.
func (c *cache) want(cell *gravity.Cell, rank int) (there, asked bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if cell.Below() != nil {
		return true, true
	}
	w := c.wanted[cell.ID]
	if w == nil {
		c.wanted[cell.ID] = &wanted{cell, []int32{int32(rank)}}
		return false, false
	}
	if !slices.Contains(w.ranks, int32(rank)) {
		w.ranks = append(w.ranks, int32(rank))
	}
	return false, true
}

// attach puts an answer into the cache, and returns the ranks that wait for it. Nobody waits for one that comes again.
func (c *cache) attach(id gravity.ID, b *gravity.Branch) (ranks []int32) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	w := c.wanted[id]
	if w == nil {
		return nil
	}
	delete(c.wanted, id)
	w.cell.Attach(b)
	return w.ranks
}
