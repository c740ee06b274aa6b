// Command data times programs that read, count, sort and join files: our examples and command, beside common programs
// for one machine. `make -C lab data` installs the peers, and calls it.
//
//	data compare -programs built                   measure, print tables
//	data compare -small                            run each once, tiny: do all find the same?
//	data make -kind words -amount 1000 -out FILE   one of the files that they read
//	data time -line LINE [-sum FILE]               one run of a line of bash, as one JSON object
//
// All programs of a table read the same files. A checksum verifies that they print or write the same bytes. A missing
// peer is left out, with a line.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/lab"
)

func main() { lab.Main(compareProgram(), timeProgram(), makeProgram()) }

// limit is the time limit of one run.
const limit = 20 * time.Minute

func compareProgram() lab.Program {
	var programs, files string
	var share int
	return lab.Program{Name: "compare", Flags: "repeats small only out page", Repeats: 5, Own: func(f *flag.FlagSet) {
		f.StringVar(&programs, "programs", "built", "folder of our programs, as make -C lab data builds them")
		f.IntVar(&share, "share", 1, "divide all amounts by this")
		f.StringVar(&files, "files", "", "folder for files of up to 8 GB; empty: a temporary one, which is removed")
	}, Run: func(ctx context.Context, s *lab.Session) (err error) {
		if programs, err = filepath.Abs(programs); err != nil {
			return err
		}
		if files == "" {
			if files, err = os.MkdirTemp("", "data"); err != nil {
				return err
			}
			defer os.RemoveAll(files)
		}
		if files, err = filepath.Abs(files); err != nil {
			return err
		}
		if share < 1 || share > 1000 {
			return lab.UsageError{Err: fmt.Errorf("-share %d: give 1 to 1000", share)}
		}
		return compare(ctx, s, suite{programs: programs, files: files, amounts: full.part(share)}, share)
	}}
}

func compare(ctx context.Context, s *lab.Session, b suite, share int) (err error) {
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	b.leftOut = s.Stderr
	command := fmt.Sprintf("make -C lab data SHARE=%d REPEATS=%d", share, s.Repeats)
	how := lab.Options{Repeats: s.Repeats, Limit: limit, Command: command, Progress: func(step lab.Step) {
		fmt.Fprintf(s.Stderr, "%d of %d: %s: %.4g %s\n", step.Done, step.Total, step.Case.Name, step.Sample.Value,
			step.Case.Unit)
	}}
	if s.Small {
		b.amounts, how.Repeats = tiny, 1
	}
	groups, err := lab.Matching(b.groups(), s.Only)
	if err != nil {
		return err
	}
	for _, in := range b.inputs {
		fmt.Fprintf(s.Stderr, "making %s\n", in.path)
		if err := in.make(); err != nil {
			return err
		}
	}
	results, err := lab.Alternate(ctx, groups, how)
	if err != nil {
		return err
	}
	return keep(s, results)
}

// keep prints the results, and writes them to the files that flags name.
func keep(s *lab.Session, results lab.Results) error {
	if err := results.Table(s.Stdout); err != nil {
		return err
	}
	if s.Out != "" {
		if err := results.Write(s.Out); err != nil {
			return err
		}
	}
	if s.Page == "" {
		return nil
	}
	return lab.WriteSection(s.Page, "data", results.Markdown(nil)+memories(results))
}

// memories returns a table of the programs' memory.
func memories(r lab.Results) string {
	var b strings.Builder
	b.WriteString("\n## Memory\n\nOf the largest process of each, at most, in MB.\n\n")
	t := lab.NewTable("what", "MB")
	for _, g := range r.Groups {
		for _, one := range g.Results {
			most := 0.0
			for _, s := range one.Samples {
				bytes, err := s.Counters["resident_bytes"].Float64()
				if err == nil {
					most = max(most, bytes)
				}
			}
			t.Row(one.Name, most/1e6)
		}
	}
	b.WriteString(t.String())
	return b.String()
}
