package command

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps/access"
	"github.com/activepebbles/pebbles/apps/stressmark"
	"github.com/activepebbles/pebbles/apps/treadmarks"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

func newAccess(t Terminal) *cobra.Command {
	return Group(&cobra.Command{
		Use:   "access",
		Short: "Cost of accesses to a distributed array",
		Long: "access measures and verifies accesses of package memory: of random words by all ranks, and of an\n" +
			"owner that computes and does not look for messages.",
		Example: "  pebbles access gather --ranks 2\n" +
			"  pebbles access attend --procs 2 --transport tcp --json",
	}, newAccessGather(t), newAttend(t))
}

func newAccessGather(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "gather",
		Short: "Read or write random words of a table that is spread over all ranks",
		Long: "gather is bale's indexgather and its relatives: each rank reads or writes random words of a table\n" +
			"that is spread over all ranks, in batches or one after the other; or, for comparison, only its own\n" +
			"words by plain loads. In a chain each index depends on the word read before. All words are\n" +
			"verified.",
		Example: "  pebbles access gather --ranks 2 --log2-words 22\n" +
			"  pebbles access gather --way get --others --procs 2 --json\n" +
			"  pebbles access gather --way load --ranks 1 --log2-words 25",
	}
	var config access.GatherConfig
	var way Word
	f := c.Flags()
	f.Var(Count(&config.Log2Words, 1, "20"), "log2-words", "log2 of the 8-byte words per rank")
	f.Var(Count(&config.Accesses, 1, "1048576"), "accesses", "accesses per rank")
	f.Var(Count(&config.Batch, 1, "1024"), "batch", "accesses per batch")
	f.BoolVar(&config.Others, "others", false, "access words of other ranks only")
	Words(c, &way, "way", string(access.Ways[0]), names(access.Ways), "kind of access")
	appCommand(t, c, byConfig(&config, "accesses", access.Gather, func(*settings, givenFlags) error {
		config.Way = access.Way(way.Text)
		return nil
	}))
	return unused(c, "no pebble is sent", "coalesce", "cache")
}

func newAttend(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "attend",
		Short: "Read words of a rank that computes for long without a call",
		Long: "In attend, rank 0 reads words of the last rank, which computes for a while without calling the\n" +
			"runtime, polls once for messages, and computes again. Gets are served by the owner's process; with\n" +
			"--asks a pebble asks the owner, which must poll. All words are verified.",
		Example: "  pebbles access attend --procs 2\n" +
			"  pebbles access attend --procs 2 --transport tcp --asks --reads 20 --json",
	}
	config := access.AttendConfig{Busy: 20 * time.Millisecond}
	f := c.Flags()
	f.Var(Count(&config.Reads, 1, "1000"), "reads", "number of words to read, one by one")
	f.DurationVar(&config.Busy, "busy", config.Busy, "`time` that the owner computes without a call")
	f.BoolVar(&config.Asks, "asks", false, "ask the owner by a pebble instead of a get")
	appCommand(t, c, byConfig(&config, "reads", access.Attend, nil))
	return unused(c, "nothing can be merged", "cache")
}

func newStressmark(t Terminal) *cobra.Command {
	return Group(&cobra.Command{
		Use:   "stressmark",
		Short: "DIS Stressmarks on a distributed array",
		Long: "stressmark runs three of the DIS Stressmarks, as XLUPC does: programs whose ranks read and write\n" +
			"one distributed array, near or remote. The result of each is verified, and does not depend on the\n" +
			"number of ranks.",
		Example: "  pebbles stressmark pointer\n" +
			"  pebbles stressmark neighborhood --procs 2 --transport tcp --json",
	}, newPointer(t), newUpdate(t), newNeighborhood(t))
}

// stressmarkCommand is appCommand for a stressmark, whose only pebbles request addresses.
func stressmarkCommand[C checkedConfig, P configuration[C], R result](t Terminal, c *cobra.Command, config P,
	counts string, run func(*pebble.Rank, C) (R, error)) *cobra.Command {
	appCommand(t, c, byConfig(config, counts, run, nil))
	return unused(c, "no pebble is sent but for addresses", "coalesce", "cache")
}

func newPointer(t Terminal) *cobra.Command {
	return chasing(t, stressmark.Pointer, &cobra.Command{
		Use:   "pointer",
		Short: "Follow a chain of pointers through a distributed array on every rank",
		Long: "pointer is the Pointer Stressmark: each rank reads a few words next to each other; their median is\n" +
			"the place of the next read, until it reaches one of a few places or the maximum number of hops.\n" +
			"Each rank has its own start and end.",
		Example: "  pebbles stressmark pointer\n" +
			"  pebbles stressmark pointer --procs 2 --transport tcp --hops 1000 --json",
	})
}

func newUpdate(t Terminal) *cobra.Command {
	return chasing(t, stressmark.Update, &cobra.Command{
		Use:   "update",
		Short: "Follow a chain of pointers on one rank, and write a word at each hop",
		Long: "update is the Update Stressmark: rank 0 follows a chain of pointers as in pebbles stressmark\n" +
			"pointer, and writes the sum of the words of each hop to the place of the hop. The other ranks have\n" +
			"nothing to do. The whole array is compared with that of a serial run.",
		Example: "  pebbles stressmark update\n" +
			"  pebbles stressmark update --procs 2 --window 15 --json",
	})
}

