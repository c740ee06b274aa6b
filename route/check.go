package route

// Check proves a topology over all pairs: every next hop is a neighbour, every route arrives without a loop, and the
// promises of a [Router], [Staged] or [Bounded] hold. Its error names the first pair of ranks, in order of the source,
// with a bad route. It costs O(P²) time, about 50 ns per pair, and 16 MiB or 8 bytes per rank of memory; [CheckFrom]
// divides the work among the ranks of a job.
func Check(t Topology) (Shape, error) {
	r, err := newRules(t)
	if err != nil {
		return Shape{Ranks: t.Ranks()}, err
	}
	s := newSurvey(r)
	if err := s.run(); err != nil {
		return s.shape, err
	}
	if s.fault != nobody {
		_, err := r.follow(s.fault.at, s.fault.dest)
		if err == nil {
			err = r.errorf("it answers differently when asked again: a topology is a pure function of rank numbers")
		}
		return s.shape, err
	}
	return s.shape, nil
}

// CheckFrom proves the routes that start at one rank. All ranks together prove the topology. It costs the hops of these
// routes, and the neighbours of the ranks that they pass.
func CheckFrom(t Topology, at int) (Shape, error) {
	s := Shape{Ranks: t.Ranks()}
	r, err := newRules(t)
	if err != nil {
		return s, err
	}
	own, err := r.neighbors(at)
	if err != nil {
		return s, err
	}
	s.NeighborsMax, s.Links, s.Stages = len(own.listed), len(own.listed), r.stages
	hops := 0
	for dest := range s.Ranks {
		n, err := r.follow(at, dest)
		if err != nil {
			return s, err
		}
		s.Diameter = max(s.Diameter, n)
		hops += n
	}
	if s.Ranks > 1 {
		s.MeanHops = float64(hops) / float64(s.Ranks-1)
	}
	return s, nil
}
