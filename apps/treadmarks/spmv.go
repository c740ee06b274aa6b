package treadmarks

import (
	"math"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/target"
)

// spmv multiplies a vector by a sparse matrix, again and again. Most columns of a row are near to its diagonal,
// some are anywhere. In each round a rank brings the elements that its rows need to one place, and multiplies. What
// differs is how these come: as whole pages, one by one in a gather, or as pebbles from the owners, which know by
// then who needs what.
type spmv struct {
	*run
	rows
	matrix matrix
	brings
	here []float64 // the elements that the rows need
	out  []float64 // this rank's part of the product
}

// brings is how elements come, and are given.
type brings interface {
	// load takes the columns that are needed, in order and each once. It says where each of them comes to, in how
	// much room.
	load(columns []uint32) (place []uint32, room int, err error)
	// give sets this rank's part of the vector of a round: those that are needed come from all of them.
	give(round int, part []float64) error
	// bring brings what is needed, of the vector of a round.
	bring(round int, to []float64) error
}

const (
	entries     = 16 // of a row
	far         = 4  // of them, those that are anywhere
	band        = 64 // the others are within 1/band of all columns
	spmvElement = 1500
)

// matrix is some rows of a matrix.
type matrix struct {
	column []uint32 // entries of each row
	value  []float64
}

func (c Config) matrix(first, last int) matrix {
	m := matrix{make([]uint32, 0, (last-first)*entries), make([]float64, 0, (last-first)*entries)}
	n := uint64(c.Size)
	for row := uint64(first); row < uint64(last); row++ {
		sum := 0.0
		for e := range uint64(entries) {
			at := row*entries + e
			column := apps.Fold(c.Seed, 2*at) % n
			if e >= far {
				near := n/band + 1
				column = (row + n - near + column%(2*near)) % n
			}
			v := number(c.Seed, 2*at+1)
			m.column, m.value = append(m.column, uint32(column)), append(m.value, v)
			sum += v
		}
		for e := range m.value[len(m.value)-entries:] {
			m.value[len(m.value)-entries+e] /= sum
		}
	}
	return m
}

// times multiplies.
func (m matrix) times(out, by []float64) {
	column, value := m.column, m.value
	for i := range out {
		sum := 0.0
		c, v := column[:entries], value[:entries]
		for e, x := range v {
			sum += x * by[c[e]]
		}
		out[i] = sum
		column, value = column[entries:], value[entries:]
	}
}

func newSpMV(u *run) part {
	s := &spmv{run: u, rows: u.rows(u.config.Size, 1)}
	switch u.config.Way {
	case ByPages:
		s.brings = &byPages{spmv: s}
	case ByGather:
		s.brings = &byGather{spmv: s}
	case ByPebbles:
		s.brings = &byPebbles{spmv: s}
	}
	return s
}

func (s *spmv) load() error {
	each := uint64(s.each * (entries*16 + 40))
	if err := apps.MustFit(s.rank, "treadmarks: the matrix", each, "give fewer rows"); err != nil {
		return err
	}
	s.matrix = s.config.matrix(s.first, s.last)
	columns := slices.Clone(s.matrix.column)
	slices.Sort(columns)
	columns = slices.Compact(columns)
	place, room, err := s.brings.load(columns)
	if err != nil {
		return err
	}
	to := make([]uint32, s.config.Size)
	for i, column := range columns {
		to[column] = place[i]
	}
	for i, column := range s.matrix.column {
		s.matrix.column[i] = to[column]
	}
	s.here, s.out = make([]float64, room), make([]float64, s.last-s.first)
	s.config.fillVector(s.out, uint64(s.first))
	return s.give(0, s.out)
}

func (c Config) fillVector(v []float64, from uint64) {
	for i := range v {
		v[i] = number(c.Seed+1, from+uint64(i))
	}
}

func (s *spmv) kernel() error {
	for round := range s.config.Rounds {
		if err := s.bring(round, s.here); err != nil {
			return err
		}
		s.matrix.times(s.out, s.here)
		s.work(len(s.matrix.column), spmvElement)
		if err := s.give(round+1, s.out); err != nil {
			return err
		}
		s.tick(round + 1)
	}
	return nil
}

func (s *spmv) judge() error {
	c := s.config
	var m matrix
	var v, out []float64
	err := s.twin(func() {
		m, v, out = c.matrix(0, c.Size), make([]float64, c.Size), make([]float64, c.Size)
		c.fillVector(v, 0)
	}, func() {
		for range c.Rounds {
			m.times(out, v)
			v, out = out, v
		}
	}, c.Rounds*c.Size*entries, spmvElement)
	if err != nil {
		return err
	}
	return same(s.run, s.rows, s.out, v, 1, math.Float64bits, "elements of the product are wrong")
}

