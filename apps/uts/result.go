package uts

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Result is what a run of UTS tells.
type Result struct {
	apps.Report
	Tree           string  `json:"tree"`
	TreeDepth      int     `json:"tree_depth"` // the parameter, of geometric and hybrid trees
	InMemory       bool    `json:"in_memory"`
	Mode           Mode    `json:"mode"`
	Batch          int     `json:"batch"` // nodes of a task
	Nodes          uint64  `json:"nodes"`
	Depth          uint64  `json:"depth"` // of the deepest node; the root's is 0
	Leaves         uint64  `json:"leaves"`
	NodesPerSecond float64 `json:"nodes_per_second"`
	Steals         uint64  `json:"steals"`   // tasks that were carried to a rank without work
	Tasks          uint64  `json:"tasks"`    // that ran
	Switches       uint64  `json:"switches"` // from a rank to a task, and back
	Workers        uint64  `json:"workers"`  // the most tasks that had begun and not ended at one time, on one rank
}

// counted adds what the scheduler of this rank did in the search. All ranks call it.
func (p *Result) counted(r *pebble.Rank, before, after task.Counts) error {
	own := task.Counts{
		Tasks: after.Tasks - before.Tasks, Switches: after.Switches - before.Switches, Stolen: after.Stolen - before.Stolen, Workers: after.Workers,
	}
	all, err := pebble.AllReduce(r, own, func(a, b task.Counts) task.Counts {
		return task.Counts{
			Tasks: a.Tasks + b.Tasks, Switches: a.Switches + b.Switches, Stolen: a.Stolen + b.Stolen, Workers: max(a.Workers, b.Workers),
		}
	})
	p.Tasks, p.Switches, p.Steals, p.Workers = all.Tasks, all.Switches, all.Stolen, all.Workers
	return err
}

// judge compares what was found on this rank, together with the others, with the answer.
func (p *Result) judge(r *pebble.Rank, found, want Answer) error {
	all, err := pebble.AllReduce(r, found, Answer.add)
	if err != nil {
		return err
	}
	p.Nodes, p.Depth, p.Leaves = all.Nodes, all.Depth, all.Leaves
	p.NodesPerSecond = float64(p.Nodes) / max(p.Seconds, 1e-9)
	for _, x := range []struct {
		got, want uint64
		what      string
	}{
		{all.Nodes, want.Nodes, "nodes went wrong: they were not found, or found twice"},
		{all.Leaves, want.Leaves, "leaves went wrong"},
		{all.Depth, want.Depth, "levels of the tree went wrong"},
	} {
		if err := p.Found(r, apart(r, x.got, x.want), x.what); err != nil {
			return err
		}
	}
	return p.Found(r, min(apart(r, all.Sum, want.Sum), 1), "sum of what names the nodes went wrong: some were altered, or not found and others twice")
}

// apart is how far two numbers are apart, which rank 0 alone tells.
func apart(r *pebble.Rank, a, b uint64) uint64 {
	if r.ID() > 0 {
		return 0
	}
	return max(a, b) - min(a, b)
}

// Rows is the result for display: labels and values.
func (p Result) Rows() [][2]string {
	return [][2]string{
		{"tree", fmt.Sprintf("%s: %d nodes, %d of them leaves, depth %d", p.Tree, p.Nodes, p.Leaves, p.Depth)},
		{"nodes a second", fmt.Sprintf("%.3g million", p.NodesPerSecond/1e6)},
		{"tasks", fmt.Sprintf("%d, %d of them stolen; %d switches", p.Tasks, p.Steals, p.Switches)},
	}
}
