package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/lab"
)

// sizes are the amounts of work of the cases. Numbers are per rank.
type sizes struct {
	words    []int // binary logarithms, for RandomAccess
	ranks    []int // more than cores, for RandomAccess and empty epochs
	elements int   // binary logarithm, for Permutation
	hops     int   // rounds of PointerChase, and of the ping-pong
	scales   []int // of Kronecker graphs
	roots    int
	items    []int // bytes, for the all-to-all
	volume   int   // bytes sent by a rank there
	epochs   int   // number of empty ones
	grids    []int // rows and columns, for Jacobi
	sweeps   int
	people   int // for Contagion
}

// tinyWords is a logarithm. On smaller tables opt2 loses more updates than HPCC's rules allow.
const tinyWords = 16

var (
	full = sizes{
		words: []int{20, 22, 25}, ranks: []int{4, 8, 16}, elements: 20, hops: 100_000, scales: []int{18, 20}, roots: 8,
		items: []int{4, 8, 16, 32, 64, 128, 512}, volume: 1 << 28, epochs: 20000,
		grids: []int{2000, 510}, sweeps: 100, people: 500_000,
	}
	tiny = sizes{
		words: []int{tinyWords}, ranks: []int{4}, elements: 10, hops: 100, scales: []int{8}, roots: 2,
		items: []int{4, 32, 512}, volume: 1 << 14, epochs: 100,
		grids: []int{50}, sweeps: 5, people: 1000,
	}
)

// genericMost is the logarithm of the largest table for HPCC's generic algorithm: it makes some 20 million updates per
// second, and 3 million over TCP.
var genericMost = map[medium]int{shm: 22, tcp: 20}

// pbglMost is the logarithm of the largest graph for PBGL: at scale 20 its iteration takes 3 seconds.
const pbglMost = 18

// suite makes the cases.
type suite struct {
	programs string // folder of all programs but Debian's hpcc
	self     string // this program
	mpi      mpi
	size     sizes
	sources  bool // programs made from HPCC's source exist
	shm      bool // our command offers shared memory
	roots    map[int][]string
}

// groups returns all cases. Each group's first case is ours; all are compared with the strongest peer.
func (s suite) groups() (all []lab.Group) {
	for _, over := range []medium{shm, tcp} {
		for _, log2 := range s.size.words {
			all = append(all, s.randomAccess(over, log2, 4), s.largeBuffers(over, log2, 4))
		}
		all = append(all, s.randomAccess(over, s.size.words[0], 64), s.largeBuffers(over, s.size.words[0], 64))
	}
	for _, ranks := range s.size.ranks {
		all = append(all, s.of(ranks).crowded())
	}
	for _, over := range []medium{shm, tcp} {
		all = append(all, s.permutation(over), s.pointerChase(over))
		if s.mpi.ranks == 2 {
			all = append(all, s.frames(over))
		}
		for _, grid := range s.size.grids {
			all = append(all, s.jacobi(over, grid))
		}
		all = append(all, s.contagion(over))
		for _, bytes := range s.size.items {
			all = append(all, s.allToAll(over, bytes))
		}
	}
	all = append(all, s.epochs(shm), s.epochs(tcp))
	for _, ranks := range s.size.ranks {
		all = append(all, s.of(ranks).epochs(shm))
	}
	for _, over := range []medium{shm, tcp} {
		for _, scale := range s.size.scales {
			all = append(all, s.search(over, scale), s.pageRank(over, scale))
		}
	}
	return all
}

// of returns the suite on another number of ranks.
func (s suite) of(ranks int) suite {
	s.mpi.ranks = ranks
	return s
}

// names are the names of media in titles.
var names = map[medium]string{shm: "shared memory", tcp: "TCP over loopback"}

// work is the common work of all cases of a group.
type work struct {
	suite
	group  lab.Group
	over   medium
	figure lab.Case // common to all
}

