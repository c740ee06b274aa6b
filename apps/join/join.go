// Package join joins two tables by equal keys, with container.Join, on all ranks: tables in files of any format (see
// [table.Open]), or generated rows of a key and a payload, made from a seed. Right rows that exceed the memory go to
// files, and then left rows too.
//
// [Run] joins, checks and reports. The number of a result is the product of both rows' hashes or payloads, or that of
// its only row. Run counts the results and sums their numbers. The check computes both without a join: it sums the
// numbers of the rows with each key on either side, because the sum over all pairs of a key is the product of its two
// sums. For generated rows it needs no pebble: each rank makes the rows of all ranks again for its share of the keys.
// Small joins of generated rows are also compared with the serial twin, [Serial].
package join

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// Kind is the kind of a join: see container.JoinKind. Full is Left plus the right rows that match no left row.
type Kind string

// The kinds of joins.
const (
	Inner Kind = "inner"
	Left  Kind = "left"
	Full  Kind = "full"
	Semi  Kind = "semi"
	Anti  Kind = "anti"
)

// Kinds lists all kinds.
var Kinds = []Kind{Inner, Left, Full, Semi, Anti}

// outer reports whether results include left rows that match no right row, beside pairs.
func (k Kind) outer() bool { return k == Left || k == Full }

// leftOnly reports whether results are left rows.
func (k Kind) leftOnly() bool { return k == Semi || k == Anti }

var kindsOfContainers = map[Kind]container.JoinKind{
	Inner: container.Inner, Left: container.Left, Full: container.Left, Semi: container.Semi, Anti: container.Anti,
}

// join joins two tables by keys. Right rows without a left one go to alone. All ranks call it.
func join[R any, K comparable](kind Kind, left, right *container.Table[R], key func(row R) K, emit func(l R, r *R),
	alone func(r R)) error {
	err := container.Join(left, right, key, key, kindsOfContainers[kind], emit)
	if err == nil && kind == Full {
		err = container.Join(right, left, key, key, container.Anti, func(r R, _ *R) { alone(r) })
	}
	return err
}

// Config configures Run. It is equal on all ranks, except for Progress.
type Config struct {
	// Seed determines the rows. Progress counts rows that rank 0 has made or read. Output gets the results of files, in
	// the order of their keys, then in that of the left and the right table.
	apps.Common
	// Input names two tables, the left and the right one: files of a format of [table.Open], or patterns. Without
	// files, rows are generated.
	apps.Input
	// On lists the columns of the keys of files, in order of importance, such as "id", or "id=customer" if the right
	// table uses another name. Keys are equal if their texts are. A row without a value in one of them matches no other
	// row.
	On []string

	Left, Right uint64 // rows of all ranks; 0 is LeftDefault and RightDefault
	Keys        uint64 // keys to draw from; 0 is the number of right rows
	// Zipf makes some keys of left rows frequent: the frequency of key k is about proportional to (k+1)^-Zipf; 0 is
	// uniform. The keys of right rows are uniform.
	Zipf  float64
	Kind  Kind             // "" is Inner
	Space container.Budget // of each table
}

// The default sizes.
const (
	LeftDefault  = 10_000_000
	RightDefault = 1_000_000
)

const (
	rowsMost = 1 << 44 // so that a rank's rows fit in an int
	keysMost = 1 << 40
	zipfMost = 10
	twinMost = 1 << 18 // maximum rows of a join that is compared with the serial twin
)

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error {
	if err := c.checkFiles(); err != nil {
		return err
	}
	c = c.complete()
	switch {
	case c.Left > rowsMost || c.Right > rowsMost:
		return fmt.Errorf("join: %d and %d rows: give %d at most", c.Left, c.Right, uint64(rowsMost))
	case c.Keys > keysMost:
		return fmt.Errorf("join: %d keys: give %d at most", c.Keys, uint64(keysMost))
	case !(c.Zipf >= 0 && c.Zipf <= zipfMost): // NaN too
		return fmt.Errorf("join: an exponent of %v: give 0, or a number up to %d", c.Zipf, zipfMost)
	case !slices.Contains(Kinds, c.Kind):
		return fmt.Errorf("join: no kind %q: use one of %s", c.Kind, apps.Names(Kinds))
	case c.Space.Memory < 0:
		return fmt.Errorf("join: rows have %d bytes of memory: give a number above 0, or 0 for the available memory",
			c.Space.Memory)
	}
	return nil
}

