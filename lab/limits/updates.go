package limits

import (
	"fmt"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// Updates is the limit of RandomAccess: the same number of updates, from the same kind of stream, to tables of the same
// size, by one goroutine for each table, without messages, and with the same look ahead.
type Updates struct {
	Log2Words int  // of each table, 8 bytes each: 1 to 32
	Tables    int  // and number of goroutines
	PerWord   int  // mean number of updates of a word
	Huge      bool // ask the system for huge pages
}

// Check returns an error for sizes that cannot be measured.
func (u Updates) Check() error {
	if u.Log2Words < 1 || u.Log2Words > 32 || u.Tables < 1 || u.PerWord < 1 || u.PerWord<<u.Log2Words < len(batch{}) {
		return fmt.Errorf("%d tables of 2^%d words, %d updates a word: give 1 to 32 for the logarithm, a table or "+
			"more, and %d updates of a table or more", u.Tables, u.Log2Words, u.PerWord, len(batch{}))
	}
	return nil
}

// Run makes the updates. It verifies them by making them again, which undoes them.
func (u Updates) Run() (Report, error) {
	if err := u.Check(); err != nil {
		return Report{}, err
	}
	tables := make([][]uint64, u.Tables)
	for i := range tables {
		words, free, err := memory(1<<u.Log2Words, u.Huge)
		if err != nil {
			return Report{}, err
		}
		defer free()
		for j := range words {
			words[j] = uint64(j)
		}
		tables[i] = words
	}
	took := u.pass(tables)
	r := Report{App: "limit-updates", Procs: 1, Checksum: checksum(tables), Seconds: took.Seconds()}
	r.Updates = uint64(u.Tables) * uint64(u.updates())
	r.UpdatesPerSecond = float64(r.Updates) / r.Seconds
	u.pass(tables)
	r.Errors = misplaced(tables)
	return r, nil
}

// updates returns the number of updates of one table.
func (u Updates) updates() int { return u.PerWord << u.Log2Words / len(batch{}) * len(batch{}) }

func (u Updates) pass(tables [][]uint64) time.Duration {
	var running sync.WaitGroup
	start := time.Now()
	for i := range tables {
		running.Go(func() { apply(tables[i], uint64(i)*0x9E3779B97F4A7C15+1, u.updates()) })
	}
	running.Wait()
	return time.Since(start)
}

type batch [256]uint64

// apply makes updates by the numbers that follow ran in the stream of RandomAccess.
func apply(table []uint64, ran uint64, updates int) {
	mask := uint64(len(table) - 1)
	var rans batch
	for done := 0; done < updates; done += len(rans) {
		for i := range rans {
			ran = ran<<1 ^ uint64(int64(ran)>>63)&7
			rans[i] = ran
		}
		cpu.PrefetchEach(table, rans[:], func(rans []uint64) {
			for _, v := range rans {
				table[v&mask] ^= v
			}
		})
	}
}

func checksum(tables [][]uint64) string {
	sum := uint64(0)
	for _, table := range tables {
		for i, v := range table {
			sum += v * (2*uint64(i) + 1)
		}
	}
	return fmt.Sprintf("%016x", sum)
}

// misplaced returns the number of words that differ from their first values.
func misplaced(tables [][]uint64) (errors uint64) {
	for _, table := range tables {
		for i, v := range table {
			if v != uint64(i) {
				errors++
			}
		}
	}
	return errors
}
