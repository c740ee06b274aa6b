package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/kmers"
	"github.com/activepebbles/pebbles/apps/words"
	"github.com/activepebbles/pebbles/lab"
)

// parts is the number of parts in which a file is made, so that it need not fit in memory.
const parts = 64

// kinds are the kinds of files, each with an amount. Equal amounts make equal files.
var kinds = map[string]struct {
	of    string                            // unit of the amount
	write func(w *bufio.Writer, amount int) // w keeps its first error
}{
	"words":     {"bytes of words that are as frequent as Zipf's law says, of a million", writeWords},
	"reads":     {"bases of a genome, which reads of 100 bases cover 20 times, as FASTA", writeReads},
	"numbers":   {"numbers below 2^64, a line each", writeNumbers},
	"lines":     {"lines of 10 to 90 letters", writeLines},
	"orders":    {"rows of CSV: customer, of a tenth as many, and cents", writeOrders},
	"customers": {"rows of CSV: name and country", writeCustomers},
}

func makeProgram() lab.Program {
	var in input
	return lab.Program{Name: "make", Flags: "out", Own: func(f *flag.FlagSet) {
		f.StringVar(&in.kind, "kind", "", names())
		f.IntVar(&in.amount, "amount", 0, "how much of it")
	}, Run: func(_ context.Context, s *lab.Session) error {
		in.path = s.Out
		if _, known := kinds[in.kind]; !known || in.amount < 1 || in.path == "" {
			return lab.UsageError{Err: fmt.Errorf("-kind %q -amount %d -out %q: give all three: kinds are %s", in.kind,
				in.amount, in.path, names())}
		}
		return in.make()
	}}
}

// names returns the names of the kinds, each with the unit of its amount.
func names() string {
	var all []string
	for name, k := range kinds {
		all = append(all, name+" ("+k.of+")")
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// input is a file that programs read.
type input struct {
	kind   string
	amount int
	path   string
}

// make makes the file unless it exists.
func (in input) make() (err error) {
	if _, err := os.Stat(in.path); err == nil {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(in.path), "data")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	kinds[in.kind].write(w, in.amount)
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), in.path)
}

func writeWords(w *bufio.Writer, amount int) {
	for part := range parts {
		_, _ = w.Write(words.Text(words.Config{Bytes: amount, Common: apps.Common{Seed: 1}}, part, parts))
		_ = w.WriteByte('\n')
	}
}

func writeReads(w *bufio.Writer, amount int) {
	const few = 4 // each makes the whole genome
	n := 0
	for part := range few {
		reads, _ := kmers.Reads(kmers.Config{Bases: amount, Coverage: 20, Common: apps.Common{Seed: 1}}, part, few)
		for _, read := range reads {
			fmt.Fprintf(w, ">%d\n%s\n", n, read)
			n++
		}
	}
}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func writeNumbers(w *bufio.Writer, amount int) {
	r, line := random(1), []byte(nil)
	for range amount {
		line = append(strconv.AppendUint(line[:0], r.Uint64(), 10), '\n')
		_, _ = w.Write(line)
	}
}

func writeLines(w *bufio.Writer, amount int) {
	r, line := random(2), []byte(nil)
	for range amount {
		line = line[:0]
		for range 10 + r.IntN(81) {
			line = append(line, byte('a'+r.IntN(26)))
		}
		_, _ = w.Write(append(line, '\n'))
	}
}

func writeOrders(w *bufio.Writer, amount int) {
	r := random(3)
	_, _ = io.WriteString(w, "customer,cents\n")
	for range amount {
		fmt.Fprintf(w, "c%d,%d\n", r.IntN(max(1, amount/10)), r.IntN(100_000))
	}
}

func writeCustomers(w *bufio.Writer, amount int) {
	r := random(4)
	_, _ = io.WriteString(w, "name,country\n")
	names := make([]int, amount)
	for i := range names {
		names[i] = i
	}
	r.Shuffle(amount, func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, n := range names {
		fmt.Fprintf(w, "c%d,%s\n", n, countries[r.IntN(len(countries))])
	}
}

// countries are 200 names.
var countries = slices.Collect(func(yield func(string) bool) {
	for i := range 200 {
		if !yield(fmt.Sprintf("country %d", i)) {
			return
		}
	}
})
