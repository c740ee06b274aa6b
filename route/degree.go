package route

// Degreed is a topology that knows how many neighbours a rank of it has at the most, so that nobody need count those of
// all.
type Degreed interface {
	Topology
	// Degree is the number of neighbours of the rank that has most of them.
	Degree() int
}

var (
	_ Degreed = direct(0)
	_ Degreed = hypercube(0)
	_ Degreed = (*mesh)(nil)
)

// Degree implements [Degreed].
func (d direct) Degree() int { return int(d) - 1 }

// Degree implements [Degreed]: rank 0 has a neighbour for each bit.
func (h hypercube) Degree() int { return h.bits() }

// Degree implements [Degreed]: from rank 0 all coordinates of each axis are there, also where the last face is not
// full.
func (m *mesh) Degree() int { return len(m.Neighbors(0)) }
