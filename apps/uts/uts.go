// Package uts is the Unbalanced Tree Search benchmark on Active Pebbles for Go (Olivier and others, UTS: An Unbalanced
// Tree Search Benchmark, 2006). It counts the nodes of a tree whose shape is only found by searching it. The number of
// children of a node follows from its SHA-1 hash, which it gets from its parent. So any rank can search any part of the
// tree, and the sizes of parts are unknown in advance.
//
// A node to search is a task, and a rank without work may steal it (package task). A task searches depth-first, and
// after some hundred nodes it spawns tasks for the nodes that it has found and not searched. With [Config.InMemory] the
// tree is first built in the memory of all ranks. Then it is searched there by tasks that read one vertex after the
// other through delegates, or by pebbles: UTS-Mem of Grappa (Nelson and others, 2014, section 7.2).
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

// Mode is the way to search a tree in memory.
type Mode string

const (
	ByTasks   Mode = "tasks"   // tasks, which read vertices through delegates and move to ranks without work
	ByPebbles Mode = "pebbles" // pebbles, which visit vertices at their owners
)

// Modes lists the modes, the default first.
var Modes = []Mode{ByTasks, ByPebbles}

// Config configures a run of UTS, as described in package apps. The zero value searches T1.
type Config struct {
	apps.Common      // Progress counts nodes that rank 0 has searched, of all nodes of the tree
	Tree        Tree // the zero value is T1
	// InMemory builds the tree in the memory of all ranks, 8 bytes for each vertex, and then searches it there.
	// Building is not timed.
	InMemory bool
	Mode     Mode // of a search in memory. "" means ByTasks
	// Batch is about the largest number of nodes that a task searches before it spawns tasks for the rest; in memory,
	// it is the number of vertices that a task reads at once. 0 means 1,024, or 64 in memory. Grappa reads 1.
	Batch   int
	Workers int           // limit of a rank's waiting tasks. 0 means the default of package task
	Linger  time.Duration // time that an idle rank holds buffers back (task.Linger)
}

const (
	nodesDefault    = 1024 // of a task: some 60 µs of delay for a rank that asks for tasks
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

// Check returns an error if c is invalid.
func (c Config) Check(int) error {
	c = c.withDefaults()
	switch {
	case c.Mode != ByTasks && c.Mode != ByPebbles:
		return fmt.Errorf("uts: unknown mode %q: use %s or %s", c.Mode, ByTasks, ByPebbles)
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

// WorkersDefault is the default limit of a rank's waiting tasks.
const WorkersDefault = task.WorkersDefault

// Result is the report of a run of UTS.
type Result struct {
	apps.Report
	Tree           string  `json:"tree"`
	TreeDepth      int     `json:"tree_depth"` // the parameter, for geometric and hybrid trees
	InMemory       bool    `json:"in_memory"`
	Mode           Mode    `json:"mode"`
	Batch          int     `json:"batch"` // nodes per task
	Nodes          uint64  `json:"nodes"`
	Depth          uint64  `json:"depth"` // of the deepest node; the root's is 0
	Leaves         uint64  `json:"leaves"`
	NodesPerSecond float64 `json:"nodes_per_second"`
	Steals         uint64  `json:"steals"`   // tasks moved to a rank without work
	Tasks          uint64  `json:"tasks"`    // number of tasks run
	Switches       uint64  `json:"switches"` // from a rank to a task, and back
	Workers        uint64  `json:"workers"`  // largest number of active tasks on one rank
}

// counted adds the scheduler's counts of the search on this rank. All ranks call it.
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

// judge compares the sum of all ranks' results with the answer.
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

// apart returns the difference of two numbers on rank 0, and 0 on the others.
func apart(r *pebble.Rank, a, b uint64) uint64 {
	if r.ID() > 0 {
		return 0
	}
	return max(a, b) - min(a, b)
}

// Rows returns labels and values of the result for display.
func (p Result) Rows() [][2]string {
	return [][2]string{
		{"tree", fmt.Sprintf("%s: %d nodes, %d of them leaves, depth %d", p.Tree, p.Nodes, p.Leaves, p.Depth)},
		{"nodes a second", fmt.Sprintf("%.3g million", p.NodesPerSecond/1e6)},
		{"tasks", fmt.Sprintf("%d, %d of them stolen; %d switches", p.Tasks, p.Steals, p.Switches)},
	}
}

// Run runs UTS on a job without other tasks, as described in package apps. It compares the result with the benchmark's
// answer for its trees, and for others with that of a serial search on rank 0, which runs first.
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
	tally  apps.Tally  // of the kernel's pebbles, in mode ByPebbles
}

func newBench(r *pebble.Rank, c Config) *bench {
	options := []task.Option{task.Linger(c.Linger)}
	if c.Workers > 0 {
		options = append(options, task.Workers(c.Workers))
	}
	return &bench{rank: r, config: c, tasks: task.New(r, options...)}
}

// prepare finds the answer, and builds the tree for a search in memory.
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

// answer returns the expected result of the search.
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

const progressEvery = 1 << 16 // nodes of rank 0 between two reports of progress

// progress returns a function that reports the number of nodes found on this rank.
func (b *bench) progress() func(nodes uint64) {
	told := uint64(0)
	return func(nodes uint64) {
		b.config.Progress.Passed(b.rank, progressEvery, told, nodes, b.want.Nodes)
		told = nodes
	}
}

// search is the search of a tree that is made during the search.
type search struct {
	rank   *pebble.Rank
	tasks  *task.Scheduler
	config Config
	walker *walker
	kind   *task.Kind[node]
	told   func(nodes uint64)
}

// beginWith is the largest number of nodes that a task begins with. More would leave no work for others in small trees.
const beginWith = 4

// perNode is the simulated time of a node: its hash, as measured.
const perNode = 65 * time.Nanosecond

func newSearch(r *pebble.Rank, tasks *task.Scheduler, c Config) *search {
	s := &search{rank: r, tasks: tasks, config: c, walker: newWalker(c.Tree)}
	s.kind = task.NewKindBatch(tasks, "search", beginWith, s.visit)
	return s
}

// run searches the tree with all ranks, in one epoch, and returns this rank's result.
func (s *search) run(told func(nodes uint64)) (Answer, error) {
	s.told = told
	err := onFirst(s.tasks, func() {
		s.walker.root(s.config.Tree)
		s.visit(nil)
	})
	return s.walker.found, err
}

// onFirst runs an epoch whose first task, on rank 0, is root.
func onFirst(s *task.Scheduler, root func()) error {
	if s.Rank().ID() > 0 {
		root = nil
	}
	return s.Run(root)
}

// visit is a task. It searches below some nodes for a while, and spawns the rest, the oldest first, because these have
// the largest subtrees.
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

// Serial is the search without a job: depth-first, on one goroutine.
func Serial(t Tree) (Answer, error) {
	if err := t.check(); err != nil {
		return Answer{}, err
	}
	w := newWalker(t)
	w.root(t)
	w.search(math.MaxUint64)
	return w.found, nil
}
