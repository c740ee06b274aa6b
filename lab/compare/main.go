package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/plots"
)

func main() {
	if len(os.Args) > 1 {
		if own, ok := parts[os.Args[1]]; ok {
			os.Args = os.Args[1:]
			lab.Main(own())
			return
		}
	}
	lab.Main(compareProgram())
}

// parts are commands that compare calls.
var parts = map[string]func() lab.Program{"hpcc": hpccProgram, "frames": framesProgram}

// options are the flags of this program.
type options struct {
	*lab.Session
	programs   string
	hpccSource string
	ranks      int
	from       string // results to render the README from
	readme     string
	again      string // groups to measure again, which replace those in the file
}

func compareProgram() lab.Program {
	var o options
	return lab.Program{Name: "compare", Flags: "repeats small only out page", Repeats: 5, Own: func(f *flag.FlagSet) {
		f.StringVar(&o.programs, "programs", "built", "folder of the programs, as make -C lab programs builds them")
		f.StringVar(&o.hpccSource, "hpcc-source", "debian", "debian, or none: leave out what is built from HPCC's "+
			"source")
		f.IntVar(&o.ranks, "ranks", 2, "processes of each program")
		f.StringVar(&o.readme, "readme", "", "write the table of this README from the results of -from, and measure nothing")
		f.StringVar(&o.again, "again", "", "measure the groups that match again, and put them in the place of those "+
			"in the file of -out")
		f.StringVar(&o.from, "from", "results/peers.json", "file of results for -readme")
	}, Run: func(ctx context.Context, s *lab.Session) error {
		o.Session = s
		if o.hpccSource != "debian" && o.hpccSource != "none" {
			return lab.UsageError{Err: fmt.Errorf("-hpcc-source %s: give debian or none", o.hpccSource)}
		}
		if o.again != "" && (o.Out == "" || o.Small || o.Only != "") {
			return lab.UsageError{Err: errors.New("-again: give -out, and neither -small nor -only")}
		}
		if o.readme != "" {
			return writeReadme(o.from, o.readme)
		}
		return o.compare(ctx)
	}}
}

func (o options) compare(ctx context.Context) error {
	m, err := newMPI(o.ranks)
	if err != nil {
		return err
	}
	defer m.close()
	if err := o.checkIdle(); err != nil {
		return err
	}
	all, err := o.groups(ctx, m)
	if err != nil {
		return err
	}
	groups, err := lab.Matching(all, cmp.Or(o.again, o.Only))
	if err != nil {
		return err
	}
	how := lab.Options{Repeats: o.Repeats, WarmUp: 1, Tries: 3, Command: o.line(), Progress: func(s lab.Step) {
		fmt.Fprintf(o.Stderr, "%d of %d: %s: %.4g %s (%s)\n", s.Done, s.Total, s.Case.Name, s.Sample.Value, s.Case.Unit,
			s.Sample.State)
	}}
	if o.Small {
		how.Repeats, how.WarmUp, how.Tries = 1, 0, 0
	}
	results, err := lab.Alternate(ctx, groups, how)
	if err != nil {
		return errors.Join(err, o.keepPart(results, len(groups)))
	}
	if err := agree(results); err != nil {
		return err
	}
	if err := results.Table(o.Stdout); err != nil {
		return err
	}
	if o.again != "" {
		if results, err = o.renewed(results, all); err != nil {
			return err
		}
	}
	return o.keep(results)
}

// renewed returns the results of the file, with groups that are new or were measured again.
func (o options) renewed(again lab.Results, all []lab.Group) (lab.Results, error) {
	results, err := lab.Read(o.Out)
	if err != nil {
		return results, err
	}
	return results, results.Renew(again, all)
}

// checkIdle returns an error for a page on a busy machine, and otherwise warns.
func (o options) checkIdle() error {
	if o.Small {
		return nil
	}
	others := busy()
	if others > 0 && o.Page != "" {
		return fmt.Errorf("-page: the machine is busy: %d other threads are runnable, which slows MPI's processes "+
			"more than ours: end them, or measure without a page", others)
	}
	if others > 0 {
		fmt.Fprintf(o.Stderr, "WARNING: %d other threads are runnable: this comparison favours Active Pebbles\n",
			others)
	}
	return nil
}

// line returns the command that repeats this measurement.
func (o options) line() string {
	line := fmt.Sprintf("make -C lab compare REPEATS=%d", o.Repeats)
	if o.Only != "" {
		line += fmt.Sprintf(" ONLY='%s'", o.Only)
	}
	if o.again != "" {
		line += fmt.Sprintf(" AGAIN='%s'", o.again)
	}
	if o.hpccSource == "none" {
		line += " HPCC_SOURCE=none"
	}
	return line
}

// groups returns the groups that can be measured, and prints the names of the others.
func (o options) groups(ctx context.Context, m mpi) ([]lab.Group, error) {
	folder, err := filepath.Abs(o.programs)
	if err != nil {
		return nil, err
	}
	s := suite{programs: folder, mpi: m, size: full, sources: o.hpccSource != "none"}
	if o.Small {
		s.size = tiny
	}
	if s.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if err := s.built(); err != nil {
		return nil, err
	}
	if s.shm, err = offersShm(ctx, s.program("pebbles")); err != nil {
		return nil, err
	}
	if !s.shm {
		fmt.Fprintln(o.Stderr, "LEFT OUT: Active Pebbles over shared memory: this command has no --transport shm")
	}
	if !s.sources {
		fmt.Fprintln(o.Stderr, "LEFT OUT: HPCC's opt2 and nopt, as -hpcc-source none says")
	}
	if s.roots, err = drawRoots(ctx, s.program("pebbles"), s.size); err != nil {
		return nil, err
	}
	return s.groups(), nil
}

// built checks that the programs have been built.
func (s suite) built() error {
	names := strings.Fields("pebbles pebbles-lab peer-randomaccess peer-permutation peer-pointerchase peer-bfs " +
		"peer-alltoall " +
		"peer-pingpong peer-jacobi peer-contagion")
	if s.sources {
		names = append(names, "hpcc-opt2", "hpcc-nopt")
	}
	for _, name := range names {
		if _, err := os.Stat(s.program(name)); err != nil {
			return fmt.Errorf("%w: run `make -C lab programs`", err)
		}
	}
	return nil
}

// keepPart writes the results measured before an error to a file beside that of the results, and says so.
func (o options) keepPart(results lab.Results, groups int) error {
	if o.Out == "" || len(results.Groups) == 0 {
		return nil
	}
	file := o.Out + ".part"
	if err := results.Write(file); err != nil {
		return err
	}
	fmt.Fprintf(o.Stderr, "%d of %d groups were measured, and are in %s\n", len(results.Groups), groups, file)
	return nil
}

// keep writes the results to the files of the flags.
func (o options) keep(results lab.Results) error {
	if o.Out != "" {
		if err := results.Write(o.Out); err != nil {
			return err
		}
	}
	if o.Page == "" {
		return nil
	}
	pictures, err := plots.Beside(o.Page, "peers", results)
	if err != nil {
		return err
	}
	const head = "# Beside peers\n\nWhat the peers are, and how to run them: [peers](peers.md).\n\n"
	return lab.WriteSection(o.Page, "peers", head+results.Markdown(pictures))
}
