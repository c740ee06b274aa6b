// Command gains measures what the address cache gains: the time of a get and of a put of package memory, by size, from
// an owner that attends (XLUPC, figures 6 and 7). It is a job of two processes, and lab/gains/run starts it with the
// cache and without, in turn.
package main

import (
	"encoding/json"
	"flag"
	"os"
	"time"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// Sizes, in bytes, and how long each is measured.
const (
	most   = 4 << 20
	during = 8 * time.Millisecond
)

// row is what is measured of a size.
type row struct {
	Bytes int     `json:"bytes"`
	Get   float64 `json:"get"` // µs
	Put   float64 `json:"put"` // µs
}

func main() {
	options := pebble.Flags(flag.CommandLine)
	flag.Parse()
	options.Main(os.Stdout, measure)
}

// measure has rank 0 get from and put to the last rank.
func measure(r *pebble.Rank) error {
	a := memory.NewArray[byte](memory.New(r), "data", distribution.Block(uint64(most*r.Size()), r.Size()))
	var rows []row
	if err := r.Epoch(func() error {
		if r.ID() > 0 {
			return nil
		}
		all, lo := make([]byte, most), uint64(most*(r.Size()-1))
		for n := 1; n <= most; n *= 4 {
			rows = append(rows, row{n, timed(r, func() { a.GetRange(lo, all[:n]) }),
				timed(r, func() { a.PutRange(lo, all[:n]) })})
		}
		return nil
	}); err != nil || r.ID() > 0 {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(rows)
}

// timed is how many microseconds a call takes, after some that don't count.
func timed(r *pebble.Rank, call func()) float64 {
	for range 3 {
		call()
	}
	began, n := r.Now(), 0
	for ; n < 20 || r.Now()-began < during; n++ {
		call()
	}
	return float64((r.Now() - began).Microseconds()) / float64(n)
}
