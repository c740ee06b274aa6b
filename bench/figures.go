package main

import "fmt"

const (
	log2Least, log2Most = 8, 26
	millions, micro     = 1e-6, 1e6
)

// plan makes the series of one size.
type plan struct {
	binary string
	log2   int // table words of a rank of RandomAccess on 2 ranks
}

// figures lists what is measured.
func figures(binary string, log2 int) []group {
	p := plan{binary, log2}
	return []group{
		p.limits(), p.topologies(), p.factors(), p.credits(), p.buffers(), p.caches(), p.emptyEpochs(), p.shortEpochs(), p.applications(),
	}
}

// randomAccess is a run of 8 updates a word on tables that are 2^less times smaller than those on 2 ranks.
func (p plan) randomAccess(name string, less int, args string) *series {
	return app(p.binary, name, "M updates/s", "updates_per_second", millions, fmt.Sprintf(
		"randomaccess --updates-per-word 8 --log2-words %d %s", max(4, p.log2-less), args))
}

// limits holds RandomAccess against what it can't exceed. All runs have tables of the same size in all.
func (p plan) limits() group {
	return group{
		"RandomAccess", "Held against the same updates of the same tables without a message.", []*series{
			{name: "the same updates by 2 goroutines, no messages", unit: "M updates/s",
				measure: func() (float64, error) { return limitUpdates(p.log2, 2, 8) * millions, nil }},
			p.randomAccess("RandomAccess, 2 ranks, HPCC's rule", 0, "--ranks 2"),
			p.randomAccess("RandomAccess, 2 ranks, 4,096 a buffer", 0, "--ranks 2 --coalesce 4096"),
			p.randomAccess("RandomAccess, 16 ranks, HPCC's rule", 3, "--ranks 16"),
			p.randomAccess("RandomAccess, 2 processes over TCP, HPCC's rule", 0, "--procs 2"),
			p.randomAccess("RandomAccess, 2 processes over TCP, 4,096 a buffer", 0, "--procs 2 --coalesce 4096"),
		},
	}
}

// topologies leaves out two-stage and three-stage, which are direct in one process.
func (p plan) topologies() group {
	g := group{name: "Topologies", about: "What hops cost where they save nothing: in one process, and with enough pebbles " +
		"for full buffers. Routing pays where frames are dear, where buffers stay empty, and where reductions meet."}
	for _, topology := range []string{"direct", "mesh:2", "mesh:3", "hypercube", "tree"} {
		g.series = append(g.series, p.randomAccess("RandomAccess, 16 ranks, "+topology, 4,
			"--ranks 16 --coalesce 1024 --topology "+topology))
	}
	return g
}

func (p plan) factors() group {
	g := group{name: "Coalescing factor", about: "Pebbles a buffer, of 8 bytes each."}
	for _, factor := range []string{"64", "256", "1024", "4096"} {
		g.series = append(g.series,
			p.randomAccess("RandomAccess, 16 ranks, "+factor+" a buffer", 4, "--ranks 16 --coalesce "+factor))
	}
	return g
}

func (p plan) credits() group {
	g := group{name: "Credits", about: "Frames under way on a link. Shares are of 1."}
	for _, where := range []struct {
		name, args string
		less       int
	}{
		{"2 processes over TCP", "--procs 2", 2},
		{"8 ranks, hypercube", "--ranks 8 --topology hypercube", 4},
	} {
		var first *series
		for _, credits := range []string{"1", "2", "8", "32"} {
			s := p.randomAccess(fmt.Sprintf("RandomAccess, %s, credits %s", where.name, credits), where.less,
				fmt.Sprintf("%s --coalesce 1024 --credits %s", where.args, credits))
			if first == nil {
				first = s
			}
			s.against = first
			g.series = append(g.series, s)
		}
	}
	return g
}

// buffers compares them where they are full, and where a rank alone never fills one.
func (p plan) buffers() group {
	g := group{name: "Shared buffers", about: "2 processes over TCP, whose ranks share their buffers or don't: many pebbles, " +
		"or 32 from each rank to each. Shares are of separate buffers."}
	for _, ranks := range []int{4, 8, 16} {
		less := 3
		for r := 2; r < ranks; r *= 2 {
			less++
		}
		args := fmt.Sprintf("--ranks %d --procs 2 --coalesce 1024 --buffers ", ranks)
		g.pair(
			p.randomAccess(fmt.Sprintf("RandomAccess, %d ranks, separate buffers", ranks), less, args+"separate"),
			p.randomAccess(fmt.Sprintf("RandomAccess, %d ranks, shared buffers", ranks), less, args+"shared"))
	}
	for _, ranks := range []int{4, 8, 16} {
		sparse := func(buffers string) *series {
			return app(p.binary, fmt.Sprintf("all-to-all of 32 rounds, %d ranks, %s buffers", ranks, buffers), "M items/s",
				"items_per_second", millions, fmt.Sprintf("alltoall --rounds 32 --ranks %d --procs 2 --coalesce 1024 --buffers %s", ranks, buffers))
		}
		g.pair(sparse("separate"), sparse("shared"))
	}
	return g
}

// pair adds two series of which the second is held against the first.
func (g *group) pair(first, second *series) {
	first.against, second.against = first, first
	g.series = append(g.series, first, second)
}

// caches has as many keys as slots, and so many that none comes twice.
func (p plan) caches() group {
	g := group{name: "Reduction cache", about: "65,536 slots, for 2^16 keys, of which most pebbles can be merged, and for 2^23, " +
		"of which none can: there the cache switches itself off. Shares are of no cache."}
	items := max(4, p.log2-1)
	for _, where := range []struct{ name, args string }{{"2 ranks", "--ranks 2"}, {"2 processes over TCP", "--procs 2"}} {
		for _, kind := range []string{"sum", "distinct"} {
			for _, keys := range []int{16, 23} {
				reduce := func(name, entries string) *series {
					return app(p.binary, fmt.Sprintf("reduce by %s, 2^%d keys, %s, %s", kind, keys, where.name, name), "M items/s",
						"items_per_second", millions, fmt.Sprintf("reduce --items %d --keys %d --kind %s --cache %s %s",
							1<<items, 1<<keys, kind, entries, where.args))
				}
				g.pair(reduce("no cache", "0"), reduce("cache", "65536"))
			}
		}
	}
	return g
}

func (p plan) applications() group {
	tool := func(name, unit, field string, scale float64, line string) *series {
		return app(p.binary, name, unit, field, scale, line)
	}
	bfs := func(name, args string) *series {
		return tool("BFS, Kronecker 16, "+name+", 2 ranks", "M edges/s", "harmonic_mean_teps", millions,
			"bfs --kronecker 16 --roots 8 --ranks 2"+args)
	}
	return group{
		"Other applications", "Their sizes are the same whatever the size of RandomAccess.", []*series{
			tool("Permutation, 2 ranks", "M elements/s", "elements_per_second", millions, "permutation --log2-elements 20 --ranks 2"),
			tool("PointerChase, 2 ranks", "µs a hop", "seconds_per_hop", micro, "pointerchase --rounds 100000 --ranks 2"),
			tool("PointerChase, 2 processes over TCP", "µs a hop", "seconds_per_hop", micro, "pointerchase --rounds 5000 --procs 2"),
			bfs("level by level", ""),
			bfs("asynchronous", " --mode async"),
			bfs("direction-optimising", " --mode direction"),
		},
	}
}
