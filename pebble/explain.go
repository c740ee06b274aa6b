package pebble

import (
	"errors"
	"fmt"
	"strings"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// ErrExplained is the error of Rank.Epoch if the epoch was explained (see [Rank.ExplainNext]).
var ErrExplained = errors.New("pebble: the epoch was explained, and not run")

// Explanation is the plan of an epoch, by formula: nothing has been sent yet.
type Explanation struct {
	Team      string       `json:"team,omitempty"` // of the epoch; "" for the whole job
	Ranks     int          `json:"ranks"`
	Procs     int          `json:"procs"`
	Transport string       `json:"transport"`
	Targets   []TargetPlan `json:"targets"`
	Depth     int          `json:"depth"`    // declared; 0 is no limit
	Detector  string       `json:"detector"` // detector that ends the epoch
	Messages  int          `json:"messages"` // minimum number of detection messages per rank
	Budget    int64        `json:"budget"`   // bytes in flight at which the main function waits
	Limit     int64        `json:"limit"`    // bytes at which the job fails
	// Bytes is the maximum memory of a rank's full frames and caches, except for pebbles that handlers send beyond
	// credit. The small frames of new buffers, and those kept for the next sends, are not included.
	Bytes int64    `json:"bytes"`
	Tasks string   `json:"tasks,omitempty"` // extra memory of tasks, in words; "" if the program has none
	Notes []string `json:"notes,omitempty"` // the program's memory besides buffers, in words
	// Connections counts the connections of process 0 with other processes; nil without any.
	Connections *Connections `json:"connections,omitempty"`
	// Fabric is the memory that process 0 posts ahead for frames over an RDMA fabric, not included above; nil without
	// one.
	Fabric *netio.Preposted `json:"fabric,omitempty"`
}

// Connections are the connections of a process.
type Connections struct {
	Made     int `json:"made"`     // so far
	Partners int `json:"partners"` // processes that exchange pebbles' frames with it, on one connection each at most
}

// TargetPlan is the plan of one target. The numbers are for the rank with the most neighbours.
type TargetPlan struct {
	Name      string  `json:"name"`
	Topology  string  `json:"topology"`
	Neighbors int     `json:"neighbors"`
	Away      int     `json:"neighbors_away"`    // of rank 0 on other hosts
	Hops      int     `json:"hops"`              // of the longest route; 0 if routes may change
	MeanHops  float64 `json:"mean_hops"`         // mean over all pairs of different ranks
	Sampled   bool    `json:"sampled,omitempty"` // MeanHops, and maybe Neighbors, sample the destinations
	Buffers   int     `json:"buffers"`           // maximum for other ranks
	Staged    bool    `json:"staged"`            // links have an order, so that hops hold back frames without credit
	Frame     int64   `json:"frame"`             // memory of a full buffer, in bytes
	Credits   int     `json:"credits"`           // frames in flight to each neighbour
	Filling   int64   `json:"filling"`           // bytes: neighbours x frame
	Waiting   int64   `json:"waiting"`           // bytes: neighbours x frame
	InFlight  int64   `json:"in_flight"`         // bytes: neighbours x credits x frame
	Cache     int64   `json:"cache"`             // bytes of the reduction cache
}

// ExplainNext marks the next epoch to be explained instead of run, if Config.Explain is set: Epoch then returns
// [ErrExplained] on every rank. A program whose first epochs prepare sets Config.ExplainMarked, and calls ExplainNext
// before the epoch that interests its users.
func (r *Rank) ExplainNext() { r.engine.ExplainNext() }

// explain reports the plan of the epoch that was about to begin.
func (c *Config) explain(r *engine.Rank, depth int) error {
	if r.ID() == 0 {
		c.Explain(c.explanation(r, depth))
	}
	if err := r.Collectives.Barrier(); err != nil { // no rank ends the job before the report
		return err
	}
	return ErrExplained
}

func (c *Config) explanation(r *engine.Rank, depth int) Explanation {
	e := Explanation{
		Team: r.Team(), Ranks: r.Size(), Procs: r.Place().Processes, Transport: r.Job.Transport(), Depth: depth,
		Budget: c.BufferBudget, Limit: c.MemoryLimit,
	}
	e.Detector, e.Messages = r.Detection.Cost(depth)
	if tasks := r.Tasks.Current(); tasks != nil {
		e.Tasks = tasks.Describe()
	}
	e.Notes = r.Hooks.Explanations()
	for d := range r.Targets.Descriptions() {
		p := c.planOf(r, d)
		e.Bytes += p.Filling + p.Waiting + p.InFlight + p.Cache
		e.Targets = append(e.Targets, p)
	}
	if n, ok := r.Job.Connections(); ok && e.Team == "" {
		e.Connections = &Connections{n, len(partners(r))}
	}
	if _, ok := r.Job.Preposted(nil); ok && e.Team == "" { // otherwise the senders are of no use
		p, _ := r.Job.Preposted(senders(r))
		e.Fabric = &p
	}
	return e
}

// senders returns the other processes with a rank whose hop, on some route, leads to a rank of this process.
func senders(r *engine.Rank) map[int]bool {
	all, here := make(map[int]bool), r.Place()
	for d := range r.Targets.Descriptions() {
		for rank := here.First; rank < here.Last; rank++ {
			for _, from := range route.Incoming(d.Topology, rank) {
				all[here.ProcessOf(from)] = true
			}
		}
	}
	delete(all, here.Process)
	return all
}

// partners returns the other processes with a hop of some route to or from a rank of this process.
func partners(r *engine.Rank) map[int]bool {
	all, here := senders(r), r.Place()
	for d := range r.Targets.Descriptions() {
		for rank := here.First; rank < here.Last; rank++ {
			for _, to := range d.Topology.Neighbors(rank) {
				all[here.ProcessOf(to)] = true
			}
		}
	}
	delete(all, here.Process)
	return all
}

func (c *Config) planOf(r *engine.Rank, d engine.Description) TargetPlan {
	p := TargetPlan{
		Name: d.Name, Topology: d.Topology.Name(), Credits: c.CreditsFor(d.Frame), Frame: netio.FrameCost(d.Frame),
		Cache: d.Cache,
	}
	_, p.Staged = d.Topology.(route.Staged)
	p.Hops, _ = route.Hops(d.Topology)
	if reach, err := model.ReachOf(d.Topology); err == nil {
		p.Neighbors, p.MeanHops, p.Sampled = reach.Neighbors, reach.MeanHops, !reach.Exact
	}
	for _, to := range d.Topology.Neighbors(r.ID()) {
		if r.Place().HostOf(to) != r.Place().HostOf(r.ID()) {
			p.Away++
		}
	}
	p.Buffers = p.Neighbors
	p.Filling = int64(p.Neighbors) * p.Frame
	p.Waiting = p.Filling
	p.InFlight = p.Filling * int64(p.Credits)
	return p
}

// String returns the explanation as text, with the memory of a rank as a sum.
func (e Explanation) String() string {
	var b strings.Builder
	if e.Team != "" {
		fmt.Fprintf(&b, "team %q: ", e.Team)
	}
	fmt.Fprintf(&b, "%s in %s, %s transport\n", plural(e.Ranks, "rank", "ranks"), plural(e.Procs, "process",
		"processes"), e.Transport)
	depth := "no declared depth"
	if e.Depth > 0 {
		depth = fmt.Sprintf("declared depth %d", e.Depth)
	}
	least := ""
	if e.Detector == "skr" {
		least = "at least "
	}
	fmt.Fprintf(&b, "an epoch ends by %s (%s): %s%s a rank\n", e.Detector, depth, least, plural(e.Messages,
		"message", "messages"))
	for _, p := range e.Targets {
		p.write(&b)
	}
	passing := ""
	for _, p := range e.Targets {
		if !p.Staged {
			passing = " or passes through"
		}
	}
	fmt.Fprintf(&b, "memory of a rank: %d bytes of full frames and caches, and what handlers send%s beyond credit, "+
		"to %d; a send waits at %d in flight\n",
		e.Bytes, passing, e.Limit, e.Budget)
	if e.Tasks != "" {
		fmt.Fprintln(&b, e.Tasks)
	}
	for _, note := range e.Notes {
		fmt.Fprintln(&b, note)
	}
	if c := e.Connections; c != nil {
		fmt.Fprintf(&b, "process 0 has %s, and exchanges frames with %s\n", plural(c.Made, "connection", "connections"),
			plural(c.Partners, "process", "processes"))
	}
	if e.Fabric != nil {
		writeFabric(&b, e.Fabric)
	}
	return b.String()
}

// writeFabric writes the formula of TreadMarks over GM, 2.2.2, where o is a window.
func writeFabric(b *strings.Builder, p *netio.Preposted) {
	fmt.Fprintf(b, "provider %s: process 0 pins room for o x (n-1) bytes ahead, o = %d for each of %s (TreadMarks "+
		"over GM, 2.2.2)\n",
		p.Provider, p.Window, plural(p.Links, "other process", "other processes"))
	fmt.Fprintf(b, "    %12d  slabs        (%d + ceil(%d x %d / %d)) x %d\n", p.Slabs(0)*p.Slab, p.Ahead, p.Links,
		p.Window, p.Room, p.Slab)
	fmt.Fprintf(b, "  + %12d  to send from\n", p.Send)
	fmt.Fprintf(b, "  = %12d  pinned at first, of at most %d\n", p.Bytes(0), p.Limit)
	fmt.Fprintf(b, "    %12d  when all have grown to o = %d\n", p.Bytes(p.Links), p.WindowMax)
	if p.Senders < p.Links {
		fmt.Fprintf(b, "    %12d  routed: only those of %s that may send here grow, O(log n) in a hypercube\n",
			p.Bytes(p.Senders), plural(p.Senders, "process", "processes"))
	}
}

func (p TargetPlan) write(b *strings.Builder) {
	hops := "at most " + plural(p.Hops, "hop", "hops")
	if p.Hops == 0 {
		hops = "hops that may change"
	}
	of := ""
	if p.Sampled {
		of = " of the routes to some ranks"
	}
	fmt.Fprintf(b, "target %q: %s topology, %s, %.2f in the mean%s\n", p.Name, p.Topology, hops, p.MeanHops, of)
	away := ""
	if p.Away > 0 && p.Away < p.Neighbors {
		away = fmt.Sprintf(", %d of them on other hosts", p.Away)
	}
	fmt.Fprintf(b, "  %s of %d bytes to %s%s\n", plural(p.Buffers, "buffer", "buffers"), p.Frame,
		plural(p.Neighbors, "neighbour", "neighbours"), away)
	fmt.Fprintf(b, "    %12d  filling      %d x %d\n", p.Filling, p.Neighbors, p.Frame)
	fmt.Fprintf(b, "  + %12d  for credit   %d x %d\n", p.Waiting, p.Neighbors, p.Frame)
	fmt.Fprintf(b, "  + %12d  in flight    %d x %s x %d\n", p.InFlight, p.Neighbors, plural(p.Credits, "credit",
		"credits"), p.Frame)
	fmt.Fprintf(b, "  + %12d  cache\n", p.Cache)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
