package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	var j job
	flag.IntVar(&j.ranks, "ranks", 64, "ranks of the job")
	flag.IntVar(&j.procs, "procs", 8, "processes that they are spread over")
	flag.IntVar(&j.bytes, "bytes", 16, "bytes of a pebble")
	flag.IntVar(&j.coalesce, "coalesce", 1024, "pebbles a buffer")
	flag.IntVar(&j.credits, "credits", 8, "frames in flight to each neighbour at most")
	flag.Parse()
	if err := j.check(); err != nil {
		fmt.Fprintln(os.Stderr, "routing:", err)
		os.Exit(2)
	}
	if err := run(os.Stdout, j); err != nil {
		fmt.Fprintln(os.Stderr, "routing:", err)
		os.Exit(1)
	}
}

// run prints all tables for a job.
func run(out io.Writer, j job) error {
	for _, table := range []func(io.Writer, job) error{topologies, detectors, filling} {
		if err := table(out, j); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	return nil
}
