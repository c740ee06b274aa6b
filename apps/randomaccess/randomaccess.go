// Package randomaccess is the RandomAccess benchmark of the HPC Challenge on Active Pebbles for Go (Active Pebbles,
// section 4.1). It updates random words of a table spread over all ranks; each update is a pebble.
//
//	table[i] = i at the start, for every word i
//	table[key(ran)] ^= ran for every number ran of the stream
//
// The stream is that of the benchmark: x^1, x^2, ... in GF(2)[x]/(x^64 + x^2 + x + 1). Each number is the one before it
// shifted to the left by one. Rank r generates N numbers from x^(rN+1) on, and jumps there directly. If the number of
// words of the table is a power of two, key takes the low bits of ran, as in the benchmark, which is defined only for
// such tables. Otherwise key scales ran to the table by a multiplication: the high 64 bits of ran × words.
//
// # The rule of 1,024
//
// The benchmark limits the updates that a rank has generated, but neither applied nor handed to the transport, to
// 1,024. They wait in the batch under generation, in the buffers for the neighbours, together with updates that pass
// through the rank, and in the reduction cache. By default the batch and the coalescing factor are so small that the
// sum cannot exceed 1,024; Result.HPCCRule reports whether it can.
//
// # The proof of the verification
//
// XOR is its own inverse, so running the updates again must restore every word. That is the benchmark's own check,
// which tolerates 1 % of wrong words; here no word may be wrong. Both runs use the same runtime, so further checks
// cover errors that occur in both in the same way. Handlers count: in each run they must receive exactly the configured
// number of updates, minus those that a cache has merged in the first run. In the second run the rank that owns an
// update's word must handle it, by the formula above. That run takes another path: every update goes directly to its
// owner, with another coalescing factor and without a cache. And the XOR over the whole table after the first run must
// be that of all numbers of the stream, given by a closed formula, and of the words.
package randomaccess

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

// Config configures a run of RandomAccess, as described in package apps.
type Config struct {
	apps.Common            // Progress counts the updates of rank 0, including those of the check
	Log2Words      int     // binary logarithm of the number of words of each rank, 8 bytes each. 0 means 20, 8 MiB
	UpdatesPerWord float64 // in the mean. 0 means 4, the benchmark's number
	// Coalesce is the coalescing factor. 0 means the lesser of the job's and the largest that the rule of 1,024 allows.
	// Any other number is used as given.
	Coalesce int
	Tuned    bool // leaves the coalescing factor to the job's tuning, which does not keep the rule
	// Epoch is the number of updates of each rank after which an epoch ends, and all ranks wait for all updates. It
	// keeps the rule of 1,024 in another way, with buffers as large as Coalesce allows: at most Epoch of a rank's own
	// updates wait. The paper ran it so (Active Pebbles, sections 4.1 and 5.2). 0 means one epoch for all.
	Epoch    int
	OneByOne bool // send each update by a separate call, as programs without batches do
}

const (
	log2WordsDefault      = 20
	log2WordsMax          = 36
	updatesPerWordDefault = 4
	updatesMax            = 1 << 60 // of the whole job: less than the period of the stream
)

