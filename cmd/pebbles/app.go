package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/pebble"
)

// application describes one application to the command.
type application struct {
	check func(s *settings, c *cobra.Command) error // rejects flags that can't work
	run   func(r *pebble.Rank, s *settings, p progress) (outcome, error)
}

// appCommand adds the shared flags and the action to an application's command. The application's own flags come first.
func appCommand(t terminal, c *cobra.Command, a application) *cobra.Command {
	s := &settings{}
	s.register(c)
	c.Args = noArguments
	c.RunE = func(c *cobra.Command, _ []string) error {
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
		if err := a.check(s, c); err != nil {
			return errors.New(strings.TrimPrefix(err.Error(), c.Name()+": ")) // the command's name is printed before the error
		}
		j := &job{
			terminal: t, name: c.Name(), work: profiled(c, s).App, settings: s, member: member,
			run: func(r *pebble.Rank, p progress) (outcome, error) { return a.run(r, s, p) },
		}
		if t.begin != nil {
			return t.begin(j)
		}
		return j.start()
	}
	return c
}
