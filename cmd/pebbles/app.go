package main

import (
	"cmp"
	"errors"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/pebble"
)

// application describes one application to the command.
type application struct {
	of    string                                            // what its errors begin with; "" is the command's name
	check func(s *settings, given givenFlags) error         // rejects flags that can't work
	run   func(r *pebble.Rank, p progress) (outcome, error) // of one rank
}

// givenFlags tells which flags are on the command line.
type givenFlags func(name string) bool

// appCommand adds the shared flags and the action to an application's command. The application's own flags come first.
func appCommand(t terminal, c *cobra.Command, a application) *cobra.Command {
	s := &settings{}
	s.register(c)
	c.Args = noArguments
	c.RunE = func(c *cobra.Command, _ []string) error {
		s.read()
		member := launch.Started(s.spread.alone)
		if err := s.load(c); err != nil {
			return err
		}
		if t.begin == nil && s.profile == "" {
			s.recall(c) // a profile holds for this machine
		}
		if err := s.check(member); err != nil {
			return err
		}
		if err := a.check(s, c.Flags().Changed); err != nil { // the command's name is printed before the error
			return errors.New(strings.TrimPrefix(err.Error(), cmp.Or(a.of, c.Name())+": "))
		}
		j := &job{terminal: t, name: c.Name(), work: profiled(c, s).App, settings: s, member: member, run: a.run}
		if t.begin != nil {
			return t.begin(j)
		}
		return j.start()
	}
	return c
}

// result is what an application returns.
type result interface {
	Common() apps.Report
	Rows() [][2]string
}

// runs has a rank run an application by a copy of config, whose Progress counts something. An application of several
// phases has a field Phase too, which says what is counted.
func runs[C any, R result](config *C, counts string, run func(*pebble.Rank, C) (R, error),
) func(*pebble.Rank, progress) (outcome, error) {
	return func(r *pebble.Rank, p progress) (outcome, error) {
		c := *config
		fields := reflect.ValueOf(&c).Elem()
		progress, phase := p.of(counts), fields.FieldByName("Phase")
		if phase.IsValid() {
			told, begun := phases(p)
			progress = told
			phase.Set(reflect.ValueOf(begun))
		}
		fields.FieldByName("Progress").Set(reflect.ValueOf(progress))
		result, err := run(r, c)
		return outcome{result.Common(), result, result.Rows()}, err
	}
}

// valid is a check of a configuration for the ranks of the job. set, which may be nil, completes it first.
func valid[C interface{ Check(ranks int) error }](config *C, set func(s *settings, given givenFlags) error,
) func(*settings, givenFlags) error {
	return func(s *settings, given givenFlags) error {
		if seed := reflect.ValueOf(config).Elem().FieldByName("Seed"); seed.IsValid() {
			seed.SetUint(s.Seed)
		}
		if set != nil {
			if err := set(s, given); err != nil {
				return err
			}
		}
		return (*config).Check(s.ranks())
	}
}

// unused says in the help of flags that they have no effect here, and why.
func unused(c *cobra.Command, why string, flags ...string) *cobra.Command {
	for _, name := range flags {
		c.Flags().Lookup(name).Usage = "has no effect here: " + why
	}
	return c
}

// group is a command that only has commands below it.
func group(c *cobra.Command, below ...*cobra.Command) *cobra.Command {
	c.Args = noCommand
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.AddCommand(below...)
	return c
}