func (s suite) work(over medium, what, about string, figure lab.Case) *work {
	name := fmt.Sprintf("%s, %s", what, names[over])
	return &work{s, lab.Group{Name: name, About: about}, over, figure}
}

// choices are the values of an option that is chosen from by trying them: an option's name, and values.
type choices struct {
	option string
	values []int
}

// none is for cases without choices.
var none choices

// arguments returns the choices as arguments of a command.
func (c choices) arguments() (all []string) {
	for _, value := range c.values {
		all = append(all, fmt.Sprintf("%s %d", c.option, value))
	}
	return all
}

// times returns the choices with all values multiplied.
func (c choices) times(factor int) choices {
	values := slices.Clone(c.values)
	for i := range values {
		values[i] *= factor
	}
	return choices{c.option, values}
}

// add adds a case of the group's work.
func (w *work) add(who, against, line string, args []string, from choices) {
	c := w.figure
	c.Name, c.Args, c.Line, c.Choices = w.name(who), args, line, from.arguments()
	if against != "" && against != who {
		c.Against = w.name(against)
	}
	w.group.Add(c)
}

func (w *work) name(who string) string { return w.group.Name + ": " + who }

// ours adds our command, for every transport comparable with the medium. One process compares with shared memory.
func (w *work) ours(against, arguments string, from choices) {
	w.oursAs("Active Pebbles", against, arguments, from)
}

// oursAs is ours under a name, for groups with two of our ways.
func (w *work) oursAs(name, against, arguments string, from choices) {
	ranks := strconv.Itoa(w.mpi.ranks)
	several := "--procs " + ranks + " --transport "
	add := func(who, where string) {
		words := strings.Fields(arguments + " " + where + " --json")
		w.add(who, against, "pebbles "+strings.Join(words[:len(words)-1], " "),
			append([]string{w.program("pebbles")}, words...), from)
	}
	if w.over == tcp {
		add(name+", processes", several+"tcp")
		return
	}
	add(name+", one process", "--ranks "+ranks)
	if w.shm {
		add(name+", processes", several+"shm")
	}
}

func (s suite) program(name string) string { return filepath.Join(s.programs, name) }

// peer adds one of the MPI programs of lab/peers.
func (w *work) peer(who, against, program, arguments string, from choices) {
	words := append([]string{w.program("peer-" + program)}, strings.Fields(arguments)...)
	typed := append([]string{"peer-" + program}, words[1:]...)
	w.add(who, against, w.mpi.line(w.over, typed...), w.mpi.command(w.over, words...), from)
}

const (
	pointToPoint = "MPI, point to point"
	allToAllV    = "MPI, alltoallv"
	opt2         = "HPCC, Sandia opt2"
	nopt         = "HPCC, Sandia nopt"
	generic      = "HPCC, generic"
)

// both adds the two methods of an MPI program.
func (w *work) both(against, program, arguments string, from choices) {
	w.peer(pointToPoint, against, program, arguments+" --method p2p", from)
	w.peer(allToAllV, against, program, arguments+" --method alltoallv", from)
}

// table returns a group of RandomAccess, and the arguments of its table and updates.
func (s suite) table(over medium, log2, perWord int, rule, about string) (w *work, arguments string) {
	what := fmt.Sprintf("RandomAccess, 2^%d words a rank%s", log2, rule)
	if perWord != 4 {
		what += fmt.Sprintf(", %d updates a word", perWord)
	}
	w = s.work(over, what, fmt.Sprintf("%d updates of 8 bytes a word, %s The limit is the same updates without a "+
		"message.", perWord, about), lab.Case{Field: "updates_per_second", Scale: 1e-6, Unit: "M updates/s", Work: what})
	return w, fmt.Sprintf("--log2-words %d --updates-per-word %d", log2, perWord)
}

