package lab

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/machine"
)

// Program measures something, and writes the results to a page and a file.
type Program struct {
	Name    string
	Flags   string // its flags of a Session, separated by spaces: pebbles repeats small only out page
	Repeats int    // default
	Parts   bool   // a page may be made in parts, so -only may go with -page
	Own     func(*flag.FlagSet)
	Run     func(context.Context, *Session) error
}

// Session is one call of a program, with the flags that all programs share.
type Session struct {
	Pebbles        string // path of pebbles-lab
	Repeats        int
	Small          bool
	Only           string // regular expression
	Out, Page      string // files; empty: none
	Stdout, Stderr io.Writer
}

// UsageError is a mistake in the call of a program.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e UsageError) Unwrap() error { return e.Err }

// Exit statuses of Main.
const (
	failed  = 1
	misused = 2
)

// Main is the main function of a program, or of several in one file, named by the first argument. An interrupt ends the
// context of its Run. Its error is printed after the program's name. The exit status is 2 for a UsageError, and 1 for
// another error. A request for help is no error.
func Main(programs ...Program) {
	p, args := programs[0], os.Args[1:]
	if len(programs) > 1 {
		p, args = pick(programs, args)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := p.Call(ctx, args, os.Stdout, os.Stderr)
	stop()
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
	if errors.As(err, new(UsageError)) {
		os.Exit(misused)
	}
	os.Exit(failed)
}

// pick returns the program that the first argument names, and the other arguments.
func pick(programs []Program, args []string) (Program, []string) {
	var names []string
	for _, p := range programs {
		if len(args) > 0 && args[0] == p.Name {
			return p, args[1:]
		}
		names = append(names, p.Name)
	}
	fmt.Fprintf(os.Stderr, "%s: say first which: %s\n", filepath.Base(os.Args[0]), strings.Join(names, ", "))
	os.Exit(misused)
	panic("unreachable")
}

// Call runs the program with arguments.
func (p Program) Call(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s := &Session{Stdout: stdout, Stderr: stderr, Repeats: p.Repeats}
	flags := p.flags(s)
	err := flags.Parse(args)
	if err == nil {
		err = p.check(s, flags)
	}
	if err != nil {
		return UsageError{err}
	}
	for _, file := range []string{s.Page, s.Out} {
		if err := machine.Writable(file); err != nil {
			return err
		}
	}
	return p.Run(ctx, s)
}

func (p Program) flags(s *Session) *flag.FlagSet {
	f := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	f.SetOutput(s.Stderr)
	for _, name := range strings.Fields(p.Flags) {
		switch name {
		case "pebbles":
			f.StringVar(&s.Pebbles, name, "built/pebbles-lab", "the command pebbles-lab")
		case "repeats":
			f.IntVar(&s.Repeats, name, p.Repeats, "runs of each case that count")
		case "small":
			f.BoolVar(&s.Small, name, false, "tiny work, to test that everything runs: the figures mean nothing")
		case "only":
			f.StringVar(&s.Only, name, "", "run only what matches this regular expression")
		case "out":
			f.StringVar(&s.Out, name, "", "write the results to this file, as JSON")
		case "page":
			f.StringVar(&s.Page, name, "", "write tables and plots into this page, between its comments")
		default:
			panic("lab: there is no common flag " + name)
		}
	}
	if p.Own != nil {
		p.Own(f)
	}
	return f
}

// check refuses flags that cannot be combined. A page must not mix rows of different runs.
func (p Program) check(s *Session, f *flag.FlagSet) error {
	if f.NArg() > 0 {
		return fmt.Errorf("%q: no such argument", f.Arg(0))
	}
	if f.Lookup("repeats") != nil && s.Repeats < 1 {
		return fmt.Errorf("-repeats %d: give 1 or more", s.Repeats)
	}
	if _, err := regexp.Compile(s.Only); err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if s.Page != "" && (s.Small || s.Only != "" && !p.Parts) {
		return errors.New("-page: a page holds the whole measurement: leave out -small and -only")
	}
	return nil
}

// Publish prints a part of a page, and puts it into the page if one is requested.
func (s *Session) Publish(section, text string) error {
	if _, err := io.WriteString(s.Stdout, text); err != nil || s.Page == "" {
		return err
	}
	return WriteSection(s.Page, section, text)
}

// Made returns the first words of a paragraph: the command, the day and the machine of a measurement.
func Made(command string) string {
	return fmt.Sprintf("Made by `%s` on %s: %v.", command, time.Now().UTC().Format(time.DateOnly), machine.This())
}
