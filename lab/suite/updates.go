package suite

import (
	"fmt"
	"math/bits"

	"github.com/activepebbles/pebbles/lab"
)

// words is the binary logarithm of the number of table words of a rank of RandomAccess on 2 ranks: 32 MiB, more than
// the caches of a core.
const words = 22

// updates returns a run of RandomAccess on tables of 2^log2 words in each rank.
func (o Options) updates(name string, log2, perWord int, flags, against string) lab.Case {
	return o.run(name, updates, fmt.Sprintf("randomaccess --updates-per-word %d --log2-words %d %s", perWord, log2,
		flags), against)
}

// update returns a run with 8 updates per word.
func (o Options) update(name string, log2 int, flags, against string) lab.Case {
	return o.updates(name, log2, 8, flags, against)
}

// limitUpdates returns the same number of updates of tables of the same size without messages.
func (o Options) limitUpdates(name string, log2, perWord int, flags, against string) lab.Case {
	return o.run(name, updates, fmt.Sprintf("limit updates --updates-per-word %d --log2-words %d %s", perWord, log2,
		flags), against)
}

// randomAccess goes from tables in a core's cache to tables beyond all caches. Tables of applications are in huge
// pages, and so are those of the limits, except one.
func (o Options) randomAccess() lab.Group {
	g := lab.Group{Name: "RandomAccess", Title: "RandomAccess beside updates without messages",
		About: "Compared with the same updates of the same tables, in huge pages too, without a message; single " +
			"sends against batches."}
	for _, size := range []struct{ log2, perWord int }{{20, 16}, {words, 4}, {25, 1}} {
		log2 := o.less(size.log2)
		limit := fmt.Sprintf("limit-updates, 2^%d words a rank, huge pages", log2)
		g.Add(o.limitUpdates(limit, log2, size.perWord, "--huge", ""))
		if size.log2 == words {
			g.Add(o.limitUpdates(fmt.Sprintf("limit-updates, 2^%d words a rank", log2), log2, size.perWord, "", limit))
		}
		for _, p := range o.places(2) {
			row := fmt.Sprintf("RandomAccess, 2^%d words a rank, %s, ", log2, where(p, 2))
			add := func(what, flags, against string) {
				c := o.updates(row+what, log2, size.perWord, p.flags+flags, against)
				c.Work = fmt.Sprintf("2^%d words", log2)
				g.Add(c)
			}
			add("HPCC's rule", "", limit)
			add("4,096 a buffer", " --coalesce 4096", limit)
			if size.log2 == 20 {
				add("single sends", " --coalesce 4096 --one-by-one", row+"4,096 a buffer")
			}
		}
	}
	return g
}

// where returns the name of a place in documents.
func where(p place, ranks int) string {
	if p.name == "mem" {
		return fmt.Sprintf("%d ranks", ranks)
	}
	return "2 processes over " + name(p)
}

// name returns the name in documents of a transport between processes.
func name(p place) string {
	if p.name == "tcp" {
		return "TCP"
	}
	return p.name
}

// ranks measures increasing numbers of ranks on the same cores.
func (o Options) ranks() lab.Group {
	log2 := o.less(20)
	g := lab.Group{Name: "Ranks", Title: "RandomAccess on more and more ranks of the same cores",
		About: fmt.Sprintf("RandomAccess with 2^%d words in each rank and 4,096 updates a buffer. Compared "+
			"with as many goroutines that each update such a table of their own, in huge pages; 16 ranks in two "+
			"processes, too.", log2)}
	for _, ranks := range []int{2, 4, 8, 16} {
		perWord := 32 / ranks
		limit := fmt.Sprintf("limit-updates, %d tables", ranks)
		g.Add(o.limitUpdates(limit, log2, perWord, fmt.Sprintf("--ranks %d --huge", ranks), ""))
		places := o.places(ranks)
		if ranks < 16 {
			places = places[:1]
		}
		for _, p := range places {
			c := o.updates(fmt.Sprintf("RandomAccess, %d ranks of 2^%d words, %s", ranks, log2, p.name), log2, perWord,
				p.flags+" --coalesce 4096", limit)
			c.Work = fmt.Sprintf("%d ranks", ranks)
			g.Add(c)
		}
	}
	return g
}

