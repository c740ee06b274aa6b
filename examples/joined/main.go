package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

func main() {
	orders := flag.String("orders", "orders.csv", "CSV file with columns customer and cents")
	customers := flag.String("customers", "customers.csv", "CSV file with columns name and country")
	flag.Parse()
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		sums, err := run(r, *orders, *customers)
		if err != nil {
			return err
		}
		return show(r, os.Stdout, sums)
	})
}

type order struct {
	Customer string `csv:"customer"`
	Cents    int64  `csv:"cents"`
}

type customer struct {
	Name    string `csv:"name"`
	Country string `csv:"country"`
}

type sum = container.Entry[string, int64] // cents by country

// run sums the orders of each country, and sorts the sums by the countries' names.
func run(r *pebble.Rank, ordersFile, customersFile string) (*container.Table[sum], error) {
	orders := container.NewTable[order](r, "orders", container.Budget{})
	customers := container.NewTable[customer](r, "customers", container.Budget{})
	found := container.NewTable[sum](r, "found", container.Budget{})
	if err := read(r, ordersFile, orders); err != nil {
		return nil, err
	}
	if err := read(r, customersFile, customers); err != nil {
		return nil, err
	}
	if err := container.Join(orders, customers,
		func(o order) string { return o.Customer }, func(c customer) string { return c.Name }, container.Inner,
		func(o order, c *customer) { found.Add(sum{Key: c.Country, Value: o.Cents}) }); err != nil {
		return nil, err
	}
	country := func(s sum) string { return s.Key }
	sums, err := container.GroupBy(found, country, func(s sum) int64 { return s.Value }, pebble.Sum)
	if err != nil {
		return nil, err
	}
	return sums, container.SortBy(sums, country)
}

// read adds the rows of a file to a table, each on the rank that has read it.
func read[T any](r *pebble.Rank, file string, table *container.Table[T]) error {
	rows, err := ingest.Open(r, []string{file}, ingest.CSV[T]())
	if err != nil {
		return err
	}
	for row := range rows.All() {
		table.Add(row)
	}
	_, err = rows.Report() // an error of one rank is one of all
	return err
}

// show prints all sums, on rank 0.
func show(r *pebble.Rank, w io.Writer, sums *container.Table[sum]) error {
	all, err := sums.Gather(0)
	for _, e := range all {
		fmt.Fprintf(w, "%s,%d\n", e.Key, e.Value)
	}
	return err
}
