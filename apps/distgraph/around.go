package distgraph

// Around returns rows of the neighbours of this rank's vertices, over arcs of both directions, in the order of rows. In
// a directed graph it makes new rows and lists a neighbour twice if arcs lead to it and come from it. It makes Into
// first if it is nil, and returns an error if the available memory is too small. In an undirected graph it returns the
// rows of p. All ranks call it, between epochs.
func (p *Part[V]) Around(g *Graph) (*Rows[V], error) {
	if g.Undirected {
		return p.Rows, nil
	}
	if err := p.NeedInto(g); err != nil {
		return nil, err
	}
	need := 2 * g.IndexBytes() * float64(g.Edges) / float64(g.Rank.Size())
	if err := g.Fits("join the arcs both ways of", need); err != nil {
		return nil, err
	}
	made := &Rows[V]{
		Offsets: make([]uint64, 1, g.Local+1), Heads: make([]V, 0, len(p.Heads)+len(p.Into.Heads)),
	}
	for v := range g.Local {
		made.Heads = merge(made.Heads, p.Row(V(v)), p.Into.Row(V(v)))
		made.Offsets = append(made.Offsets, uint64(len(made.Heads)))
	}
	return made, nil
}

// merge appends two sorted lists to a third, in order.
func merge[V Index](to, a, b []V) []V {
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			to, a = append(to, a[0]), a[1:]
		} else {
			to, b = append(to, b[0]), b[1:]
		}
	}
	return append(append(to, a...), b...)
}
