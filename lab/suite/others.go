package suite

import (
	"fmt"

	"github.com/activepebbles/pebbles/lab"
)

// streams are bare streams of bytes, without messages.
func (o Options) streams() lab.Group {
	copies, ring, tcp := "limit-copy, 2 goroutines", "limit-ring, messages of %d KiB", "limit-tcp, messages of %d KiB"
	g := lab.Group{Name: "Streams", Title: "What carries messages, and all-to-all over it",
		About: "What carries messages, alone: copies of memory, a ring in shared memory and a TCP connection between " +
			"two processes; and what all-to-all of 32-byte items makes of them."}
	g.Add(o.run(copies, bytes, fmt.Sprintf("limit copy --rounds %d", o.times(64)), ""))
	for _, size := range []int{4, 64} {
		messages := o.times(1 << 20 / size)
		g.Add(o.run(fmt.Sprintf(ring, size), bytes, fmt.Sprintf("limit ring --bytes %d --messages %d", size<<10,
			messages), copies))
		g.Add(o.run(fmt.Sprintf(tcp, size), bytes, fmt.Sprintf("limit tcp --bytes %d --messages %d", size<<10,
			messages), copies))
	}
	// Half of the items of two ranks are a rank's own.
	asBytes := metric{"items_per_second", 32e-9, bytes.unit, false}
	against := map[string]string{"mem": copies, "shm": fmt.Sprintf(ring, 64), "tcp": fmt.Sprintf(tcp, 64)}
	for _, p := range o.places(2) {
		g.Add(o.run("all-to-all of 32-byte items, 2 ranks, "+p.name, asBytes,
			fmt.Sprintf("alltoall --rounds %d %s", o.times(1<<21), p.flags), against[p.name]))
	}
	return g
}

// caches uses keys whose tallies fit a core's cache, and keys whose tallies do not; and as many keys as slots, which
// merge well.
func (o Options) caches() lab.Group {
	g := lab.Group{Name: "Reductions", Title: "Reductions with a cache and without",
		About: "Items of random keys, counted under each key in 8 bytes, or summed in 16. The cache has 65,536 " +
			"slots: of 2^16 keys it can merge most pebbles, of 2^19 a few, and of 2^23 none, where it switches " +
			"itself off, at its source as at hops."}
	add := func(kind string, keys int, where, flags string) {
		row := fmt.Sprintf("reduce by %s, 2^%d keys, %s, ", kind, keys, where)
		for _, cache := range []struct{ name, entries string }{{"no cache", "0"}, {"cache", "65536"}} {
			g.Add(o.run(row+cache.name, items, fmt.Sprintf("reduce --items %d --keys %d --kind %s --cache %s %s",
				1<<o.less(words-1), 1<<keys, kind, cache.entries, flags), row+"no cache"))
		}
	}
	for _, p := range o.places(2) {
		add("count", 19, where(p, 2), p.flags)
		add("count", 23, where(p, 2), p.flags)
		add("sum", 16, where(p, 2), p.flags)
		if p.name == "mem" { // elsewhere as with count
			add("sum", 19, where(p, 2), p.flags)
			add("sum", 23, where(p, 2), p.flags)
		}
	}
	for _, keys := range []int{19, 23} {
		add("count", keys, "8 ranks, hypercube", "--ranks 8 --topology hypercube")
	}
	return g
}

// permutations are of arrays within reach of a core's cache, and of some beyond.
func (o Options) permutations() lab.Group {
	g := lab.Group{Name: "Permutation", Title: "Permutation beside shared arrays without messages",
		About: "Compared with the same work on arrays that two goroutines share, in huge pages too, without a message."}
	for _, size := range []int{20, 22} {
		log2 := o.less(size)
		limit := fmt.Sprintf("limit-permutation, 2^%d elements a rank, huge pages", log2)
		line := fmt.Sprintf("permutation --log2-elements %d ", log2)
		g.Add(o.run(limit, elements, "limit "+line+"--huge", ""))
		if size == 20 {
			g.Add(o.run(fmt.Sprintf("limit-permutation, 2^%d elements a rank", log2), elements, "limit "+line, limit))
		}
		for _, p := range o.places(2) {
			g.Add(o.run(fmt.Sprintf("Permutation, 2^%d elements a rank, %s", log2, where(p, 2)), elements, line+p.flags,
				limit))
		}
	}
	return g
}

func (o Options) applications() lab.Group {
	g := lab.Group{Name: "Other applications", Title: "All-to-all and reductions over each transport",
		About: "All-to-all and reductions over each transport."}
	for _, app := range []struct {
		name, line string
		metric
	}{
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

// Modes are the measured modes of bfs, and their names in documents. Add new modes of the program here.
var Modes = []struct{ Flag, Name string }{{"level", "level by level"}, {"async", "asynchronous"},
	{"direction", "direction-optimising"}}

// searches uses fewer roots on the largest graph, since making and checking it takes long.
func (o Options) searches() lab.Group {
	g := lab.Group{Name: "Breadth-first search", Title: "Breadth-first search by mode and transport",
		About: "Edges a second by the rule of Graph500, the harmonic mean of 8 roots, of 4 at scale 20."}
	if o.Quick {
		o.search(&g, 12, 8, o.places(2))
		return g
	}
	o.search(&g, 16, 8, o.places(2))
	o.search(&g, 18, 8, o.places(2))
	o.search(&g, 20, 4, o.places(2)[:1])
	return g
}

// search adds a row for each place and mode, compared with the first.
func (o Options) search(g *lab.Group, scale, roots int, places []place) {
	row := func(mode string, p place) string {
		return fmt.Sprintf("BFS, Kronecker %d, %s, 2 ranks, %s", scale, mode, p.name)
	}
	for _, p := range places {
		for _, mode := range Modes {
			g.Add(o.run(row(mode.Name, p), edges, fmt.Sprintf("bfs --kronecker %d --roots %d --mode %s %s", scale,
				roots, mode.Flag, p.flags),
				row(Modes[0].Name, places[0])))
		}
	}
}

// latency compares a pebble's step with the bare step of its medium.
func (o Options) latency() lab.Group {
	g := lab.Group{Name: "Latency", Title: "Latency of a message, bare and as a pebble",
		About: "One message of 64 bytes there and back, bare; and the steps of PointerChase."}
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
