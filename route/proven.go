package route

// Proven reports whether a topology belongs to this package, whose tests prove soundness for all numbers of ranks up to
// a bound. Others are checked when they are registered.
func Proven(t Topology) bool {
	switch t := t.(type) {
	case direct, hypercube, *mesh, *torus, ring, tree, twoStage, threeStage, hosts:
		return true
	case dynamic:
		return Proven(t.base)
	}
	return false
}
