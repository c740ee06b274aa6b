package gravity

import (
	"encoding/binary"
	"errors"
	"math"
)

// Wire encodes branches for other processes as little-endian words: the number of cells, and each cell with its owner;
// or 0, and the particles of a bucket. It is a pebble.Codec.
type Wire struct{}

const (
	nodeWords   = 4 + 1 + len(Moments{}.Center) + 1 + len(Moments{}.Q2) + len(Moments{}.Q3) + len(Moments{}.Q4)
	sourceWords = 3 + 2
)

var errDamaged = errors.New("a branch of a tree is damaged")

// Schema names the encoding.
func (Wire) Schema() string { return "branches of an octree, 1" }

// Append implements pebble.Codec.
func (Wire) Append(to []byte, b *Branch) ([]byte, error) {
	to = binary.LittleEndian.AppendUint64(to, uint64(len(b.Cells)))
	for i := range b.Cells {
		to = b.Cells[i].append(to)
	}
	for i := range b.Sources {
		s := &b.Sources[i]
		to = appendNumbers(to, s.Pos[:])
		to = appendNumbers(to, []float64{s.Mass, s.Soft})
	}
	return to, nil
}

func (n *Node) append(to []byte) []byte {
	to = binary.LittleEndian.AppendUint64(to, uint64(n.ID))
	leaf := uint64(0)
	if n.Leaf {
		leaf = 1
	}
	to = binary.LittleEndian.AppendUint64(to, uint64(n.Count)<<1|leaf)
	to = binary.LittleEndian.AppendUint64(to, uint64(n.Owner))
	to = appendNumbers(to, []float64{n.Soft, n.Radius, n.Mass})
	to = appendNumbers(to, n.Center[:])
	to = appendNumbers(to, n.Q2[:])
	to = appendNumbers(to, n.Q3[:])
	return appendNumbers(to, n.Q4[:])
}

func appendNumbers(to []byte, numbers []float64) []byte {
	for _, x := range numbers {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(x))
	}
	return to
}

// Decode implements pebble.Codec. The branches below the cells must be requested.
func (Wire) Decode(from []byte) (*Branch, error) {
	if len(from) < 8 || len(from)%8 != 0 {
		return nil, errDamaged
	}
	n, r := binary.LittleEndian.Uint64(from), reader(from[8:])
	b := &Branch{}
	switch words := uint64(len(r) / 8); {
	case n > 8 || n > 0 && words != n*uint64(nodeWords) || n == 0 && words%sourceWords != 0:
		return nil, errDamaged
	case n > 0:
		b.Cells = make([]Cell, n)
		for i := range b.Cells {
			r.node(&b.Cells[i].Node)
		}
	default:
		b.Sources = make([]Source, words/sourceWords)
		for i := range b.Sources {
			s := &b.Sources[i]
			r.numbers(s.Pos[:])
			s.Mass, s.Soft = r.number(), r.number()
		}
	}
	return b, nil
}

// reader takes words from bytes that are known to contain them.
type reader []byte

func (r *reader) word() uint64 {
	w := binary.LittleEndian.Uint64(*r)
	*r = (*r)[8:]
	return w
}

func (r *reader) number() float64 { return math.Float64frombits(r.word()) }

func (r *reader) numbers(to []float64) {
	for i := range to {
		to[i] = r.number()
	}
}

func (r *reader) node(n *Node) {
	n.ID = ID(r.word())
	count := r.word()
	n.Count, n.Leaf, n.Remote = uint32(count>>1), count&1 != 0, true
	n.Owner = int32(r.word())
	n.Soft, n.Radius, n.Mass = r.number(), r.number(), r.number()
	r.numbers(n.Center[:])
	r.numbers(n.Q2[:])
	r.numbers(n.Q3[:])
	r.numbers(n.Q4[:])
}

// Fingerprint folds all fields of a branch, except the branches below its cells, by a function of two numbers.
func (b *Branch) Fingerprint(fold func(a, b uint64) uint64) (print uint64) {
	numbers := func(all ...float64) {
		for _, x := range all {
			print = fold(print, math.Float64bits(x))
		}
	}
	for i := range b.Cells {
		n := &b.Cells[i].Node
		print = fold(print, uint64(n.ID))
		print = fold(print, uint64(n.Count))
		numbers(n.Soft, n.Radius, n.Mass)
		numbers(n.Center[:]...)
		numbers(n.Q2[:]...)
		numbers(n.Q3[:]...)
		numbers(n.Q4[:]...)
	}
	for i := range b.Sources {
		s := &b.Sources[i]
		numbers(s.Mass, s.Soft)
		numbers(s.Pos[:]...)
	}
	return print
}
