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
	n := flag.Int("n", 10, "how many k-mers to print")
	fasta := flag.Bool("fasta", false, "files are FASTA, not FASTQ")
	flag.Parse()
	format := ingest.FASTQ()
	if *fasta {
		format = ingest.FASTA()
	}
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		counts, err := run(r, flag.Args(), format)
		if err != nil {
			return err
		}
		return show(r, os.Stdout, counts, *n)
	})
}

const (
	k    = 31
	mask = 1<<(2*k) - 1
)

// run counts the k-mers of files, each as the lesser of itself and its reverse complement. A base takes 2 bits.
func run(r *pebble.Rank, files []string, format ingest.Format[ingest.Sequence]) (*container.Counter[uint64], error) {
	counts := container.NewCounter[uint64](r, "counts")
	reads, err := ingest.Open(r, files, format)
	if err != nil {
		return nil, err
	}
	err = r.Epoch(func() error {
		for read := range reads.All() {
			forward, reverse, length := uint64(0), uint64(0), 0
			for _, base := range read.Bases {
				code, isBase := codeOf(base)
				if !isBase {
					length = 0
					continue
				}
				forward = (forward<<2 | code) & mask
				reverse = reverse>>2 | (3-code)<<(2*k-2)
				if length++; length >= k {
					counts.Add(min(forward, reverse), 1)
				}
			}
		}
		return reads.Err()
	})
	return counts, err
}

// codeOf returns the code of a base. 3 less the code is that of the complement.
func codeOf(base byte) (code uint64, isBase bool) {
	switch base {
	case 'A', 'a':
		return 0, true
	case 'C', 'c':
		return 1, true
	case 'G', 'g':
		return 2, true
	case 'T', 't':
		return 3, true
	}
	return 0, false
}

// show prints the n most frequent k-mers, on rank 0.
func show(r *pebble.Rank, w io.Writer, counts *container.Counter[uint64], n int) error {
	top, err := counts.Top(n)
	if r.ID() == 0 {
		for _, e := range top {
			fmt.Fprintf(w, "%8d %s\n", e.Value, basesOf(e.Key))
		}
	}
	return err
}

func basesOf(kmer uint64) []byte {
	bases := make([]byte, k)
	for i := range bases {
		bases[k-1-i] = "ACGT"[kmer&3]
		kmer >>= 2
	}
	return bases
}