func (c Config) withDefaults() Config {
	c.Log2Words = cmp.Or(c.Log2Words, log2WordsDefault)
	c.UpdatesPerWord = cmp.Or(c.UpdatesPerWord, updatesPerWordDefault)
	return c
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(ranks int) error {
	d := c.withDefaults()
	switch {
	case d.Log2Words < 0 || d.Log2Words > log2WordsMax:
		return fmt.Errorf("randomaccess: 2^%d words a rank: give a logarithm from 1 to %d",
			c.Log2Words, log2WordsMax)
	case !(d.UpdatesPerWord > 0) || math.IsInf(d.UpdatesPerWord, 1):
		return fmt.Errorf("randomaccess: %v updates a word: give a positive number", c.UpdatesPerWord)
	case d.UpdatesPerWord*math.Exp2(float64(d.Log2Words))*float64(ranks) > updatesMax:
		return fmt.Errorf("randomaccess: %v updates a word are more than the stream has numbers: give less", c.UpdatesPerWord)
	case d.updates() == 0:
		return fmt.Errorf("randomaccess: %v updates per word are less than one for the 2^%d words of a rank: give more",
			c.UpdatesPerWord, d.Log2Words)
	case d.Epoch < 0:
		return fmt.Errorf("randomaccess: epochs of %d updates: give a positive number, or 0 for one epoch", c.Epoch)
	case d.Coalesce < 0:
		return fmt.Errorf("randomaccess: coalescing factor %d: a buffer holds at least one update, or 0 for the default",
			c.Coalesce)
	}
	return nil
}

// words returns the number of words of one rank.
func (c Config) words() uint64 { return 1 << c.Log2Words }

// updates returns the number of updates that one rank generates.
func (c Config) updates() uint64 { return uint64(c.UpdatesPerWord * float64(c.words())) }

// Result is the report of a run of RandomAccess.
type Result struct {
	apps.Report
	Log2Words        int     `json:"log2_words"` // of each rank
	Updates          uint64  `json:"updates"`    // of all ranks
	UpdatesPerSecond float64 `json:"updates_per_second"`
	// of the table after the updates, 16 hexadecimal digits, independent of the shape of the network
	Checksum string `json:"checksum"`
	// largest number of waiting updates of a rank; only its own updates if epochs bound them
	WaitingMax int  `json:"waiting_max"`
	HPCCRule   bool `json:"hpcc_rule"` // WaitingMax is at most 1,024
}

// result returns the fields known before the run.
func (b *bench) result() Result {
	waiting := b.quota.waiting()
	if b.config.Epoch > 0 {
		waiting = min(waiting, b.config.Epoch)
	}
	result := Result{
		Report:     apps.NewReport(b.rank, "randomaccess", 0),
		Log2Words:  b.config.Log2Words,
		Updates:    b.config.updates() * uint64(b.rank.Size()),
		WaitingMax: waiting,
		HPCCRule:   waiting <= waitingMax && (!b.config.Tuned || b.config.Epoch > 0),
	}
	result.Coalesce = b.quota.factor
	return result
}

// digits formats a checksum as text: JSON readers with only floating-point numbers would round a number.
func digits(sum uint64) string { return fmt.Sprintf("%016x", sum) }

// Rows returns labels and values of the result for display.
func (r Result) Rows() [][2]string {
	rule := "kept"
	if !r.HPCCRule {
		rule = "not kept"
	}
	return [][2]string{
		{"words", fmt.Sprintf("2^%d a rank", r.Log2Words)},
		{"updates", fmt.Sprint(r.Updates)},
		{"updates per second", fmt.Sprintf("%.2f million", r.UpdatesPerSecond/1e6)},
		{"checksum", r.Checksum},
		{"HPCC rule", fmt.Sprintf("%s: at most %d updates wait in a rank", rule, r.WaitingMax)},
	}
}

// Run runs RandomAccess on a job, as described in package apps. It registers two targets. The result's Errors include
// wrong words.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	b, err := newBench(r, c.withDefaults())
	if err != nil {
		return Result{}, err
	}
	return b.run(b.kernel, b.verify)
}

func (b *bench) run(kernel, verify func() error) (Result, error) {
	result := b.result()
	err := result.RunPhases(b.rank, apps.Phases{
		Load: b.load, Kernel: kernel,
		Rate: func() { result.UpdatesPerSecond = apps.Rate(float64(result.Updates), result.Seconds) },
		Verify: func() error {
			if err := verify(); err != nil {
				return err
			}
			result.Checksum = digits(b.checksum)
			return b.judge(&result)
		},
		Tally: &b.updated,
	})
	return result, err
}

// bench is one rank's part of a run.
type bench struct {
	rank     *pebble.Rank
	config   Config
	words    words
	owner    *distribution.BlockMap
	quota    quota
	table    []uint64
	rans     []uint64 // the batch under generation
	sent     uint64   // updates, for Progress
	first    uint64   // first word of this rank
	updated  apps.Tally
	undone   apps.Tally
	checksum uint64
	errors   uint64 // number of wrong words
	astray   uint64 // 1 if the XOR over the table differs from that of the stream
}