// chasing returns the command of either.
func chasing(t Terminal, run func(*pebble.Rank, stressmark.PointerConfig) (stressmark.PointerResult, error),
	c *cobra.Command) *cobra.Command {
	config := stressmark.PointerConfig{Words: 1 << 18, Window: 7, Hops: 4096}
	f := c.Flags()
	f.Var(Count(&config.Words, 1, ""), "words", "number of words in the array, 16 to 16777216")
	f.Var(Count(&config.Window, 1, ""), "window", "words read per hop, an odd number up to 15")
	f.Var(Count(&config.Hops, 1, ""), "hops", "maximum number of hops per chain")
	f.Var(Count(&config.Stop, 1, "one in 1024"), "stop", "number of places that end a chain")
	return stressmarkCommand(t, c, &config, "hops", run)
}

func newNeighborhood(t Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "neighborhood",
		Short: "Compare pixels of a distributed image at two distances in four directions",
		Long: "neighborhood is the Neighborhood Stressmark: it counts the pairs of pixels of an image by their sum\n" +
			"and by their difference, at a short and at a long distance, at 0, 45, 90 and 135 degrees, and prints\n" +
			"entropy and energy of the counts. The image has random lines.",
		Example: "  pebbles stressmark neighborhood\n" +
			"  pebbles stressmark neighborhood --ranks 4 --side 1000 --bits 12 --long 100 --json",
	}
	config := stressmark.NeighborhoodConfig{Side: 512, Bits: 8, Short: 1}
	f := c.Flags()
	f.Var(Count(&config.Side, 1, ""), "side", "side of the square image in pixels, 4 to 32768")
	f.Var(Count(&config.Bits, 1, ""), "bits", "bits per pixel, 7 to 15")
	f.Var(Count(&config.Lines, 1, "one for each row"), "lines", "number of random lines in the image")
	f.Var(Count(&config.Short, 1, ""), "short", "short distance, in pixels")
	f.Var(Count(&config.Long, 1, "10, or half of a smaller side"), "long", "long distance, in pixels")
	return stressmarkCommand(t, c, &config, "rows", stressmark.Neighborhood)
}

func newPages(t Terminal) *cobra.Command {
	c := Group(&cobra.Command{
		Use:   "pages",
		Short: "TreadMarks benchmarks on shared pages",
		Long: "pages runs programs by which TreadMarks over GM was measured, on shared pages with lazy release\n" +
			"consistency: the costs of barriers, locks, pages and diffs, and two applications. All verify their\n" +
			"results; an application prints the time of its serial twin beside its own.",
		Example: "  pebbles pages jacobi --procs 2\n" +
			"  pebbles pages page --procs 2 --transport tcp --json",
	})
	for _, p := range pagesPrograms {
		c.AddCommand(pagesCommand(t, p))
	}
	return c
}

// pagesPrograms are the programs with their help texts.
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
	{treadmarks.TSP, "Find shortest tours of cities by branch and bound",
		"tsp finds the shortest tour of random cities, new ones each round. Beginnings of tours wait in a\n" +
			"heap that all ranks share under a lock; the best tour is shared under another one. The lengths are\n" +
			"compared with those of the serial twin.",
		"  pebbles pages tsp --procs 2\n  pebbles pages tsp --ranks 4 --size 16 --rounds 3 --json"},
}

func pagesCommand(t Terminal, p struct {
	program     treadmarks.Program
	short, long string
	examples    string
}) *cobra.Command {
	c := &cobra.Command{Use: string(p.program), Short: p.short, Long: p.long, Example: p.examples}
	about := p.program.About()
	config := treadmarks.Config{Size: about.Standard, Rounds: about.Rounds}
	page := size(pages.PageBytesDefault)
	way := &Word{}
	f := c.Flags()
	if about.Size != "" {
		f.Var(Count(&config.Size, 1, ""), "size", fmt.Sprintf("%s, %d to %d", about.Size, about.Least, about.Most))
	}
	f.Var(Count(&config.Rounds, 1, ""), "rounds", "number of repetitions")
	f.Var(&page, "page-size", "page size in bytes, a power of two from 64 to 1MiB")
	f.BoolVar(&config.Copies, "copies", false, "copy all pages, also those of ranks on this host")
	f.BoolVar(&config.Checked, "checked", false, "check accesses to spans by page protection; implies --copies")
	if p.program == treadmarks.Lock || p.program == treadmarks.Page {
		f.DurationVar(&config.Busy, "busy", 0,
			"`time` that rank 0 computes while rank 1 takes its lock or pages (default 0)")
	}
	if ways := names(about.Ways); len(ways) > 0 {
		Words(c, way, "by", ways[0], ways, "remote elements are read by")
	}
	appCommand(t, c, application{
		check: func(s *settings, _ givenFlags) error {
			config.Seed, config.PageBytes, config.Way = s.Seed, int(page), treadmarks.Way(way.Text)
			return p.program.Check(config, s.ranks())
		},
		run: runs(&config, "rounds", func(r *pebble.Rank, c treadmarks.Config) (treadmarks.Result, error) {
			return treadmarks.Run(r, p.program, c)
		}),
	})
	unused(c, "no pebble is sent", "coalesce")
	return unused(c, "nothing can be merged", "cache")
}
