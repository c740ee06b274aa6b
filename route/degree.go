package route

// Degreed is a topology with a known largest number of neighbours, so that callers need not count those of all ranks.
type Degreed interface {
	Topology
	// Degree returns the largest number of neighbours of a rank.
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

// Degree implements [Degreed]: rank 0 has neighbours at all coordinates of each axis, also if the last face is not
// full.
func (m *mesh) Degree() int { return len(m.Neighbors(0)) }
