package uts

import "math"

// level says how many children the nodes of some height have. It is the benchmark's formula, ⌊log(1-u) / log(1-p)⌋ for
// geometric trees, as a table: a node's number is compared with those from which on there is one child more, and no
// logarithm is taken.
type level struct {
	most   int         // of binomial trees: children of nodes whose number is less than below
	below  uint32      //
	from   []uint32    // of geometric trees: from[k] is the least number of nodes with more than k children; the last is out of reach
	guided [1 << 8]int // by the first 8 of a number's 31 bits: children that there are at least
}

// numbers is how many numbers there are.
const numbers = 1 << 31

// children is how many children a node with this number has.
func (l *level) children(number uint32) int {
	if l.from == nil {
		if number < l.below {
			return l.most
		}
		return 0
	}
	n := l.guided[number>>23]
	for number >= l.from[n] {
		n++
	}
	return n
}

// levels are those of the tree's heights from 0 on; the last is that of all further ones.
func (t Tree) levels() (all []*level) {
	add := func(l *level) { all = append(all, l) }
	switch t.Shape {
	case Binomial:
		add(&level{most: int(math.Floor(t.Root)), below: numbers})
		add(t.binomial())
	case Fixed:
		one := geometric(t.Root)
		for range t.Depth {
			add(one)
		}
		add(geometric(0))
	case Linear:
		for h := range t.Depth {
			add(geometric(t.mean(h)))
		}
		add(geometric(0))
	case Cyclic:
		for h := range 5*t.Depth + 1 {
			add(geometric(t.mean(h)))
		}
		add(geometric(0))
	case Hybrid:
		for h := range (t.Depth + 1) / 2 { // all below half of the depth
			add(geometric(t.mean(h)))
		}
		add(t.binomial())
	}
	return all
}

// mean is the mean number of children at a height of a tree whose shape is linear, cyclic or hybrid.
func (t Tree) mean(height int) float64 {
	switch x := float64(height) / float64(t.Depth); {
	case height == 0:
		return t.Root
	case t.Shape == Cyclic:
		return math.Pow(t.Root, math.Sin(2*3.141592653589793*float64(height)/float64(t.Depth)))
	default:
		return t.Root * (1 - x)
	}
}

func (t Tree) binomial() *level {
	return &level{most: t.M, below: uint32(math.Ceil(min(t.Q, 1) * numbers))}
}

// geometric makes the level of a mean number of children.
func geometric(mean float64) *level {
	children := func(number uint32) int {
		u := float64(number) / numbers
		return min(int(math.Floor(math.Log(1-u)/math.Log(1-1/(1+mean)))), childrenMost)
	}
	l := &level{}
	for least := uint32(0); least < numbers; {
		low, high := least, uint32(numbers) // where there is one child more than at len(l.from)
		for low < high {
			if middle := low + (high-low)/2; children(middle) > len(l.from) {
				high = middle
			} else {
				low = middle + 1
			}
		}
		least = low
		l.from = append(l.from, least)
	}
	n := 0
	for i := range l.guided {
		for uint32(i)<<23 >= l.from[n] {
			n++
		}
		l.guided[i] = n
	}
	return l
}
