// Package uts is the Unbalanced Tree Search benchmark on Active Pebbles for Go (Olivier and others, UTS: An Unbalanced
// Tree Search Benchmark, 2006): count the nodes of a tree that nobody knows before it is searched. How many children a
// node has follows from a SHA-1 hash that it got from its parent, so any rank can search any part of the tree, and no
// rank knows how much is in which part.
//
// A node to be searched is a task, which a rank without work may steal (package task). A task searches depth-first, and
// after some hundred nodes hands on what it has found and not searched. With [Config.InMemory] the tree is built in the
// memory of all ranks first, and searched there by tasks that read one vertex after the other through delegates, or by
// pebbles: UTS-Mem of Grappa (Nelson and others, 2014, section 7.2).
package uts

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// Mode is what searches a tree in memory.
type Mode string

const (
	ByTasks   Mode = "tasks"   // tasks, which read vertices through delegates and move to ranks without work
	ByPebbles Mode = "pebbles" // pebbles, which visit vertices where they are
)

// Modes lists the modes, the default first.
var Modes = []Mode{ByTasks, ByPebbles}

// Config is what a run of UTS can be told, as package apps says. The zero value searches T1.
type Config struct {
	apps.Common      // Progress counts nodes that rank 0 has searched, of those of the tree
	Tree        Tree // the zero value is T1
	// InMemory builds the tree in the memory of all ranks, 8 bytes a vertex, and then searches it there; building is not
	// timed.
	InMemory bool
	Mode     Mode // what searches in memory. "" is ByTasks
	// Batch is how many nodes a task searches at most, about, before it hands on what it has found, or in memory how many
	// vertices it reads at once. 0 is 1,024, or 64 in memory; 1 in memory is Grappa's way.
	Batch   int
	Workers int           // tasks of a rank that may wait at a time. 0 is the default of package task
	Linger  time.Duration // for how long a rank without work holds buffers back (task.Linger)
}

const (
	nodesDefault    = 1024 // of a task: some 60 µs, which a rank that asks for tasks has to wait
	verticesDefault = 64
	batchMost       = 1 << 20
	workersMost     = 1 << 24
)

func (c Config) withDefaults() Config {
	if c.Tree == (Tree{}) {
		c.Tree = samples[0].Tree
	}
	c.Mode = cmp.Or(c.Mode, ByTasks)
	if c.InMemory {
		c.Batch = cmp.Or(c.Batch, verticesDefault)
	}
	c.Batch = cmp.Or(c.Batch, nodesDefault)
	return c
}

// Check returns an error that says what is wrong with c.
func (c Config) Check(int) error {
	c = c.withDefaults()
	switch {
	case c.Mode != ByTasks && c.Mode != ByPebbles:
		return fmt.Errorf("uts: there is no mode %q: use %s or %s", c.Mode, ByTasks, ByPebbles)
	case c.Mode == ByPebbles && !c.InMemory:
		return fmt.Errorf("uts: mode %s is for trees in memory", ByPebbles)
	case c.Batch < 1 || c.Batch > batchMost:
		return fmt.Errorf("uts: tasks of %d nodes: give 1 to %d", c.Batch, batchMost)
	case c.Workers < 0 || c.Workers > workersMost:
		return fmt.Errorf("uts: %d workers: give 1 to %d, or 0 for the default", c.Workers, workersMost)
	case c.Linger < 0:
		return fmt.Errorf("uts: a linger of %v: give no time below 0", c.Linger)
	}
	return c.Tree.check()
}

