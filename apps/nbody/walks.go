package nbody

import (
	"slices"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/task"
)

// question is a request for the branch below a cell, sent to its owner. It has 12 bytes, and 16 with the asking rank,
// which the library adds.
type question struct {
	High, Low uint32 // of the cell's ID
	Owner     uint32
}

func ask(c *gravity.Cell) question {
	return question{uint32(c.ID >> 32), uint32(c.ID), uint32(c.Owner)}
}

func (q question) cell() gravity.ID { return gravity.ID(q.High)<<32 | gravity.ID(q.Low) }

func (q question) fingerprint() uint64 { return apps.Fold(uint64(q.cell()), uint64(q.Owner)) }

// arrival notifies a rank of a process that another one has received a branch that its walks wait for.
type arrival struct {
	Cell gravity.ID
	Rank uint64
}

func (a arrival) fingerprint() uint64 { return apps.Fold(uint64(a.Cell), ^a.Rank) }

// walks are the walks of one rank's buckets.
type walks struct {
	part     *part
	rank     *pebble.Rank
	cache    *cache
	tally    *apps.Tally
	pieces   []*gravity.Cell // this rank's, in order
	asks     *target.Ask[question, *gravity.Branch]
	arrivals *target.Target[arrival]
	tasks    *task.Scheduler // nil unless walks are tasks
	waiting  map[gravity.ID][]*bucketWalk
	ready    []*bucketWalk
	spare    []*bucketWalk
	asked    uint64 // number of questions
	shared   uint64 // number of waits for a branch that another walk has requested
	lost     uint64 // number of walks that have not ended
}

// bucketWalk is the walk of one bucket, which may have to wait.
type bucketWalk struct {
	gravity.Walk
	task task.Task // if walks are tasks
}

// Simulated times of interactions, as measured.
const (
	perCell     = 60 * time.Nanosecond
	perParticle = 8 * time.Nanosecond
)

// openWalks registers the targets of the walks of a rank.
func openWalks(r *pebble.Rank, p *part, tally *apps.Tally) *walks {
	w := &walks{
		part: p, rank: r, tally: tally, waiting: map[gravity.ID][]*bucketWalk{},
		cache: pebble.InCommon(r, func() *cache { return new(cache) }),
	}
	ranks := distribution.Ranks(r.Size())
	w.asks = target.NewAskBatch(r, "cell", ranks, target.Key(func(q question) uint64 { return uint64(q.Owner) }), w.answer,
		w.take, target.Coded(pebble.Codec[*gravity.Branch](gravity.Wire{})), target.Answers(target.Coalesce(1)))
	w.arrivals = target.New(r, "arrival", ranks, target.Key(func(a arrival) uint64 { return a.Rank }),
		target.Batch(w.arrive))
	if p.Walk == Tasks {
		w.tasks = task.New(r)
	}
	return w
}

// run walks all buckets of active bodies. It is an epoch.
func (w *walks) run(root *gravity.Cell, pieces []*gravity.Cell, active func(b *body) bool) error {
	w.pieces = pieces
	var err error
	if w.tasks != nil {
		err = w.byTasks(root, active)
	} else {
		err = w.byAsks(root, active)
	}
	for _, some := range w.waiting {
		w.lost += uint64(len(some))
	}
	clear(w.waiting)
	return err
}

// byAsks starts all walks, bucket by bucket, and walks as far as possible. Waiting walks continue after their answers.
func (w *walks) byAsks(root *gravity.Cell, active func(b *body) bool) error {
	return w.rank.Epoch(func() error {
		for i := range w.part.builder.Buckets {
			if h := w.fresh(); w.part.begin(&h.Walk, root, i, active) {
				w.walk(h)
			} else {
				w.spare = append(w.spare, h)
			}
			w.rank.Poll()
			w.resume()
		}
		return nil
	}, pebble.Idle(w.resume), pebble.Named("walk"))
}

// resume continues all ready walks, and reports whether there were any. A rank may rest after each idle work, so it
// does not stop after one walk.
func (w *walks) resume() (worked bool) {
	for ; len(w.ready) > 0; worked = true {
		last := len(w.ready) - 1
		h := w.ready[last]
		w.ready = w.ready[:last]
		w.walk(h)
		w.rank.Poll()
	}
	return worked
}

// walk walks until the end, or until the walk waits.
func (w *walks) walk(h *bucketWalk) {
	for c := h.Go(); c != nil; c = h.Go() {
		if w.wait(h, c) {
			return
		}
	}
	w.end(h)
}