func (s suite) randomAccess(over medium, log2, perWord int) lab.Group {
	w, words := s.table(over, log2, perWord, "", "by HPCC's rule: at most 1,024 wait in a rank. HPCC's opt2 loses some "+
		"updates, which HPCC's rules allow.")
	against := opt2
	if !s.sources || perWord != hpccPerWord {
		against = pointToPoint
	}
	w.ours(against, "randomaccess "+words, none)
	w.both(against, "randomaccess", words, none)
	if perWord == hpccPerWord {
		w.hpcc(against, log2)
	}
	if over == shm {
		w.limit(words)
	}
	return w.group
}

// hpccPerWord is the number of updates a word that HPCC's programs make.
const hpccPerWord = 4

// buffers are the items in a buffer for one rank, to choose from where HPCC's rule does not limit them; blocks are
// those of MPI's programs that gather items for all ranks.
var (
	buffers = choices{"--coalesce", []int{4096, 1024, 2048, 8192}}
	blocks  = choices{"--block", []int{1024, 512, 2048, 4096, 8192}}
)

// withLargeBuffers adds the programs of an MPI engineer and ours, each with the best of several sizes of buffers.
// MPI's point to point buffers half of its look-ahead.
func (w *work) withLargeBuffers(words string) {
	w.ours(pointToPoint, "randomaccess "+words, buffers)
	ahead := choices{"--look-ahead", []int{4096, 1024, 2048, 8192, 16384}}.times(w.mpi.ranks)
	w.both(pointToPoint, "randomaccess", words, ahead)
	if w.over == shm {
		w.limit(words)
	}
}

func (s suite) largeBuffers(over medium, log2, perWord int) lab.Group {
	w, words := s.table(over, log2, perWord, ", best buffers", "without HPCC's rule.")
	w.withLargeBuffers(words)
	return w.group
}

// crowded is RandomAccess on more ranks than cores.
func (s suite) crowded() lab.Group {
	what := fmt.Sprintf("RandomAccess, %d ranks of 2^%d words, best buffers", s.mpi.ranks, s.size.words[0])
	w := s.work(shm, what, "More ranks than cores. MPI's processes are told so, and yield while they wait.",
		lab.Case{Field: "updates_per_second", Scale: 1e-6, Unit: "M updates/s", Work: what})
	w.withLargeBuffers("--log2-words " + strconv.Itoa(s.size.words[0]))
	return w.group
}

// hpcc adds the cases of HPCC. They print no checksum, and their number of wrong words does not depend on timing.
func (w *work) hpcc(against string, log2 int) {
	common := w.figure
	defer func() { w.figure = common }()
	w.figure.Work, w.figure.Exact = "", []string{"wrong_words"}
	add := func(who string, more ...string) {
		args := append([]string{"hpcc", "-ranks", strconv.Itoa(w.mpi.ranks), "-log2-words", strconv.Itoa(log2),
			"-medium", string(w.over)}, more...)
		line := strings.ReplaceAll(strings.Join(args, " "), w.programs+"/", "")
		w.add(who, against, "compare "+line, append([]string{w.self}, args...), none)
	}
	if w.sources {
		add(opt2, "-program", w.program("hpcc-opt2"))
		add(nopt, "-program", w.program("hpcc-nopt"))
	}
	if log2 <= genericMost[w.over] {
		add(generic)
	}
}

// limit adds the upper bound of RandomAccess.
func (w *work) limit(words string) {
	c := w.figure
	c.Work = ""
	c.Name = "limit-" + w.group.Name
	arguments := fmt.Sprintf("limit updates --ranks %d %s --json", w.mpi.ranks, words)
	c.Args, c.Line = append([]string{w.program("pebbles-lab")}, strings.Fields(arguments)...), "pebbles-lab "+arguments
	w.group.Add(c)
}

func (s suite) permutation(over medium) lab.Group {
	w := s.work(over, fmt.Sprintf("Permutation, 2^%d elements a rank", s.size.elements),
		"Two steps for each element: to its place in the permutation, and on to where that says.",
		lab.Case{Field: "elements_per_second", Scale: 1e-6, Unit: "M elements/s"})
	elements := fmt.Sprintf("--log2-elements %d", s.size.elements)
	w.ours(allToAllV, "permutation "+elements, buffers)
	w.both(allToAllV, "permutation", elements, blocks)
	return w.group
}