// crossover uses tables of the same size in all runs.
func (o Options) crossover() lab.Group {
	g := lab.Group{Name: "Crossover", Title: "RandomAccess, direct and over a hypercube, on more and more ranks",
		About: "RandomAccess over direct and hypercube, as the ranks of one process grow. HPCC's rule divides 1,024 " +
			"waiting updates among P-1 neighbours under direct, and among log2 P under hypercube: direct has the " +
			"smaller buffers, the more so the more ranks there are. Under hypercube an update takes log2 P / 2 hops " +
			"in the mean, and each costs another pass over it: with buffers of the same size, only the passes remain."}
	for _, buffers := range []struct{ name, flags string }{{"HPCC's rule", ""},
		{"1,024 a buffer", " --coalesce 1024"}} {
		for _, ranks := range []int{8, 16, 64} {
			for _, topology := range []string{"direct", "hypercube"} {
				row := fmt.Sprintf("RandomAccess, %d ranks, %%s, %s", ranks, buffers.name)
				c := o.updates(fmt.Sprintf(row, topology), o.less(words)-bits.Len(uint(ranks))+1, 4,
					fmt.Sprintf("--ranks %d --topology %s%s", ranks, topology, buffers.flags),
					fmt.Sprintf(row, "direct"))
				c.Work = "updates" // the table is the same for all distributions
				c.Point = &lab.Point{Curve: topology + ", " + buffers.name, Axis: "ranks", At: float64(ranks)}
				g.Add(c)
			}
		}
	}
	return g
}

// memory uses tables that take nearly all memory of a process. The memory of a rank's frames does not grow with them.
func (o Options) memory() lab.Group {
	large, small := o.less(25), o.less(20)
	g := lab.Group{Name: "Memory", Title: "Memory of RandomAccess",
		About: "The most that one process of RandomAccess had resident, for each byte of its tables; and the most " +
			"that the frames, queues and caches of one rank took."}
	buffers := metric{"memory.buffers_peak", 1.0 / 1024, "KiB a rank", true}
	for _, p := range o.places(2) {
		ranks := 2 // per process
		if p.name != "mem" {
			ranks = 1
		}
		resident := metric{"memory.resident_peak", 1 / float64(ranks<<large*8), "bytes a byte of tables", true}
		g.Add(o.run(fmt.Sprintf("RandomAccess, 2^%d words a rank, %s, resident", large, where(p, 2)), resident,
			fmt.Sprintf("randomaccess --updates-per-word 0.25 --log2-words %d %s", large, p.flags), ""))
		g.Add(o.run(fmt.Sprintf("RandomAccess, 2^%d words a rank, %s, buffers", small, where(p, 2)), buffers,
			fmt.Sprintf("randomaccess --updates-per-word 8 --log2-words %d %s", small, p.flags), ""))
	}
	return g
}

// topologies leaves out two-stage and three-stage, which are direct in one process.
func (o Options) topologies() lab.Group {
	g := lab.Group{Name: "Topologies", Title: "RandomAccess by topology, on 16 ranks of one process",
		About: "What hops cost where they save nothing: in one process, and with enough pebbles for full buffers. " +
			"Routing pays where frames are dear, where buffers stay empty, and where reductions meet."}
	for _, topology := range []string{"direct", "mesh:2", "mesh:3", "hypercube", "tree"} {
		g.Add(o.update("RandomAccess, 16 ranks, "+topology, o.less(words-4),
			"--ranks 16 --coalesce 1024 --topology "+topology,
			"RandomAccess, 16 ranks, direct"))
	}
	return g
}

func (o Options) factors() lab.Group {
	g := lab.Group{Name: "Coalescing factor", Title: "RandomAccess by pebbles a buffer",
		About: "Pebbles a buffer, of 8 bytes each."}
	for _, factor := range []string{"64", "256", "1024", "4096"} {
		g.Add(o.update("RandomAccess, 16 ranks, "+factor+" a buffer", o.less(words-4), "--ranks 16 --coalesce "+factor,
			"RandomAccess, 16 ranks, 64 a buffer"))
	}
	return g
}

func (o Options) credits() lab.Group {
	g := lab.Group{Name: "Credits", Title: "RandomAccess by credits of a link",
		About: "Frames in flight on a link."}
	for _, where := range []struct {
		name, flags string
		log2        int
	}{
		{"2 processes over TCP", "--procs 2 --transport tcp", words - 2},
		{"8 ranks, hypercube", "--ranks 8 --topology hypercube", words - 4},
	} {
		first := fmt.Sprintf("RandomAccess, %s, credits 1", where.name)
		for _, credits := range []string{"1", "8", "32"} {
			g.Add(o.update(fmt.Sprintf("RandomAccess, %s, credits %s", where.name, credits), o.less(where.log2),
				fmt.Sprintf("%s --coalesce 1024 --credits %s", where.flags, credits), first))
		}
	}
	return g
}
