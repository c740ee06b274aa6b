package command

import (
	"errors"
	"io"
	"regexp"
	"sync"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/pebble"
)

// application describes one application to the command.
type application struct {
	check func(s *settings, given givenFlags) error         // rejects impossible flags
	run   func(r *pebble.Rank, p progress) (outcome, error) // of one rank
}

// givenFlags reports whether a flag is on the command line.
type givenFlags func(name string) bool

// appCommand adds the shared flags and the action to an application's command. The application's own flags come first.
func appCommand(t Terminal, c *cobra.Command, a application) *cobra.Command {
	s := &settings{}
	s.register(c)
	if saved := resumable[c.Name()]; saved != "" {
		c.Long += "\n\nWith --checkpoint, " + saved
	}
	c.Args = NoArguments
	c.RunE = func(c *cobra.Command, _ []string) error {
		s.read()
		member := launch.Started(s.spread.Alone)
		if err := s.load(c); err != nil {
			return err
		}
		if t.Begin == nil && s.profile == "" {
			s.recall(c) // a profile holds for this machine
		}
		if err := s.check(member); err != nil {
			return err
		}
		if err := s.checkpoints(c.Name()); err != nil {
			return err
		}
		if err := a.check(s, c.Flags().Changed); err != nil {
			return withoutPackage(err)
		}
		j := &Job{Terminal: t, Name: c.Name(), Work: profiled(c, s).App, settings: s, member: member, run: a.run}
		if t.Begin != nil {
			return t.Begin(j)
		}
		return j.start()
	}
	return c
}

// packageName begins the errors of packages.
var packageName = regexp.MustCompile(`^[a-z]+: `)

// withoutPackage removes the package's name from an error, since the command's name precedes it.
func withoutPackage(err error) error {
	return errors.New(packageName.ReplaceAllString(err.Error(), ""))
}

// result is the result of an application.
type result interface {
	Common() apps.Report
	Rows() [][2]string
}

// configuration is a pointer to an application's configuration, which embeds apps.Common.
type configuration[C any] interface {
	*C
	Shared() *apps.Common
}

// runs returns a function that runs an application on a rank with a copy of config. counts is the unit of its progress
// until a phase names another unit.
func runs[C any, P configuration[C], R result](config P, counts string, run func(*pebble.Rank, C) (R, error),
) func(*pebble.Rank, progress) (outcome, error) {
	return func(r *pebble.Rank, p progress) (outcome, error) {
		c := *config
		if p != nil {
			what, shared := counts, P(&c).Shared()
			shared.Progress = func(done, total uint64) { p(what, done, total) }
			shared.Phase = func(phase string) {
				what = phase
				p(what, 0, 0)
			}
		}
		result, err := run(r, c)
		return outcome{result.Common(), result, result.Rows()}, err
	}
}

// checkedConfig is a configuration that checks itself for the ranks of a job.
type checkedConfig interface{ Check(ranks int) error }

// byConfig returns an application that its configuration describes completely. set, which may be nil, completes the
// configuration before its check.
func byConfig[C checkedConfig, P configuration[C], R result](config P, counts string,
	run func(*pebble.Rank, C) (R, error), set func(s *settings, given givenFlags) error) application {
	return application{
		check: func(s *settings, given givenFlags) error {
			config.Shared().Seed = s.Seed
			if set != nil {
				if err := set(s, given); err != nil {
					return err
				}
			}
			return (*config).Check(s.ranks())
		},
		run: runs(config, counts, run),
	}
}

// resultFile is a file that one process writes, and the function that writes it.
type resultFile struct {
	name  string
	write func(w io.Writer) error
}

// byFiles returns an application whose configuration needs files. check reports whether it does. load completes and
// checks the configuration when the job runs, once in each process for all of its ranks. files returns the files of the
// result, which rank 0 writes unless the result has errors.
func byFiles[C any, P configuration[C], R result](config P, counts string,
	check func(s *settings, given givenFlags) (reads bool, err error),
	load func(ranks int) error, run func(*pebble.Rank, C) (R, error), files func(result *R) []resultFile) application {
	var loaded func() error
	return application{
		check: func(s *settings, given givenFlags) error {
			loaded = sync.OnceValue(func() error { return load(s.ranks()) })
			if reads, err := check(s, given); err != nil || reads {
				return err
			}
			return loaded()
		},
		run: func(r *pebble.Rank, p progress) (outcome, error) {
			if err := loaded(); err != nil {
				return outcome{}, err
			}
			return runs(config, counts, func(r *pebble.Rank, c C) (result R, err error) {
				all, options := files(&result), config.Shared().Output.Options()
				if r.ID() == 0 {
					for _, f := range all {
						if err := export.Writable(f.name, options...); err != nil {
							return result, err
						}
					}
				}
				if result, err = run(r, c); err != nil || r.ID() != 0 || result.Common().Errors > 0 {
					return result, err
				}
				for _, f := range all {
					if err := export.WriteFile(f.name, f.write, options...); err != nil {
						return result, Failed(err)
					}
				}
				return result, nil
			})(r, p)
		},
	}
}

// unused states in the help of flags that they have no effect here, and the reason.
func unused(c *cobra.Command, why string, flags ...string) *cobra.Command {
	for _, name := range flags {
		c.Flags().Lookup(name).Usage = "has no effect here: " + why
	}
	return c
}

// Group returns a command that only has subcommands.
func Group(c *cobra.Command, below ...*cobra.Command) *cobra.Command {
	c.Args = noCommand
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.AddCommand(below...)
	return c
}