// SerialSpMV is SpMV without a job: the vector after all rounds.
func SerialSpMV(c Config) []float64 {
	c = SpMV.withDefaults(c)
	m, v, out := c.matrix(0, c.Size), make([]float64, c.Size), make([]float64, c.Size)
	c.fillVector(v, 0)
	for range c.Rounds {
		m.times(out, v)
		v, out = out, v
	}
	return v
}

// byPages has two vectors of pages in turn, and brings the pages that are needed, neighbours at once.
type byPages struct {
	*spmv
	vectors [2]*pages.Slice[float64]
	spans   [][2]uint64
}

func (b *byPages) load(columns []uint32) (place []uint32, room int, err error) {
	for i, name := range []string{"even", "odd"} {
		b.vectors[i] = newSlice[float64](b.run, name, b.distribution(b.rank.Size()))
	}
	each := b.config.PageBytes / 8
	for _, column := range columns {
		home := int(column) / b.each * b.each
		lo := home + (int(column)-home)/each*each // pages begin anew at each home
		hi := min(lo+each, home+b.each, b.n)
		switch last := len(b.spans) - 1; {
		case last >= 0 && b.spans[last][1] == uint64(hi):
		case last >= 0 && b.spans[last][1] == uint64(lo) && lo != home:
			b.spans[last][1] = uint64(hi)
			room += hi - lo
		default:
			b.spans = append(b.spans, [2]uint64{uint64(lo), uint64(hi)})
			room += hi - lo
		}
		place = append(place, uint32(room-(hi-int(column))))
	}
	return place, room, nil
}

func (b *byPages) give(round int, part []float64) error {
	copy(b.vectors[round%2].Write(b.own()), part)
	return b.space.Barrier()
}

func (b *byPages) bring(round int, to []float64) error {
	for _, s := range b.spans {
		to = to[copy(to, b.vectors[round%2].Read(s[0], s[1])):]
	}
	return nil
}

// byGather has two arrays in turn, and brings the elements that are needed.
type byGather struct {
	*spmv
	vectors [2]*memory.Array[float64]
	needed  []uint64
}

func (b *byGather) load(columns []uint32) (place []uint32, room int, err error) {
	for i, name := range []string{"even", "odd"} {
		v := memory.NewArray[float64](b.memory, name, b.distribution(b.rank.Size()))
		b.vectors[i] = freed(b.run, v)
	}
	for i, column := range columns {
		b.needed = append(b.needed, uint64(column))
		place = append(place, uint32(i))
	}
	return place, len(columns), nil
}

func (b *byGather) give(round int, part []float64) error {
	copy(b.vectors[round%2].Local(), part)
	return b.rank.Barrier()
}

func (b *byGather) bring(round int, to []float64) error {
	return b.rank.Epoch(func() error {
		const most = 1 << 13
		for lo := 0; lo < len(to); lo += most {
			hi := min(lo+most, len(to))
			b.vectors[round%2].Gather(to[lo:hi], b.needed[lo:hi])
		}
		return nil
	})
}

// byPebbles has each rank tell the owners of elements once that it needs them, and where it has them. From then on
// they send them.
type byPebbles struct {
	*spmv
	part   []float64
	asked  []need // of this rank, by others
	values *target.Target[value]
	to     []float64
}

// need is an element that a rank needs, and where it has it.
type need struct{ Column, Rank, Place uint32 }

// value is one that comes.
type value struct {
	Rank, Place uint32
	Value       float64
}

func (b *byPebbles) load(columns []uint32) (place []uint32, room int, err error) {
	needs := target.New(b.rank, "needs", b.distribution(b.rank.Size()),
		target.Key(func(n need) uint64 { return uint64(n.Column) }),
		target.Each(func(n need) { b.asked = append(b.asked, n) }))
	b.values = target.New(b.rank, "values", distribution.Ranks(b.rank.Size()),
		target.Key(func(v value) uint64 { return uint64(v.Rank) }),
		target.Batch(func(vs []value) {
			for _, v := range vs {
				b.to[v.Place] = v.Value
			}
		}))
	err = b.rank.Epoch(func() error {
		for i, column := range columns {
			place = append(place, uint32(i))
			needs.Send(need{column, uint32(b.rank.ID()), uint32(i)})
		}
		return nil
	})
	// One rank after the other, and each in its order.
	slices.SortFunc(b.asked, func(x, y need) int {
		return int(x.Rank)<<32 + int(x.Place) - int(y.Rank)<<32 - int(y.Place)
	})
	return place, len(columns), err
}

func (b *byPebbles) give(_ int, part []float64) error {
	b.part = part
	return nil
}

func (b *byPebbles) bring(_ int, to []float64) error {
	b.to = to
	return b.rank.Epoch(func() error {
		for _, n := range b.asked {
			b.values.Send(value{n.Rank, n.Place, b.part[int(n.Column)-b.first]})
		}
		return nil
	})
}
