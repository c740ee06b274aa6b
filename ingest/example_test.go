package ingest_test

import (
	"context"
	"fmt"
	"os"

	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// Three ranks sum a column. A row that is not a number is counted and skipped.
func Example() {
	file, err := os.CreateTemp("", "trips*.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(file.Name())
	fmt.Fprint(file, "city,miles\nBern,1.5\n\"New\nYork\",2\nRome,far\n")
	file.Close()
	type trip struct {
		Miles float64 `csv:"miles"`
	}
	err = pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		trips, err := ingest.Open(r, []string{file.Name()}, ingest.CSV[trip](), ingest.Skip(1))
		if err != nil {
			return err
		}
		sum := 0.0
		for t := range trips.All() {
			sum += t.Miles
		}
		report, err := trips.Report() // with the error of any rank
		if err != nil {
			return err
		}
		sum, err = pebble.AllReduce(r, sum, pebble.Sum)
		if r.ID() == 0 {
			fmt.Println(sum, "miles in", report.Rows, "rows;", report.Skipped, "skipped")
		}
		return err
	})
	fmt.Println(err)
	// Output:
	// 3.5 miles in 2 rows; 1 skipped
	// <nil>
}
