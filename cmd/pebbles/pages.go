package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/treadmarks"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

func newPages(t terminal) *cobra.Command {
	c := group(&cobra.Command{
		Use:   "pages",
		Short: "Run a program on shared pages, as TreadMarks does",
		Long: "pages runs the programs by which TreadMarks over GM was measured, on shared pages with lazy release\n" +
			"consistency: what barriers, locks, pages and diffs cost, and four programs, and two more. All are\n" +
			"verified; programs have a serial twin, whose time is told beside theirs.",
		Example: "  pebbles pages jacobi --procs 2\n" +
			"  pebbles pages page --procs 2 --transport tcp --json",
	})
	for _, p := range pagesPrograms {
		c.AddCommand(pagesCommand(t, p))
	}
	return c
}

// pagesPrograms are the programs, with their words for people.
var pagesPrograms = []struct {
	program     treadmarks.Program
	short, long string
	examples    string
}{
	{treadmarks.Barrier, "Measure a barrier of shared pages",
		"barrier has all ranks meet, with nothing to tell each other, and tells the median; bare is the same\n" +
			"for the runtime's own barrier. Before each barrier that is timed, every rank writes a word and reads\n" +
			"those of all others after another one.",
		"  pebbles pages barrier --ranks 4\n  pebbles pages barrier --procs 4 --transport tcp --json"},
	{treadmarks.Lock, "Measure taking a lock that nobody has",
		"lock has rank 1 take a lock that is at rank 0: direct, when rank 0 had it last, and with 3 ranks or\n" +
			"more indirect, when rank 2 had it; bare is one swap of a word there. A count under the lock is\n" +
			"verified.",
		"  pebbles pages lock --procs 3 --ranks 3\n  pebbles pages lock --procs 2 --transport tcp --json"},
	{treadmarks.Page, "Measure the first read of a page that another rank has written to",
		"page has rank 0 write to pages that are its own, and read a word of each, and then rank 1 read them;\n" +
			"bare is one get of as many bytes. Times are of a page. Pages that are near are no copies, unless\n" +
			"--copies says so.",
		"  pebbles pages page --procs 2 --transport tcp\n  pebbles pages page --procs 2 --copies --page-size 65536 --json"},
	{treadmarks.Diff, "Measure what writes to pages of another rank cost, and their reads by a third",
		"diff has rank 1 write to pages of rank 0 under a lock, one word of each page (small) or all words\n" +
			"(large), and rank 2 read them under the lock, or rank 0 where there is no other. Times are of a\n" +
			"page: of the writes, the release, and the reads.",
		"  pebbles pages diff --procs 3 --ranks 3 --transport tcp\n" +
			"  pebbles pages diff --procs 2 --copies --size 256 --json"},
	{treadmarks.Jacobi, "Relax a grid, each point from its four neighbours",
		"jacobi sets each point of a grid to the mean of its four neighbours, again and again, from one grid\n" +
			"into another. Each rank has some rows. The grid is compared with that of the serial twin, to the\n" +
			"last bit.",
		"  pebbles pages jacobi --procs 2 --size 2000\n  pebbles pages jacobi --ranks 4 --copies --json"},
	{treadmarks.SOR, "Relax a grid of red and black points",
		"sor is red-black successive over-relaxation of a grid of 2000 rows of 4-byte numbers: red points\n" +
			"from their black neighbours, then black ones. Each rank has some rows. The grid is compared with\n" +
			"that of the serial twin, to the last bit.",
		"  pebbles pages sor --procs 2\n  pebbles pages sor --procs 4 --transport tcp --size 4000 --json"},
	{treadmarks.TSP, "Find shortest tours of cities by branch and bound",
		"tsp finds the shortest tour of random cities, new ones each round. Beginnings of tours wait in a\n" +
			"heap that all ranks share under a lock; the best tour is shared under another one. The lengths are\n" +
			"compared with those of the serial twin.",
		"  pebbles pages tsp --procs 2\n  pebbles pages tsp --ranks 4 --size 16 --rounds 3 --json"},
	{treadmarks.FFT, "Transform a cube of complex numbers, and back",
		"fft transforms a cube of complex numbers by Fourier, and back, again and again. Each rank has some\n" +
			"planes, and reads its part of all others' between the directions. The image is compared with that of\n" +
			"the serial twin, to the last bit, the cube with itself.",
		"  pebbles pages fft --procs 2 --size 64\n  pebbles pages fft --ranks 4 --size 16 --copies --json"},
	{treadmarks.SpMV, "Multiply a vector by a sparse matrix, by pages, gathers or pebbles",
		"spmv multiplies a vector by a sparse matrix, again and again: irregular reads that repeat. The\n" +
			"elements that a rank needs come as pages, by gathers of an array, or as pebbles of their owners. The\n" +
			"vector is compared with the serial twin's, to the last bit.",
		"  pebbles pages spmv --procs 2 --by gather\n  pebbles pages spmv --procs 2 --transport tcp --by pages --json"},
	{treadmarks.BucketSort, "Sort random keys by buckets, whose counts share pages",
		"bucketsort sorts random 4-byte keys. All ranks write to all pages of the counts of buckets: each\n" +
			"word has one writer, and a page has all of them. The keys are compared with those of the serial\n" +
			"twin.",
		"  pebbles pages bucketsort --procs 2\n  pebbles pages bucketsort --ranks 4 --size 1000000 --copies --json"},
}

func pagesCommand(t terminal, p struct {
	program     treadmarks.Program
	short, long string
	examples    string
}) *cobra.Command {
	c := &cobra.Command{Use: string(p.program), Short: p.short, Long: p.long, Example: p.examples}
	about := p.program.About()
	config := treadmarks.Config{Size: about.Standard, Rounds: about.Rounds}
	page := size(pages.PageBytesDefault)
	way := &word{}
	f := c.Flags()
	if about.Size != "" {
		f.Var(count(&config.Size, 1, ""), "size", fmt.Sprintf("%s, %d to %d", about.Size, about.Least, about.Most))
	}
	f.Var(count(&config.Rounds, 1, ""), "rounds", "how often it is done")
	f.Var(&page, "page-size", "bytes of a page, a power of two from 64 to 1MiB")
	f.BoolVar(&config.Copies, "copies", false, "make local copies of all pages, also of those that are near")
	f.BoolVar(&config.Checked, "checked", false, "have the processor look after spans; implies --copies")
	if p.program == treadmarks.Lock || p.program == treadmarks.Page {
		f.DurationVar(&config.Busy, "busy", 0,
			"how long rank 0 computes at a time while rank 1 takes its lock, or its pages (default not at all)")
	}
	if ways := about.WayNames(); ways != nil {
		words(c, way, "by", ways[0], ways, "how the elements come that a rank needs")
	}
	appCommand(t, c, application{
		of: "treadmarks",
		check: func(s *settings, _ givenFlags) error {
			config.Seed, config.PageBytes, config.Way = s.Seed, int(page), treadmarks.Way(way.text)
			return p.program.Check(config, s.ranks())
		},
		run: runs(&config, "rounds", func(r *pebble.Rank, c treadmarks.Config) (treadmarks.Result, error) {
			return treadmarks.Run(r, p.program, c)
		}),
	})
	if p.program != treadmarks.SpMV {
		unused(c, "no pebble is sent", "coalesce")
	}
	return unused(c, "nothing can be merged", "cache")
}
