package suite

import "github.com/activepebbles/pebbles/internal/benchmark"

// Baseline is the name of the group that changes are held to.
const Baseline = "Baseline"

// exact are the counters that don't depend on timing. Frames and flushes do: what is due or idle leaves a buffer early.
var exact = []string{"counters.pebbles_sent", "counters.pebbles_handled", "counters.forwarded", "counters.merged",
	"counters.bytes_sent", "counters.epochs"}

// baseline is small, and runs on one core: then it does not matter how near the cores are to each other, and little what else
// runs on them. So its ratios are those of the work that the code makes, and stay what they are on other machines. Its sizes
// are the same in a quick suite.
func (o Options) baseline() benchmark.Group {
	tables, switching := "limit-updates, one core", "limit-switch, one core"
	g := benchmark.Group{Name: Baseline, About: "What changes are held to: all ranks on one core, tables in its cache."}
	add := func(name string, m metric, line, against string, exact ...string) {
		c := o.run(name, m, line, against)
		c.Env = []string{"GOMAXPROCS=1"}
		c.Line = "GOMAXPROCS=1 " + c.Line
		c.Exact = exact
		g.Add(c)
	}
	const rate, time = "M/s", "µs"
	add(tables, updates.in(rate), "limit updates --log2-words 14 --updates-per-word 2048", "", "updates")
	add("RandomAccess, 2 ranks, one core", updates.in(rate), "randomaccess --ranks 2 --log2-words 14 --updates-per-word 512 --coalesce 1024",
		tables, append(exact, "updates")...)
	add("RandomAccess, 8 ranks of a hypercube, one core", updates.in(rate),
		"randomaccess --ranks 8 --log2-words 12 --updates-per-word 128 --coalesce 256 --topology hypercube", tables, append(exact, "updates")...)
	add("Permutation, 2 ranks, one core", elements.in(rate), "permutation --ranks 2 --log2-elements 20", tables,
		append(exact, "elements")...)
	add("all-to-all, 4 ranks, one core", items.in(rate), "alltoall --ranks 4 --rounds 262144", tables,
		append(exact, "items")...)
	add("reduce by sum, 2 ranks, one core", items.in(rate), "reduce --ranks 2 --items 6000000 --keys 4096 --cache 0",
		tables, append(exact, "items")...)
	add(switching, hop.in(time), "limit switch --rounds 400000", "")
	add("PointerChase, 2 ranks, one core", hop.in(time), "pointerchase --ranks 2 --rounds 200000", switching, append(exact, "hops")...)
	add("an empty epoch, 4 ranks, one core", epoch.in(time), "epochs --ranks 4 --count 40000 --termination nbx",
		switching, append(exact, "epochs")...)
	return g
}
