package suite

import (
	"fmt"

	"github.com/activepebbles/pebbles/lab"
)

var (
	nodes    = metric{"nodes_per_second", millions, "M nodes/s", false}
	messages = metric{"messages_per_second", millions, "M messages/s", false}
)

// trees are searches of unbalanced trees: during their making, on one rank for comparison, and in memory.
func (o Options) trees() lab.Group {
	g := lab.Group{Name: "Trees", Title: "Unbalanced tree search by tasks that are stolen",
		About: "The trees T1 and T3 of the UTS benchmark, 4 million nodes each, made as they are searched: each node " +
			"is a hash. And T1 in the memory " +
			"of all ranks: by tasks that read one vertex, or up to 64 at once, through delegates, and by pebbles."}
	depth := ""
	if o.Quick {
		depth = " --depth 6"
	}
	for _, tree := range []string{"T1", "T3"} {
		alone, cut := fmt.Sprintf("UTS %s, 1 rank", tree), depth
		if tree == "T3" {
			cut = "" // T3 is binomial
		}
		g.Add(o.run(alone, nodes, fmt.Sprintf("uts --tree %s%s --ranks 1", tree, cut), ""))
		for _, p := range o.places(2) {
			g.Add(o.run(fmt.Sprintf("UTS %s, 2 ranks, %s", tree, p.name), nodes,
				fmt.Sprintf("uts --tree %s%s %s", tree, cut, p.flags), alone))
		}
	}
	for _, p := range o.places(2) {
		row := func(way string) string { return fmt.Sprintf("UTS-Mem T1, %s, 2 ranks, %s", way, p.name) }
		line := "uts --in-memory" + depth + " "
		g.Add(o.run(row("pebbles"), nodes, line+"--mode pebbles "+p.flags, ""))
		g.Add(o.run(row("tasks of a vertex"), nodes, line+"--batch 1 "+p.flags, row("pebbles")))
		g.Add(o.run(row("tasks of up to 64"), nodes, line+"--batch 64 "+p.flags, row("pebbles")))
		g.Add(o.run(row("tasks of a vertex, a pebble a frame"), nodes, line+"--batch 1 --coalesce 1 "+p.flags,
			row("tasks of a vertex")))
	}
	return g
}

// pings are streams of messages from one process to another, with shared frames and without, next to the bare stream.
func (o Options) pings() lab.Group {
	g := lab.Group{Name: "Ping", Title: "Messages from one process to another, with shared frames and without",
		About: "Streams of messages of some bytes, in frames of up to 1,024 and alone, beside a bare stream of " +
			"messages of that size."}
	for _, p := range o.places(2)[1:] { // between processes
		bare := map[string]string{"shm": "ring", "tcp": "tcp"}[p.name]
		for _, size := range []int{8, 32, 256, 4096} {
			sent := o.times(min(1<<20, 64<<20/size))
			stream := fmt.Sprintf("limit-stream, %d bytes, %s", size, p.name)
			g.Add(o.run(stream, metric{"bytes_per_second", millions / float64(size), messages.unit, false},
				fmt.Sprintf("limit %s --bytes %d --messages %d", bare, size, sent), ""))
			for _, way := range []struct{ name, flags string }{{"frames of 1,024", ""},
				{"a message a frame", " --coalesce 1"}} {
				g.Add(o.run(fmt.Sprintf("ping, %d bytes, %s, %s", size, way.name, p.name), messages,
					fmt.Sprintf("ping --bytes %d --messages %d%s %s", size, sent, way.flags, p.flags), stream))
			}
		}
	}
	return g
}
