package suite

import "github.com/activepebbles/pebbles/lab"

// Baseline is the name of the group that changes are compared with.
const Baseline = "Baseline"

// exact are the counters that do not depend on timing. Frames and flushes do: pebbles that are due, or of an idle rank,
// leave a buffer early.
var exact = []string{"counters.pebbles_sent", "counters.pebbles_handled", "counters.forwarded", "counters.merged",
	"counters.bytes_sent", "counters.epochs"}

// baseline is small, and runs on one core, so the distance of cores does not matter. Its figures are per processor
// time, which other programs hardly change. So its ratios are those of the code's work, and hold on other machines. Its
// sizes are the same in a quick suite.
func (o Options) baseline() lab.Group {
	tables, switching := "limit-updates, one core", "limit-switch, one core"
	g := lab.Group{Name: Baseline, Title: "Baseline that changes are held to",
		About: "What changes are held to: all ranks on one core, tables in its cache. Figures are of the time of the " +
			"processor, set-up and verification included."}
	add := func(name, amount, line, against string, exact ...string) {
		c := o.run(name, metric{amount, millions, "M a CPU second", false}, line, against)
		c.PerCPU = true
		c.Env = []string{"GOMAXPROCS=1"}
		c.Line = "GOMAXPROCS=1 " + c.Line
		c.Exact = append([]string{amount}, exact...)
		g.Add(c)
	}
	add(tables, "updates", "limit updates --log2-words 14 --updates-per-word 2048", "")
	add("RandomAccess, 2 ranks, one core", "updates",
		"randomaccess --ranks 2 --log2-words 14 --updates-per-word 512 --coalesce 1024", tables, exact...)
	add("RandomAccess, 8 ranks of a hypercube, one core", "updates",
		"randomaccess --ranks 8 --log2-words 12 --updates-per-word 128 --coalesce 256 --topology hypercube", tables,
		exact...)
	add("Permutation, 2 ranks, one core", "elements", "permutation --ranks 2 --log2-elements 19", tables, exact...)
	add("all-to-all, 4 ranks, one core", "items", "alltoall --ranks 4 --rounds 262144", tables, exact...)
	add("reduce by sum, 2 ranks, one core", "items", "reduce --ranks 2 --items 6000000 --keys 4096 --cache 0", tables,
		exact...)
	add(switching, "hops", "limit switch --rounds 600000", "")
	add("PointerChase, 2 ranks, one core", "hops", "pointerchase --ranks 2 --rounds 200000", switching, exact...)
	add("an empty epoch, 4 ranks, one core", "epochs", "epochs --ranks 4 --count 30000 --termination nbx", switching,
		exact...)
	return g
}
