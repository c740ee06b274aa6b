package graph

import "fmt"

// The initiator of Graph500, in percent: the probability that an edge falls into the quadrant (low,low), (low,high) or
// (high,low) of the adjacency matrix, and then of that quadrant, recursively. (high,high) has the remaining 5.
const (
	initiatorA = 57
	initiatorB = 19
	initiatorC = 19
)

// Cumulative probabilities in units of 2^-32. Half of a random word decides one level.
const (
	uptoA uint64 = initiatorA << 32 / 100
	uptoB uint64 = (initiatorA + initiatorB) << 32 / 100
	uptoC uint64 = (initiatorA + initiatorB + initiatorC) << 32 / 100
)

const (
	kroneckerEdges  = 1 // purposes of random streams
	kroneckerLabels = 2
)

type kronecker struct {
	size
	words  stream
	labels scramble
}

// Kronecker returns the Graph500 graph of 2^scale vertices and edgeFactor·2^scale undirected edges. Its quadrant
// probabilities are .57, .19, .19, .05. A bijection scrambles vertex labels, so that a label does not reveal the
// degree. Edges are drawn independently, so their order needs no shuffle. An edge costs scale/2 random words, under 100
// ns at scale 20.
func Kronecker(scale, edgeFactor int, seed uint64) (Generator, error) {
	s, err := newSize("Kronecker", scale, edgeFactor, seed)
	if err != nil {
		return nil, err
	}
	return &kronecker{s, newStream(seed, kroneckerEdges), newScramble(scale, newStream(seed, kroneckerLabels))}, nil
}

// Fill implements Generator.
func (k *kronecker) Fill(first uint64, edges []Edge) {
	k.check(first, edges)
	for i := range edges {
		from, to := k.cell(first + uint64(i))
		edges[i] = Edge{k.labels.apply(from), k.labels.apply(to)}
	}
}

// cell draws the cell of the adjacency matrix of an edge. It takes two levels from each of the edge's random words.
func (k *kronecker) cell(edge uint64) (from, to uint64) {
	levels := k.scale
	position := edge * (uint64(levels+1) / 2)
	for ; levels >= 2; levels -= 2 {
		word := k.words.at(position)
		position++
		high, low := quadrant(word>>32), quadrant(word&(1<<32-1))
		from = from<<2 | high&2 | low>>1
		to = to<<2 | high&1<<1 | low&1
	}
	if levels == 1 {
		last := quadrant(k.words.at(position) >> 32)
		from, to = from<<1|last>>1, to<<1|last&1
	}
	return from, to
}

// quadrant turns 32 random bits into 0 (A), 1 (B), 2 (C) or 3 (D) without a branch: each limit reached gives a borrow.
func quadrant(r uint64) uint64 {
	return (uptoA-1-r)>>63 + (uptoB-1-r)>>63 + (uptoC-1-r)>>63
}

// Directed implements Generator.
func (k *kronecker) Directed() bool { return false }

// Describe implements Generator.
func (k *kronecker) Describe() string {
	return fmt.Sprintf("Kronecker scale %d, edge factor %d, seed %d", k.scale, k.edgeFactor, k.seed)
}

// scrambleRounds is the number of rounds that make a label look random. Each round spreads every bit up and back.
const scrambleRounds = 4

// scramble is a keyed bijection on the labels 0..2^scale-1. Its steps can each be undone: multiplication by an odd
// number, addition, and folding the upper half of the bits onto the lower.
type scramble struct {
	mask        uint64
	fold        int
	factor, add [scrambleRounds]uint64
}

func newScramble(scale int, keys stream) scramble {
	s := scramble{mask: 1<<scale - 1, fold: (scale + 1) / 2}
	for i := range scrambleRounds {
		s.factor[i], s.add[i] = keys.at(uint64(2*i))|1, keys.at(uint64(2*i+1))
	}
	return s
}

func (s *scramble) apply(label uint64) uint64 {
	for i := range scrambleRounds {
		label = (label*s.factor[i] + s.add[i]) & s.mask
		label ^= label >> s.fold
	}
	return label
}
