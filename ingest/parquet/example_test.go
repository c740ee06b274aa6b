package parquet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/activepebbles/pebbles/export"
	to "github.com/activepebbles/pebbles/export/parquet"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/ingest/parquet"
	"github.com/activepebbles/pebbles/pebble"
)

// A job of three ranks reads the parts that a job of two has written. Each rank reads some row groups.
func Example() {
	type point struct {
		X, Y int64
	}
	folder, err := os.MkdirTemp("", "points")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "points")
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		out, err := export.Create(r, name, to.Rows[point]())
		if err != nil {
			return err
		}
		defer out.Abort()
		if err := out.Write(point{int64(r.ID()), 7}); err != nil {
			return err
		}
		_, err = out.Close()
		return err
	})
	fmt.Println(err)
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		in, err := ingest.Open(r, []string{name}, parquet.Rows[struct{ Y int64 }]()) // one column of two
		if err != nil {
			return err
		}
		sum := int64(0)
		for p := range in.All() {
			sum += p.Y
		}
		report, err := in.Report()
		if err != nil {
			return err
		}
		if sum, err = pebble.AllReduce(r, sum, pebble.Sum); r.ID() == 0 {
			fmt.Println(sum, "in", report.Rows, "rows")
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// <nil>
	// 14 in 2 rows
	// <nil>
}
