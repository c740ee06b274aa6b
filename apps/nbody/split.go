package nbody

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/pebble"
)

// piece is a cell of the curve whose bodies one rank owns.
type piece struct {
	cell   gravity.ID
	bodies uint64
	work   uint64 // of the bodies, when their forces were last computed
	owner  int
}

// sample represents some work of the bodies that begin at a place along the curve.
type sample struct{ Key, Work uint64 }

// piecesOf returns the least number of pieces per rank, for equal work of all bodies: fewer for many ranks, since each
// rank stores all pieces.
func piecesOf(ranks int) int { return min(max(1024/ranks, 1), 16) }

// samplesPerPiece is enough for pieces of about equal work.
const samplesPerPiece = 4

// split divides the curve into pieces for the ranks, by samples of each rank's work. It does not divide a cell with at
// most a bucket of bodies, so that pieces are cells of the tree. It leaves out pieces without bodies. Bodies must be
// sorted.
func (b *bench) split() ([]piece, error) {
	cells, err := b.cells()
	if err != nil {
		return nil, err
	}
	sums := make([]uint64, 2*len(cells))
	for i, c := range cells {
		from, to := b.part.within(c)
		sums[2*i] = uint64(to - from)
		for j := from; j < to; j++ {
			sums[2*i+1] += uint64(b.part.bodies[j].work)
		}
	}
	if sums, err = apps.SumEach(b.rank, sums); err != nil {
		return nil, err
	}
	pieces := make([]piece, len(cells))
	for i, c := range cells {
		pieces[i] = piece{cell: c, bodies: sums[2*i], work: sums[2*i+1]}
	}
	pieces = prune(gravity.Root, pieces, uint64(b.config.Bucket))
	pieces = slices.DeleteFunc(pieces, func(p piece) bool { return p.bodies == 0 })
	share(pieces, b.rank.Size())
	return pieces, nil
}

// cells returns, on every rank, the cells that rank 0 makes from all samples.
func (b *bench) cells() ([]gravity.ID, error) {
	ranks := b.rank.Size()
	if ranks == 1 {
		return []gravity.ID{gravity.Root}, nil
	}
	samples, err := pebble.GatherSlice(b.rank, 0, b.part.samples(samplesPerPiece*piecesOf(ranks)))
	if err != nil {
		return nil, err
	}
	var ids []byte
	if b.rank.ID() == 0 {
		all := slices.Concat(samples...)
		slices.SortFunc(all, func(a, b sample) int { return cmp.Compare(a.Key, b.Key) })
		total := uint64(0)
		for _, s := range all {
			total += s.Work
		}
		for _, c := range divide(nil, gravity.Root, all, total/uint64(ranks*piecesOf(ranks))) {
			ids = binary.LittleEndian.AppendUint64(ids, uint64(c))
		}
	}
	if ids, err = b.rank.BroadcastBytes(0, ids); err != nil {
		return nil, err
	}
	cells := make([]gravity.ID, len(ids)/8)
	for i := range cells {
		cells[i] = gravity.ID(binary.LittleEndian.Uint64(ids[8*i:]))
	}
	return cells, nil
}

// samples returns up to most samples, each for the same work of the part's bodies.
func (p *part) samples(most int) (all []sample) {
	total := uint64(0)
	for i := range p.bodies {
		total += uint64(p.bodies[i].work)
	}
	each := total/uint64(most) + 1
	sum, next := uint64(0), uint64(0)
	for i := range p.bodies {
		if sum >= next {
			all = append(all, sample{p.bodies[i].key, each})
			next += each
		}
		sum += uint64(p.bodies[i].work)
	}
	return all
}

// divide appends the cells that id is divided into, until none has more work than most.
func divide(cells []gravity.ID, id gravity.ID, samples []sample, most uint64) []gravity.ID {
	work := uint64(0)
	for _, s := range samples {
		work += s.Work
	}
	if work <= most || len(samples) < 2 || id.Level() == gravity.LevelMost {
		return append(cells, id)
	}
	for i := range 8 {
		end := sort.Search(len(samples), func(j int) bool { return samples[j].Key > id.Child(i).Last() })
		cells = divide(cells, id.Child(i), samples[:end], most)
		samples = samples[end:]
	}
	return cells
}

// prune joins the pieces of each cell whose bodies fit a bucket.
func prune(id gravity.ID, pieces []piece, bucket uint64) []piece {
	if pieces[0].cell == id {
		return pieces
	}
	all := piece{cell: id}
	for _, p := range pieces {
		all.bodies += p.bodies
		all.work += p.work
	}
	if all.bodies <= bucket {
		return []piece{all}
	}
	var pruned []piece
	for i := range 8 {
		n := 0
		for n < len(pieces) && id.Child(i).Holds(pieces[n].cell) {
			n++
		}
		pruned = append(pruned, prune(id.Child(i), pieces[:n], bucket)...)
		pieces = pieces[n:]
	}
	return pruned
}

// share distributes the pieces, in order, among the ranks, so that each has about the same work.
func share(pieces []piece, ranks int) {
	total := uint64(0)
	for _, p := range pieces {
		total += p.work
	}
	sum := uint64(0)
	for i := range pieces {
		p := &pieces[i]
		p.owner = min(int(float64(sum+p.work/2)/float64(total)*float64(ranks)), ranks-1)
		sum += p.work
	}
}

// ownerOf returns the rank that owns the piece of a key.
func ownerOf(pieces []piece, key uint64) int {
	i := sort.Search(len(pieces), func(i int) bool { return pieces[i].cell.First() > key })
	return pieces[max(i-1, 0)].owner
}
