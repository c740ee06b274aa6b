package suite

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/benchmark"
)

// words is the binary logarithm of the table words of a rank of RandomAccess on 2 ranks: 32 MiB, beyond the caches of a core.
const words = 22

// update is a run of RandomAccess with 8 updates a word, on tables of 2^log2 words in each rank.
func (o Options) update(name string, log2 int, flags, against string) benchmark.Case {
	return o.run(name, updates, fmt.Sprintf("randomaccess --updates-per-word 8 --log2-words %d %s", log2, flags), against)
}

// limitUpdates are as many updates of tables of the same size without messages.
func (o Options) limitUpdates(name string, log2 int, flags, against string) benchmark.Case {
	return o.run(name, updates, fmt.Sprintf("limit updates --updates-per-word 8 --log2-words %d%s", log2, flags), against)
}

// randomAccess holds RandomAccess against what it can't exceed. All runs have tables of the same size in all.
func (o Options) randomAccess() benchmark.Group {
	log2 := o.less(words)
	limit := "limit-updates, 2 goroutines"
	g := benchmark.Group{Name: "RandomAccess", About: "Held against the same updates of the same tables without a message."}
	g.Add(o.limitUpdates(limit, log2, "", ""))
	g.Add(o.limitUpdates("limit-updates, 2 goroutines, huge pages", log2, " --huge", limit))
	add := func(name string, log2 int, flags string) {
		c := o.update(name, log2, flags, limit)
		c.Work = "updates" // the table is the same however it is spread
		g.Add(c)
	}
	add("RandomAccess, 2 ranks, HPCC's rule", log2, "--ranks 2")
	add("RandomAccess, 2 ranks, 4,096 a buffer", log2, "--ranks 2 --coalesce 4096")
	add("RandomAccess, 4 ranks, HPCC's rule", log2-1, "--ranks 4")
	add("RandomAccess, 16 ranks, HPCC's rule", log2-3, "--ranks 16")
	for _, p := range o.places(2)[1:] {
		where := "RandomAccess, 2 processes over " + name(p)
		add(where+", HPCC's rule", log2, p.flags)
		add(where+", 4,096 a buffer", log2, p.flags+" --coalesce 4096")
	}
	return g
}

// name is how documents call a transport between processes.
func name(p place) string {
	if p.name == "tcp" {
		return "TCP"
	}
	return p.name
}

// sizes goes from tables in a core's cache to tables beyond all caches.
func (o Options) sizes() benchmark.Group {
	g := benchmark.Group{Name: "Sizes of tables", About: "RandomAccess on 2 ranks over each transport, each size against its own limit."}
	for _, size := range []int{16, 20, 24} {
		limit := fmt.Sprintf("limit-updates, 2^%d words", size)
		log2 := o.less(size)
		g.Add(o.limitUpdates(limit, log2, "", ""))
		for _, p := range o.places(2) {
			c := o.update(fmt.Sprintf("RandomAccess, 2^%d words a rank, %s", size, p.name), log2, p.flags, limit)
			c.Work = fmt.Sprintf("2^%d words", size)
			g.Add(c)
		}
	}
	return g
}

// topologies leaves out two-stage and three-stage, which are direct in one process.
func (o Options) topologies() benchmark.Group {
	g := benchmark.Group{Name: "Topologies", About: "What hops cost where they save nothing: in one process, and with enough pebbles " +
		"for full buffers. Routing pays where frames are dear, where buffers stay empty, and where reductions meet."}
	for _, topology := range []string{"direct", "mesh:2", "mesh:3", "hypercube", "tree"} {
		g.Add(o.update("RandomAccess, 16 ranks, "+topology, o.less(words-4), "--ranks 16 --coalesce 1024 --topology "+topology,
			"RandomAccess, 16 ranks, direct"))
	}
	return g
}

func (o Options) factors() benchmark.Group {
	g := benchmark.Group{Name: "Coalescing factor", About: "Pebbles a buffer, of 8 bytes each."}
	for _, factor := range []string{"64", "256", "1024", "4096"} {
		g.Add(o.update("RandomAccess, 16 ranks, "+factor+" a buffer", o.less(words-4), "--ranks 16 --coalesce "+factor,
			"RandomAccess, 16 ranks, 64 a buffer"))
	}
	return g
}

func (o Options) credits() benchmark.Group {
	g := benchmark.Group{Name: "Credits", About: "Frames under way on a link. Ratios are to 1."}
	for _, where := range []struct {
		name, flags string
		log2        int
	}{
		{"2 processes over TCP", "--procs 2 --transport tcp", words - 2},
		{"8 ranks, hypercube", "--ranks 8 --topology hypercube", words - 4},
	} {
		first := fmt.Sprintf("RandomAccess, %s, credits 1", where.name)
		for _, credits := range []string{"1", "2", "8", "32"} {
			g.Add(o.update(fmt.Sprintf("RandomAccess, %s, credits %s", where.name, credits), o.less(where.log2),
				fmt.Sprintf("%s --coalesce 1024 --credits %s", where.flags, credits), first))
		}
	}
	return g
}

// buffers compares them where they are full, and where a rank alone never fills one.
func (o Options) buffers() benchmark.Group {
	g := benchmark.Group{Name: "Shared buffers", About: "2 processes over TCP, whose ranks share their buffers or don't: many pebbles, " +
		"or 32 from each rank to each. Ratios are to separate buffers."}
	for i, ranks := range []int{4, 8, 16} {
		flags := fmt.Sprintf("--ranks %d --procs 2 --transport tcp --coalesce 1024 --buffers ", ranks)
		first := fmt.Sprintf("RandomAccess, %d ranks, separate buffers", ranks)
		log2 := o.less(words - 4 - i)
		g.Add(o.update(first, log2, flags+"separate", first))
		g.Add(o.update(fmt.Sprintf("RandomAccess, %d ranks, shared buffers", ranks), log2, flags+"shared", first))
	}
	for _, ranks := range []int{4, 8, 16} {
		first := fmt.Sprintf("all-to-all of 32 rounds, %d ranks, separate buffers", ranks)
		for _, buffers := range []string{"separate", "shared"} {
			g.Add(o.run(fmt.Sprintf("all-to-all of 32 rounds, %d ranks, %s buffers", ranks, buffers), items, fmt.Sprintf(
				"alltoall --rounds 32 --ranks %d --procs 2 --transport tcp --coalesce 1024 --buffers %s", ranks, buffers), first))
		}
	}
	return g
}