func (s suite) pointerChase(over medium) lab.Group {
	w := s.work(over, "PointerChase", "The time of a hop of one message at a time. The ping-pong has 8 bytes and no "+
		"ring.",
		lab.Case{Field: "seconds_per_hop", Scale: 1e6, Unit: "µs", Lower: true})
	rounds := fmt.Sprintf("--rounds %d", s.size.hops)
	const chain, ball = "MPI, send and receive", "MPI, ping-pong"
	w.ours(chain, "pointerchase "+rounds, none)
	w.peer(chain, chain, "pointerchase", rounds, none)
	if s.mpi.ranks == 2 {
		w.peer(ball, chain, "pingpong", rounds, none)
	}
	return w.group
}

// frames is a ping-pong of bare frames, without pebbles.
func (s suite) frames(over medium) lab.Group {
	w := s.work(over, "Frames of 64 bytes", "The time of one frame one way, in a ping-pong through the ports of a "+
		"transport, beside MPI's messages.", lab.Case{Field: "seconds_per_hop", Scale: 1e6, Unit: "µs", Lower: true})
	const ball = "MPI, ping-pong"
	rounds := strconv.Itoa(s.size.hops)
	arguments := []string{"frames", "-rounds", rounds, "-bytes", "64"}
	line := "compare " + strings.Join(arguments, " ")
	own := append([]string{s.self}, arguments...)
	processes := func() {
		run := []string{"run", "-n", "2", "--transport", string(over), "--"}
		w.add("Active Pebbles, processes", ball, "pebbles "+strings.Join(run, " ")+" "+line,
			slices.Concat([]string{s.program("pebbles")}, run, own), none)
	}
	if over == tcp {
		processes()
	} else {
		w.add("Active Pebbles, one process", ball, line, own, none)
		if s.shm {
			processes()
		}
	}
	w.peer(ball, ball, "pingpong", "--rounds "+rounds+" --bytes 64", none)
	return w.group
}

const roundsMost = 1 << 24 // of the smallest items

// bucketBytes are the sizes of buffers for one rank to choose from.
var bucketBytes = []int{64 << 10, 16 << 10, 32 << 10, 128 << 10}

func (s suite) allToAll(over medium, bytes int) lab.Group {
	w := s.work(over, fmt.Sprintf("All-to-all, items of %d bytes", bytes),
		"Every rank sends items to every other, and checks all their bytes. Buffers and MPI's messages have 16 to 128 KiB.",
		lab.Case{Field: "items_per_second", Scale: 1e-6, Unit: "M items/s"})
	arguments := fmt.Sprintf("--bytes %d --rounds %d", bytes, min(roundsMost, s.size.volume/bytes))
	buckets := make([]int, len(bucketBytes))
	for i, bucket := range bucketBytes {
		buckets[i] = bucket / bytes
	}
	w.ours(pointToPoint, "alltoall "+arguments, choices{"--coalesce", buckets})
	w.both(pointToPoint, "alltoall", arguments, choices{"--block", buckets}.times(s.mpi.ranks-1))
	return w.group
}

// epochs are empty ones, next to the fewest messages that give MPI's ranks the same guarantee.
func (s suite) epochs(over medium) lab.Group {
	w := s.work(over, fmt.Sprintf("Empty epochs of %d ranks", s.mpi.ranks),
		"The time of an epoch in which nobody sends: for MPI one MPI_Allreduce of what was sent and handled, or one "+
			"MPI_Ibarrier.",
		lab.Case{Field: "seconds_per_epoch", Scale: 1e6, Unit: "µs", Lower: true})
	count := fmt.Sprintf("--count %d", s.size.epochs)
	const counts, barrier = "MPI, allreduce", "MPI, ibarrier"
	w.ours(counts, "epochs "+count, none)
	w.peer(counts, counts, "epochs", count+" --method allreduce", none)
	w.peer(barrier, counts, "epochs", count+" --method ibarrier", none)
	return w.group
}

