package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/activepebbles/pebbles/internal/values"
)

const auto = values.Auto

// Word is a flag whose value is one of a few words.
type Word struct {
	Text  string
	Check func(string) error
}

var _ pflag.Value = (*Word)(nil)

func (w *Word) String() string { return w.Text }
func (w *Word) Type() string   { return "name" }

func (w *Word) Set(text string) error {
	w.Text = text
	return w.Check(text)
}

// oneOf checks that a word is in a list.
func oneOf(names []string) func(string) error {
	return func(text string) error { return values.OneOf(text, names) }
}

// Words adds a flag whose value is one of names, with completion.
func Words(c *cobra.Command, w *Word, name, standard string, names []string, usage string) {
	w.Text = standard
	if w.Check == nil {
		w.Check = oneOf(names)
	}
	c.Flags().Var(w, name, fmt.Sprintf("%s: %s", usage, strings.Join(names, ", ")))
	Completes(c, name, cobra.ShellCompDirectiveNoFileComp, names...)
}

// counter is a flag whose value is a whole number of at least least. Its default may be lower.
type counter[N int | uint64] struct {
	n     *N
	least int
	zero  string // meaning of a default of 0
}

func Count[N int | uint64](n *N, least int, zero string) counter[N] {
	return counter[N]{n, least, zero}
}

func (c counter[N]) Type() string { return "N" }

func (c counter[N]) String() string {
	if c.n == nil || *c.n == 0 {
		return c.zero
	}
	return fmt.Sprint(*c.n)
}

func (c counter[N]) Set(text string) error {
	n, err := values.Count(text, c.least) // inWords rewrites the error of a range
	if err == nil {
		*c.n = N(n)
	}
	return err
}

// size is a flag whose value is a number of bytes: 65536, 64KiB, 64kB, 1.5G.
type size int64

func (s *size) Type() string { return "size" }

func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return BytesText(int64(*s))
}

func (s *size) Set(text string) error {
	n, err := values.Bytes(text)
	if err == nil {
		*s = size(n)
	}
	return err
}

// wait is a flag whose value is a time, or never, which is negative.
type wait time.Duration

func (w *wait) Type() string { return "time" }

func (w *wait) String() string { return values.WaitText(time.Duration(*w)) }

func (w *wait) Set(text string) error {
	d, err := values.Wait(text)
	if err == nil {
		*w = wait(d)
	}
	return err
}

// wholeTime is a time in one unit.
var wholeTime = regexp.MustCompile(`^\+?[0-9]+(\.[0-9]*)?(ns|us|µs|μs|ms|s|m|h)$`)

// inWords rewrites the error of a flag whose value is well formed but out of range. The standard library's text is less
// clear, or calls the value malformed.
func inWords(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	value, flag := invalid.GetValue(), invalid.GetFlag()
	_, malformed := time.ParseDuration(value)
	isRange := strings.HasSuffix(err.Error(), strconv.ErrRange.Error()) // package flag has its own error for it
	if isRange || malformed != nil && wholeTime.MatchString(value) {
		return fmt.Errorf("invalid argument %q for %q flag: the number is too large", value, "--"+flag.Name)
	}
	return err
}

// timeout is a flag whose value is the time to wait for an event. 0 means the default of the waiting package.
type timeout struct {
	time     time.Duration
	least    time.Duration
	standard string // description of the default
}

var _ pflag.Value = (*timeout)(nil)

func (l *timeout) Type() string { return "time" }

func (l *timeout) String() string {
	if l.time == 0 {
		return l.standard
	}
	return l.time.String()
}

func (l *timeout) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < l.least {
		return fmt.Errorf("must be a time such as 30s or 1h, at least %v", l.least)
	}
	l.time = d
	return nil
}

// Completes sets a flag's completions.
func Completes(c *cobra.Command, flag string, how cobra.ShellCompDirective, words ...string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, how)); err != nil {
		panic("pebbles: " + err.Error())
	}
}

// complete completes an application's name, and then the application's flags like the application's own command.
func (u *tuning) complete(args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return tunables(), cobra.ShellCompDirectiveNoFileComp
	}
	var out bytes.Buffer
	line := append(append([]string{cobra.ShellCompRequestCmd}, args...), begun)
	if _, err := New(Pebbles(), Terminal{Args: line, Stdout: &out, Stderr: io.Discard}).ExecuteC(); err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	words := strings.Split(strings.TrimSpace(out.String()), "\n")
	last := len(words) - 1 // is the directive, as ":4"
	directive, err := strconv.Atoi(strings.TrimPrefix(words[last], ":"))
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return words[:last], cobra.ShellCompDirective(directive)
}
