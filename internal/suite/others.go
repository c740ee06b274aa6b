package suite

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/benchmark"
)

// streams are what carries messages, alone.
func (o Options) streams() benchmark.Group {
	copies, tcp := "limit-copy, 2 goroutines", "limit-tcp, messages of 64 KiB"
	g := benchmark.Group{Name: "Streams", About: "What carries messages, alone: copies of memory, a ring in shared memory and a TCP " +
		"connection between two processes; and what all-to-all of 32-byte items makes of them."}
	g.Add(o.run(copies, bytes, fmt.Sprintf("limit copy --rounds %d", o.times(64)), ""))
	for _, size := range []int{4 << 10, 64 << 10} {
		messages := o.times(1 << 30 / size)
		g.Add(o.run(fmt.Sprintf("limit-ring, messages of %d KiB", size>>10), bytes,
			fmt.Sprintf("limit ring --bytes %d --messages %d", size, messages), copies))
		g.Add(o.run(fmt.Sprintf("limit-tcp, messages of %d KiB", size>>10), bytes,
			fmt.Sprintf("limit tcp --bytes %d --messages %d", size, messages), copies))
	}
	// Half of the items of two ranks are a rank's own.
	asBytes := metric{"items_per_second", 32e-9, bytes.unit, false}
	for _, p := range o.places(2) {
		g.Add(o.run("all-to-all of 32-byte items, 2 ranks, "+p.name, asBytes,
			fmt.Sprintf("alltoall --rounds %d %s", o.times(1<<21), p.flags), tcp))
	}
	return g
}

// caches has as many keys as slots, and so many that none comes twice.
func (o Options) caches() benchmark.Group {
	g := benchmark.Group{Name: "Reduction cache", About: "65,536 slots, for 2^16 keys, of which most pebbles can be merged, and for " +
		"2^23, of which none can: there the cache switches itself off. Ratios are to no cache."}
	for _, where := range []place{{"2 ranks", "--ranks 2"}, {"2 processes over TCP", "--procs 2 --transport tcp"}} {
		for _, kind := range []string{"sum", "distinct"} {
			for _, keys := range []int{16, 23} {
				row := fmt.Sprintf("reduce by %s, 2^%d keys, %s, ", kind, keys, where.name)
				for _, cache := range []struct{ name, entries string }{{"no cache", "0"}, {"cache", "65536"}} {
					g.Add(o.run(row+cache.name, items, fmt.Sprintf("reduce --items %d --keys %d --kind %s --cache %s %s",
						1<<o.less(words-1), 1<<keys, kind, cache.entries, where.flags), row+"no cache"))
				}
			}
		}
	}
	return g
}

func (o Options) applications() benchmark.Group {
	g := benchmark.Group{Name: "Other applications", About: "Permutation, all-to-all and reductions over each transport. Ratios are to " +
		"ranks in one process."}
	for _, app := range []struct {
		name, line string
		metric
	}{
		{"Permutation", fmt.Sprintf("permutation --log2-elements %d ", o.less(20)), elements},
		{"all-to-all", fmt.Sprintf("alltoall --rounds %d ", o.times(1<<20)), items},
		{"reduce to one key by max", fmt.Sprintf("reduce --kind max --items %d ", 1<<o.less(21)), items},
	} {
		first := app.name + ", 2 ranks"
		g.Add(o.run(first, app.metric, app.line+"--ranks 2", first))
		for _, p := range o.places(2)[1:] {
			g.Add(o.run(fmt.Sprintf("%s, 2 processes over %s", app.name, name(p)), app.metric, app.line+p.flags, first))
		}
	}
	return g
}

// Modes are those of bfs that are measured, and how documents call them. A mode that the program offers later joins here.
var Modes = []struct{ Flag, Name string }{{"level", "level by level"}, {"async", "asynchronous"}}

func (o Options) searches() benchmark.Group {
	scale := 16
	if o.Quick {
		scale = 12
	}
	g := benchmark.Group{Name: "Breadth-first search", About: "Edges a second by the rule of Graph500, the harmonic mean of 8 roots. " +
		"Ratios are to the search level by level in one process."}
	first := ""
	for _, p := range o.places(2) {
		for _, mode := range Modes {
			row := fmt.Sprintf("BFS, Kronecker %d, %s, 2 ranks, %s", scale, mode.Name, p.name)
			if first == "" {
				first = row
			}
			g.Add(o.run(row, edges, fmt.Sprintf("bfs --kronecker %d --roots 8 --mode %s %s", scale, mode.Flag, p.flags), first))
		}
	}
	return g
}

// latency holds a pebble's step against the bare step of what carries it.
func (o Options) latency() benchmark.Group {
	g := benchmark.Group{Name: "Latency", About: "One message of 64 bytes there and back, bare; and the steps of PointerChase. Ratios are " +
		"of speeds, to the same way between two processes."}
	switching, ring, tcp := "limit-switch, between goroutines", "limit-ring, ping-pong", "limit-tcp, ping-pong"
	g.Add(o.run(switching, hop, fmt.Sprintf("limit switch --rounds %d", o.times(1<<18)), ""))
	g.Add(o.run(ring, hop, fmt.Sprintf("limit ring --ping-pong --bytes 64 --messages %d", o.times(1<<19)), ""))
	g.Add(o.run(tcp, hop, fmt.Sprintf("limit tcp --ping-pong --bytes 64 --messages %d", o.times(1<<13)), ""))
	against := map[string]string{"mem": switching, "shm": ring, "tcp": tcp}
	for _, p := range o.places(2) {
		rounds := 1 << 17
		if p.name == "tcp" {
			rounds = 1 << 12
		}
		g.Add(o.run("PointerChase, 2 ranks, "+p.name, hop,
			fmt.Sprintf("pointerchase --rounds %d %s", o.times(rounds), p.flags), against[p.name]))
	}
	return g
}