func (s suite) jacobi(over medium, grid int) lab.Group {
	w := s.work(over, fmt.Sprintf("Jacobi, a grid of %d by %d", grid, grid),
		"The time of a round. Each rank has a block of rows, and needs a row of each neighbour in each round: as "+
			"shared "+
			"pages, as rows of a distributed array, and by messages. The result is the serial twin's to the last bit.",
		lab.Case{Field: "microseconds", Scale: 1, Unit: "µs", Lower: true, Exact: []string{"checksum"}})
	const halos = "MPI, send and receive"
	arguments := fmt.Sprintf("--size %d --rounds %d", grid, s.size.sweeps)
	w.oursAs("Active Pebbles, pages", halos, "pages jacobi "+arguments, none)
	w.oursAs("Active Pebbles, arrays", halos, "pages jacobi --by array "+arguments, none)
	w.peer(halos, halos, "jacobi", arguments, none)
	return w.group
}

func (s suite) contagion(over medium) lab.Group {
	w := s.work(over, fmt.Sprintf("Contagion, a town of %d people", s.size.people),
		"Visits of 36 bytes a second, from each person to the locations that it goes to, on six days on which nobody "+
			"is ill. People and locations are spread over the ranks without regard to who is near, so half of the "+
			"visits are sent.",
		lab.Case{Field: "visits_per_second", Scale: 1e-6, Unit: "M visits/s", Exact: []string{"visits"}})
	arguments := fmt.Sprintf("contagion --days 6 --people %d", s.size.people)
	w.ours(pointToPoint, arguments+" --outbreak 0 --spread cyclic", none)
	w.both(pointToPoint, "contagion", strings.TrimPrefix(arguments, "contagion "),
		choices{"--bundle", []int{1024, 256, 512, 2048, 4096}})
	return w.group
}

// found are the fields of a search that do not depend on the program.
var found = []string{"vertices", "edges", "reached", "depths", "distance_sums"}

func (s suite) search(over medium, scale int) lab.Group {
	w := s.work(over, fmt.Sprintf("BFS, Kronecker graph of scale %d", scale),
		"Traversed edges a second by the rule of Graph500, harmonic mean over the roots: the same graph, the same "+
			"roots, edge factor 16, every tree validated.",
		lab.Case{Field: "harmonic_mean_teps", Scale: 1e-6, Unit: "M edges/s", Exact: found})
	graph := fmt.Sprintf("--kronecker %d ", scale)
	roots := s.roots[scale]
	w.ours(pointToPoint, "bfs "+graph+"--root "+strings.Join(roots, " --root "), none)
	w.both(pointToPoint, "bfs", graph+"--root "+strings.Join(roots, ","), blocks)
	return w.group
}

func (s suite) pageRank(over medium, scale int) lab.Group {
	w := s.work(over, fmt.Sprintf("PageRank, Kronecker graph of scale %d", scale),
		"The time of an iteration, of 20: the same graph, edge factor 16, without duplicates and self-loops, every "+
			"score checked. MPI's ranks gather what all vertices give. PBGL is the Parallel Boost Graph Library.",
		lab.Case{Field: "seconds_per_iteration", Scale: 1e3, Unit: "ms", Lower: true,
			Exact: []string{"vertices", "edges", "iterations"}})
	const gathered, pbgl = "MPI, allgather", "PBGL"
	graph := fmt.Sprintf("--kronecker %d --iterations 20", scale)
	w.ours(gathered, "pagerank "+graph+" --tolerance 1e-300", none)
	w.oursAs("Active Pebbles in the order given", gathered, "pagerank "+graph+" --tolerance 1e-300 --order given", none)
	w.peer(gathered, gathered, "pagerank", graph, none)
	if scale <= pbglMost {
		w.peer(pbgl, gathered, "pbgl", graph, none)
	}
	return w.group
}