// checkFiles returns an error if the files, keys or rows to join do not go together.
func (c Config) checkFiles() error {
	switch {
	case len(c.Files) != 0 && len(c.Files) != 2:
		return fmt.Errorf("join: %d tables: give two, each by one name or pattern, in quotes where it has a *", len(c.Files))
	case len(c.Files) == 0 && (len(c.On) > 0 || c.Output.Path != ""):
		return fmt.Errorf("join: generated rows have no columns and no output: name two tables")
	case len(c.Files) > 0 && len(c.On) == 0:
		return fmt.Errorf("join: no key: name the columns that are equal in both tables")
	case len(c.Files) > 0 && (c.Left > 0 || c.Right > 0 || c.Keys > 0 || c.Zipf != 0):
		return fmt.Errorf("join: the tables are files, and numbers of generated rows are given: give one or the other")
	case c.Output.Top > 0:
		return fmt.Errorf("join: results have no highest rows: leave Top out")
	}
	return c.Output.Check()
}

// complete sets zero fields to their defaults.
func (c Config) complete() Config {
	c.Left, c.Right = cmp.Or(c.Left, LeftDefault), cmp.Or(c.Right, RightDefault)
	c.Keys, c.Kind = cmp.Or(c.Keys, c.Right), cmp.Or(c.Kind, Inner)
	return c
}

// Row is a row of either table.
type Row struct{ Key, Payload uint64 }

// leftRow and rightRow return the rows at a place.
func (c Config) leftRow(at uint64) Row {
	payload := apps.Mix(apps.Mix(2*c.Seed) + at)
	return Row{c.key(apps.Mix(payload)), payload}
}

func (c Config) rightRow(at uint64) Row {
	payload := apps.Mix(apps.Mix(2*c.Seed+1) + at)
	return Row{apps.Mix(payload) % c.Keys, payload}
}

// key maps a random number to a key: the inverse of the distribution of a continuous Zipf's law, rounded down.
func (c Config) key(random uint64) uint64 {
	if c.Zipf == 0 {
		return random % c.Keys
	}
	most, chance := float64(c.Keys+1), float64(random>>11)/(1<<53)
	x := math.Exp(chance * math.Log(most))
	if e := 1 - c.Zipf; e != 0 {
		x = math.Pow(1+chance*(math.Pow(most, e)-1), 1/e)
	}
	return min(uint64(x), c.Keys) - 1
}

// Answer is the sum of a join.
type Answer struct {
	Results uint64
	Sum     uint64 // of the results' numbers
}

// result adds a result.
func (a *Answer) result(l Row, r *Row) {
	a.Results++
	if r == nil {
		a.Sum += l.Payload
		return
	}
	a.Sum += l.Payload * r.Payload
}

func (a Answer) add(b Answer) Answer { return Answer{a.Results + b.Results, a.Sum + b.Sum} }

// Result is the report of Run.
type Result struct {
	apps.Report
	Kind    Kind    `json:"kind"`
	Left    uint64  `json:"left"`  // rows
	Right   uint64  `json:"right"` // rows
	Keys    uint64  `json:"keys"`
	Zipf    float64 `json:"zipf"`
	Results uint64  `json:"results"`

	RowsPerSecond float64 `json:"rows_per_second"` // left and right rows
	SpilledBytes  int64   `json:"spilled_bytes"`   // written to scratch folders by all ranks
	Runs          int     `json:"runs"`            // number of files with these bytes
	Checksum      string  `json:"checksum"`        // sum of the results' numbers, 16 hexadecimal digits
	Twin          bool    `json:"twin"`            // the serial twin was run
}

// Rows returns the labels and values of a summary for display.
func (r Result) Rows() [][2]string {
	return [][2]string{
		{"join", fmt.Sprintf("%s, %d left and %d right rows, %d keys", r.Kind, r.Left, r.Right, r.Keys)},
		{"results", strconv.FormatUint(r.Results, 10)},
		{"rows a second", fmt.Sprintf("%.4g", r.RowsPerSecond)},
		{"spilled", fmt.Sprintf("%d bytes in %d runs", r.SpilledBytes, r.Runs)},
		{"checksum", r.Checksum},
		r.TwinRow(r.Twin),
	}
}

// Run joins and checks. All ranks call it, with equal configurations. The result is complete on every rank. An error
// means that the job failed; Errors counts the mistakes that the check finds.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	c = c.complete()
	if len(c.Files) > 0 {
		return runFiles(r, c)
	}
	result := Result{
		Report: apps.NewReport(r, "join", c.Seed), Kind: c.Kind, Left: c.Left, Right: c.Right, Keys: c.Keys, Zipf: c.Zipf,
		Twin: c.Left+c.Right <= twinMost,
	}
	j := newJoiner(r, c)
	err := result.RunPhases(r, apps.Phases{
		Load: j.load, Kernel: j.join, Sum: func() error { return j.total(&result) },
		Rate:   func() { result.RowsPerSecond = apps.Rate(float64(c.Left+c.Right), result.Seconds) },
		Verify: func() error { return j.verify(&result) },
		Wrong:  func() (uint64, string) { return j.unequal, "results are wrong: their keys are not equal" },
	})
	return result, err
}