func newBench(r *pebble.Rank, c Config) (*bench, error) {
	w := words{total: c.words() * uint64(r.Size()), own: c.words()}
	if err := apps.MustFit(r, "randomaccess: the tables", 8*w.own, "give fewer words or ranks"); err != nil {
		return nil, err
	}
	job := r.Config()
	mine := len(job.Topology(r.Size()).Neighbors(r.ID()))
	most, err := pebble.AllReduce(r, mine, func(a, b int) int { return max(a, b) })
	if err != nil {
		return nil, err
	}
	asked := c.Coalesce
	if c.Tuned {
		asked = job.Coalesce
	}
	gathered := 0
	if c.OneByOne {
		gathered = target.SendBufferMax
	}
	q := share(most, job.Cache, gathered, asked, job.Coalesce)
	return &bench{
		rank: r, config: c, words: w, owner: distribution.Block(w.total, r.Size()), quota: q,
		rans: make([]uint64, q.batch), first: w.own * uint64(r.ID()),
		updated: apps.Tally{Sent: c.updates()}, undone: apps.Tally{Sent: c.updates()},
	}, nil
}

// load makes this rank's part of the table.
func (b *bench) load() error {
	b.table = pebble.HugePages[uint64](int(b.words.own))
	for i := range b.table {
		b.table[i] = b.first + uint64(i)
	}
	return nil
}

// kernel applies all updates once.
func (b *bench) kernel() error {
	if b.rank.Config().Cache > 0 {
		return b.passes(b.mergedUpdates())
	}
	return b.passes(b.updates("update", b.count, b.factor()...))
}

// count counts updates that the kernel's handler receives.
func (b *bench) count(rans []uint64) { b.updated.Handled += uint64(len(rans)) }

// factor returns the option for the coalescing factor: none if tuning chooses it.
func (b *bench) factor() []target.Option {
	if b.config.Tuned {
		return nil
	}
	return []target.Option{target.Coalesce(b.quota.factor)}
}

// updates registers a target whose pebbles are numbers of the stream, and returns the function that sends to it. Its
// handler calls look with them first.
func (b *bench) updates(name string, look func(rans []uint64), options ...target.Option) (send func(rans []uint64)) {
	keys := target.Keys(b.words.keys)
	if b.words.lowBits() {
		keys = target.LowBits[uint64](bits.Len64(b.words.total - 1))
	}
	t := target.New(b.rank, name, b.owner, keys,
		target.Batch(func(rans []uint64) {
			look(rans)
			b.words.apply(b.table, rans)
		}), options...)
	if b.config.OneByOne {
		return func(rans []uint64) {
			for _, ran := range rans {
				t.Send(ran)
			}
		}
	}
	return t.SendAll
}

// mergedUpdates registers a target whose pebbles can be merged, and returns the function that sends to it.
func (b *bench) mergedUpdates() (send func(rans []uint64)) {
	t := target.New(b.rank, "update", b.owner, target.Keys(updateKeys),
		target.Batch(func(us []update) {
			b.updated.Handled += uint64(len(us))
			applyUpdates(b.table, us)
		}),
		append(b.factor(), target.Reduce(reduce.Combine(merge)))...)
	us := make([]update, b.quota.batch)
	return func(rans []uint64) {
		for i, ran := range rans {
			us[i] = update{b.words.key(ran), ran}
		}
		t.SendAll(us[:len(rans)])
	}
}

// progressEvery is the number of updates of rank 0 between two reports of progress: some milliseconds.
const progressEvery = 1 << 16

// passes sends all updates of this rank, in the configured number of epochs.
func (b *bench) passes(send func(rans []uint64)) error {
	if b.config.Epoch == 0 {
		return b.pass(send)
	}
	ran, each := b.start(), uint64(b.config.Epoch)
	for left := b.config.updates(); left > 0; left -= min(left, each) {
		if err := b.epoch(func() { ran = b.part(send, ran, min(left, each)) }); err != nil {
			return err
		}
	}
	return nil
}

// pass sends all updates of this rank, in one epoch.
func (b *bench) pass(send func(rans []uint64), options ...pebble.EpochOption) error {
	return b.epoch(func() { b.part(send, b.start(), b.config.updates()) }, options...)
}

// epoch is an epoch whose handlers send nothing.
func (b *bench) epoch(body func(), options ...pebble.EpochOption) error {
	return b.rank.Epoch(func() error {
		body()
		return nil
	}, append(options, pebble.Depth(1), pebble.Named("update"))...)
}

// start returns the number before the first of this rank's part of the stream.
func (b *bench) start() uint64 { return number(uint64(b.rank.ID()) * b.config.updates()) }