// byTasks runs a task for each bucket.
func (w *walks) byTasks(root *gravity.Cell, active func(b *body) bool) error {
	return w.rank.Epoch(func() error {
		for i := range w.part.builder.Buckets {
			w.tasks.Go(func() {
				h := w.fresh()
				if !w.part.begin(&h.Walk, root, i, active) {
					w.spare = append(w.spare, h)
					return
				}
				h.task = w.tasks.Self()
				for c := h.Go(); c != nil; c = h.Go() {
					if w.wait(h, c) {
						w.tasks.Suspend()
					}
				}
				w.end(h)
			})
		}
		return nil
	}, pebble.Named("walk"))
}

// fresh returns a walk that has not begun.
func (w *walks) fresh() *bucketWalk {
	n := len(w.spare)
	if n == 0 {
		return new(bucketWalk)
	}
	h := w.spare[n-1]
	w.spare = w.spare[:n-1]
	return h
}

func (w *walks) end(h *bucketWalk) {
	w.part.end(&h.Walk)
	w.rank.Compute(time.Duration(h.Counts.Cells)*perCell + time.Duration(h.Counts.Particles)*perParticle)
	w.spare = append(w.spare, h)
}

// wait makes a walk wait for the branch below a cell, and requests it if no walk has. It returns false if it is there.
func (w *walks) wait(h *bucketWalk, c *gravity.Cell) bool {
	there, asked := w.cache.want(c, w.rank.ID())
	if there {
		return false
	}
	w.waiting[c.ID] = append(w.waiting[c.ID], h)
	if asked {
		w.shared++
		return true
	}
	q := ask(c)
	w.asked++
	w.tally.Send(q.fingerprint())
	w.asks.Send(q) // which may run handlers that make the walk ready
	return true
}

// nothing is the answer for a cell requested at the wrong rank.
var nothing = &gravity.Branch{}

// answer finds the branches below cells of this rank.
func (w *walks) answer(qs []question, as []*gravity.Branch) {
	for i, q := range qs {
		as[i] = nothing
		own := false
		for _, piece := range w.pieces {
			if piece.ID.Holds(q.cell()) {
				if c := piece.Find(q.cell()); c != nil {
					as[i], own = c.Below(), true
				}
				break
			}
		}
		w.tally.Take(q.fingerprint(), own)
		w.tally.Send(as[i].Fingerprint(apps.Fold) + q.fingerprint())
	}
}

// take puts answers into the cache of the process, and notifies the waiting ranks.
func (w *walks) take(qs []question, as []*gravity.Branch) {
	for i, q := range qs {
		ranks := w.cache.attach(q.cell(), as[i])
		own := len(ranks) > 0 && int(ranks[0]) == w.rank.ID() // this rank has sent the question
		w.tally.Take(as[i].Fingerprint(apps.Fold)+q.fingerprint(), own)
		for _, rank := range ranks {
			if int(rank) == w.rank.ID() {
				w.wake(q.cell())
				continue
			}
			a := arrival{q.cell(), uint64(rank)}
			w.tally.Send(a.fingerprint())
			w.arrivals.Send(a)
		}
	}
}

func (w *walks) arrive(as []arrival) {
	for _, a := range as {
		w.tally.Take(a.fingerprint(), a.Rank == uint64(w.rank.ID()))
		w.wake(a.Cell)
	}
}

// wake makes the walks ready that wait for a cell.
func (w *walks) wake(id gravity.ID) {
	for _, h := range w.waiting[id] {
		if w.tasks != nil {
			w.tasks.Wake(h.task)
		} else {
			w.ready = append(w.ready, h)
		}
	}
	delete(w.waiting, id)
}

// cache is the tree of all bodies that the ranks of a process share. The cells of these ranks and the tree's top are
// present from the beginning. Below it, cells of other processes are a cache of answers; the next tree begins without
// them.
type cache struct {
	mutex  sync.Mutex
	trees  int // number of trees so far
	pieces map[gravity.ID]*gravity.Cell
	root   *gravity.Cell
	wanted map[gravity.ID]*wanted
}

// wanted is a cell with a requested branch.
type wanted struct {
	cell  *gravity.Cell
	ranks []int32 // of this process, with waiting walks; the first one has sent the question
}

// add adds a piece of a tree that a rank of this process has built. The ranks build the trees one after the other, with
// a collective between add and top, and between top and the next add.
func (c *cache) add(tree int, piece *gravity.Cell) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.clear(tree)
	c.pieces[piece.ID] = piece
}

// clear removes the previous trees.
func (c *cache) clear(tree int) {
	if c.trees < tree {
		c.trees, c.root = tree, nil
		c.pieces, c.wanted = map[gravity.ID]*gravity.Cell{}, map[gravity.ID]*wanted{}
	}
}

// top returns the root of the tree over its pieces. The first rank to call it builds it.
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

// want records that a rank wants the branch below a cell. It reports whether the branch is present, and otherwise
// whether it was already requested.
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

// attach puts an answer into the cache, and returns the ranks that wait for it. No rank waits for a repeated answer.
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