// WorkersDefault is how many tasks of a rank may wait at a time when nobody says.
const WorkersDefault = task.WorkersDefault

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
		Tasks: after.Tasks - before.Tasks, Switches: after.Switches - before.Switches, Stolen: after.Stolen - before.Stolen,
		Workers: after.Workers,
	}
	all, err := pebble.AllReduce(r, own, func(a, b task.Counts) task.Counts {
		return task.Counts{
			Tasks: a.Tasks + b.Tasks, Switches: a.Switches + b.Switches, Stolen: a.Stolen + b.Stolen, Workers: max(a.Workers,
				b.Workers),
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
	return p.Found(r, min(apart(r, all.Sum, want.Sum), 1),
		"sum of what names the nodes went wrong: some were altered, or not found and others twice")
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

// Run runs UTS on a job that has no other tasks, as package apps says. The result is compared with the answer that the
// benchmark tells for its trees, and for others with that of a serial search on rank 0, which comes first.
func Run(r *pebble.Rank, c Config) (result Result, err error) {
	if err := c.Check(r.Size()); err != nil {
		return result, err
	}
	b := newBench(r, c.withDefaults())
	result = Result{
		Report: apps.NewReport(r, "uts", uint64(b.config.Tree.Seed)),
		Tree:   b.config.Tree.Name, TreeDepth: b.config.Tree.Depth,
		InMemory: c.InMemory, Mode: b.config.Mode, Batch: b.config.Batch,
	}
	result.Cache = 0
	phases := apps.Phases{
		Load:   b.prepare,
		Kernel: func() error { return b.kernel() },
		Sum: func() error {
			if err := result.counted(r, b.built, b.tasks.Counts()); err != nil {
				return err
			}
			return result.judge(r, b.found, b.want)
		},
	}
	if c.InMemory && b.config.Mode == ByPebbles {
		phases.Tally = &b.tally
	}
	err = result.RunPhases(r, phases)
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank   *pebble.Rank
	config Config
	tasks  *task.Scheduler
	want   Answer
	found  Answer // by this rank, in the kernel
	kernel func() error
	built  task.Counts // before the kernel
	tally  apps.Tally  // of the kernel's pebbles, when these are the application's own
}

func newBench(r *pebble.Rank, c Config) *bench {
	options := []task.Option{task.Linger(c.Linger)}
	if c.Workers > 0 {
		options = append(options, task.Workers(c.Workers))
	}
	return &bench{rank: r, config: c, tasks: task.New(r, options...)}
}

// prepare finds out what the answer is, and builds the tree in memory when it is to be searched there.
func (b *bench) prepare() (err error) {
	defer func() { b.built = b.tasks.Counts() }()
	if b.want, err = b.answer(); err != nil {
		return err
	}
	s := newSearch(b.rank, b.tasks, b.config)
	if !b.config.InMemory {
		b.kernel = func() error { b.found, err = s.run(b.progress()); return err }
		return nil
	}
	m, err := b.build(s)
	if err != nil {
		return err
	}
	b.want.Sum = m.vertices * (m.vertices - 1) / 2
	if b.config.Mode == ByPebbles {
		b.kernel = m.byPebbles(b)
	} else {
		b.kernel = m.byTasks(b)
	}
	return nil
}

// answer is what the search must find.
func (b *bench) answer() (want Answer, err error) {
	if want, known := b.config.Tree.known(); known {
		return want, nil
	}
	if b.rank.ID() == 0 {
		if want, err = Serial(b.config.Tree); err != nil {
			return want, err
		}
	}
	return pebble.Broadcast(b.rank, 0, want)
}

const progressEvery = 1 << 16 // nodes that rank 0 finds between two words of progress

// progress returns what is told how many nodes this rank has found.
func (b *bench) progress() func(nodes uint64) {
	told := uint64(0)
	return func(nodes uint64) {
		b.config.Progress.Passed(b.rank, progressEvery, told, nodes, b.want.Nodes)
		told = nodes
	}
}

// search is the search of a tree that is made as it is searched.
type search struct {
	rank   *pebble.Rank
	tasks  *task.Scheduler
	config Config
	walker *walker
	kind   *task.Kind[node]
	told   func(nodes uint64)
}

// beginWith is how many nodes a task begins with at most. More would leave none for others where there are few.
const beginWith = 4

// perNode is what a node costs in simulated time: its hash, as measured.
const perNode = 65 * time.Nanosecond

func newSearch(r *pebble.Rank, tasks *task.Scheduler, c Config) *search {
	s := &search{rank: r, tasks: tasks, config: c, walker: newWalker(c.Tree)}
	s.kind = task.NewKindBatch(tasks, "search", beginWith, s.visit)
	return s
}

// run searches the tree with all ranks, in one epoch, and returns what this one has found.
func (s *search) run(told func(nodes uint64)) (Answer, error) {
	s.told = told
	err := onFirst(s.tasks, func() {
		s.walker.root(s.config.Tree)
		s.visit(nil)
	})
	return s.walker.found, err
}

// onFirst is an epoch whose first task, on rank 0, is root.
func onFirst(s *task.Scheduler, root func()) error {
	if s.Rank().ID() > 0 {
		root = nil
	}
	return s.Run(root)
}

// visit is a task: it searches below some nodes for a while, and hands on what is left, the oldest first, as these have
// most below them.
func (s *search) visit(ns []node) {
	w := s.walker
	w.stack = append(w.stack, ns...)
	before := w.found.Nodes
	w.search(uint64(s.config.Batch))
	for _, n := range w.stack {
		s.kind.Spawn(n)
	}
	w.stack = w.stack[:0]
	s.rank.Compute(time.Duration(w.found.Nodes-before) * perNode)
	s.told(w.found.Nodes)
}

// Serial is the search without a job: one thread, depth-first.
func Serial(t Tree) (Answer, error) {
	if err := t.check(); err != nil {
		return Answer{}, err
	}
	w := newWalker(t)
	w.root(t)
	w.search(math.MaxUint64)
	return w.found, nil
}