// part sends the n updates after the number ran of the stream, and returns the last number.
func (b *bench) part(send func(rans []uint64), ran, n uint64) uint64 {
	for left := n; left > 0; {
		rans := b.rans[:min(left, uint64(len(b.rans)))]
		ran = fill(rans, ran)
		send(rans)
		left -= uint64(len(rans))
		b.sent += uint64(len(rans))
		b.config.Progress.Passed(b.rank, progressEvery, b.sent-uint64(len(rans)), b.sent, 2*b.config.updates())
	}
	return ran
}

// factorVerify is the coalescing factor of the second run. The rule of 1,024 never yields it for the first.
const factorVerify = 509

// verify is check by another path than the kernel's.
func (b *bench) verify() error {
	return b.check(b.updates("undo", b.see, target.Route(another(b.rank)), target.Coalesce(factorVerify)))
}

// see counts updates that the second run's handler receives.
func (b *bench) see(rans []uint64) {
	b.undone.Handled += uint64(len(rans))
	b.undone.Misplaced += b.words.foreign(b.first, rans)
}

// The largest numbers of ranks and processes with a direct second run. Beyond them, a lane for each rank or a
// connection for each process would take more memory than everything else.
const (
	directMost    = 1024
	connectedMost = 64
)

// another returns the topology of the second run. Where that is not direct, a power of two of ranks needs no more
// connections than a first run over a hypercube.
func another(r *pebble.Rank) route.Constructor {
	if r.Size() <= directMost && r.Place().Processes <= connectedMost {
		return route.Direct
	}
	if r.Size()&(r.Size()-1) == 0 {
		return backwards(bits.Len(uint(r.Size())) - 1)
	}
	return route.MeshOf(4)
}

// backwards returns the topology with the links of a hypercube whose routes change the highest bit first.
func backwards(bits int) route.Constructor {
	order, sizes := make([]int, bits), make([]int, bits)
	for i := range bits {
		order[i], sizes[i] = i, 2
	}
	return route.MeshIn(order, sizes...)
}

// check takes the checksum of the table, undoes all updates by send, and counts the errors.
func (b *bench) check(send func(rans []uint64)) (err error) {
	if b.checksum, err = apps.Sum(b.rank, checksum(b.table, b.first)); err != nil {
		return err
	}
	changes, err := pebble.AllReduce(b.rank, b.changes(), func(x, y uint64) uint64 { return x ^ y })
	if err != nil {
		return err
	}
	if changes != total(b.config.updates()*uint64(b.rank.Size())) {
		b.astray = 1
	}
	err = b.pass(send, pebble.EndBy(termination.SKR))
	b.errors = b.wrong()
	return err
}

// judge adds the errors to the result.
func (b *bench) judge(result *Result) error {
	if err := result.Found(b.rank, b.errors, "words of the table are wrong"); err != nil {
		return err
	}
	if err := result.FoundOnce(b.rank, b.astray, "XOR over the table is not that of the numbers sent"); err != nil {
		return err
	}
	return result.Prove(b.rank, b.undone, "the second run")
}

// wrong returns the number of words that differ from their first value.
func (b *bench) wrong() (errors uint64) {
	for i, word := range b.table {
		if word != b.first+uint64(i) {
			errors++
		}
	}
	return errors
}

// changes returns the XOR of this rank's table and of its first values.
func (b *bench) changes() (sum uint64) {
	for i, word := range b.table {
		sum ^= word ^ (b.first + uint64(i))
	}
	return sum
}

// checksum returns a fingerprint of the words from first on. The checksums of parts add up to that of the table.
func checksum(table []uint64, first uint64) (sum uint64) {
	for i, word := range table {
		sum += apps.Mix(word ^ apps.Mix(first+uint64(i)))
	}
	return sum
}

// Serial is RandomAccess without ranks, pebbles or other code of this module. It returns the table of a job of this
// number of ranks after all updates, and its checksum. The configuration must pass Check.
func Serial(ranks int, c Config) (table []uint64, sum string) {
	c = c.withDefaults()
	table = make([]uint64, uint64(ranks)<<c.Log2Words)
	for i := range table {
		table[i] = uint64(i)
	}
	w := words{total: uint64(len(table)), own: c.words()}
	ran := uint64(1)
	for range c.updates() * uint64(ranks) {
		ran = next(ran)
		table[w.key(ran)] ^= ran
	}
	return table, digits(checksum(table, 0))
}
