package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/tune"
)

// userProgram is a program of the user's that is tuned: one that takes its flags from pebble.Flags, and prints its report.
type userProgram struct {
	command []string
	open    map[string]bool // settings that its targets leave to the job, and its command line to us
}

// settled are the settings that tune varies, by the names of their flags.
var settled = []string{"topology", "coalesce", "cache"}

// startOwn tunes a program of the user's.
func (u *tuning) startOwn(command []string) error {
	if launch.Started(false) {
		return errors.New("tune starts its jobs itself: run it by itself")
	}
	if u.begin != nil {
		return u.begin(nil)
	}
	u.app, u.own = command, &userProgram{command: command}
	return u.finish(u.tune)
}

// profileOwn runs the program as it is, and takes from its report what there is to tune.
func (u *tuning) profileOwn(ctx context.Context) (start tune.Setting, err error) {
	facts := []string{"ranks", "procs", "transport", "settles"}
	sample, err := u.measure(ctx, append(u.own.command[:len(u.own.command):len(u.own.command)], "-json"), append(facts, settled...))
	if err != nil {
		return start, fmt.Errorf("run the program, which must take its flags from pebble.Flags and print what pebble.Measure reports: %w", err)
	}
	said := sample.Exactly
	u.of = tune.For{App: strings.Join(u.own.command, " "), Transport: said["transport"], Machine: lab.ThisMachine().String()}
	numbers := map[string]*int{"ranks": &u.of.Ranks, "procs": &u.of.Processes, "coalesce": &start.Coalesce, "cache": &start.Cache}
	for name, n := range numbers {
		if *n, err = strconv.Atoi(said[name]); err != nil {
			return start, fmt.Errorf("%s: field %q of the report is %q, not a number", u.own.command[0], name, said[name])
		}
	}
	start.Topology = said["topology"]
	u.own.open = map[string]bool{}
	for _, name := range settled {
		u.own.open[name] = strings.Contains(said["settles"], name) && !u.own.given(name)
	}
	return start, nil
}

// given reports whether a flag is on the program's command line.
func (p *userProgram) given(name string) bool {
	for _, arg := range p.command[1:] {
		if flag, is := strings.CutPrefix(arg, "-"); is {
			flag, _, _ = strings.Cut(strings.TrimPrefix(flag, "-"), "=")
			if flag == name {
				return true
			}
		}
	}
	return false
}

// with is the program's command line for a setting.
func (p *userProgram) with(s tune.Setting) []string {
	args := p.command[:len(p.command):len(p.command)]
	for _, name := range settled {
		if p.open[name] {
			value := map[string]any{"topology": s.Topology, "coalesce": s.Coalesce, "cache": s.Cache}[name]
			args = append(args, fmt.Sprintf("-%s=%v", name, value))
		}
	}
	return args
}
