package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// word is a flag whose value is one of a few words.
type word struct {
	text  string
	check func(string) error
}

var _ pflag.Value = (*word)(nil)

func (w *word) String() string { return w.text }
func (w *word) Type() string   { return "name" }

func (w *word) Set(text string) error {
	w.text = text
	return w.check(text)
}

// oneOf checks that a word is in a list.
func oneOf(names []string) func(string) error {
	return func(text string) error {
		if slices.Contains(names, text) {
			return nil
		}
		return fmt.Errorf("use one of %s", strings.Join(names, ", "))
	}
}

// words adds a flag whose value is one of names, with completion.
func words(c *cobra.Command, w *word, name, standard string, names []string, usage string) {
	w.text = standard
	if w.check == nil {
		w.check = oneOf(names)
	}
	c.Flags().Var(w, name, fmt.Sprintf("%s: %s", usage, strings.Join(names, ", ")))
	completes(c, name, cobra.ShellCompDirectiveNoFileComp, names...)
}

// count is a flag whose value is a whole number that is not below least. Its default may be.
type count struct {
	n     *int
	least int
	zero  string // what a default of 0 means
}

func (c count) Type() string { return "N" }

func (c count) String() string {
	if c.n == nil || *c.n == 0 {
		return c.zero
	}
	return strconv.Itoa(*c.n)
}

func (c count) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(text, "-"):
		return err // inWords rewrites it
	case err != nil || n < c.least:
		return fmt.Errorf("must be a whole number, %d or more", c.least)
	}
	*c.n = n
	return nil
}

// open is a count that may be auto: the job finds it.
type open struct {
	count
	auto *bool
}

const auto = "auto"

func (o open) Type() string { return "N" }

func (o open) String() string {
	if o.auto != nil && *o.auto {
		return auto
	}
	return o.count.String()
}

func (o open) Set(text string) error {
	if *o.auto = text == auto; *o.auto {
		return nil
	}
	err := o.count.Set(text)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		err = fmt.Errorf("%w, or %s", err, auto)
	}
	return err
}

// size is a flag whose value is a number of bytes: 65536, 64KiB, 64kB, 1.5G.
type size int64

var units = map[string]float64{
	"": 1, "b": 1,
	"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
	"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
	"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
	"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
}

func (s *size) Type() string { return "size" }

func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return bytesText(int64(*s))
}

func (s *size) Set(text string) error {
	end := strings.IndexFunc(text, unicode.IsLetter)
	if end < 0 {
		end = len(text)
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(text[:end]), 64)
	unit, ok := units[strings.ToLower(text[end:])]
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && ok && n*unit > 1<<60:
		return strconv.ErrRange
	case err != nil || !ok || n*unit < 1:
		return fmt.Errorf("must be a positive number of bytes such as 65536, 64MiB or 1.5GiB")
	}
	*s = size(n * unit)
	return nil
}

// wait is a flag whose value is a time, or never: a negative one.
type wait time.Duration

func (w *wait) Type() string { return "time" }

func (w *wait) String() string {
	if *w < 0 {
		return "never"
	}
	return time.Duration(*w).String()
}

func (w *wait) Set(text string) error {
	if text == "never" {
		*w = -1
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return fmt.Errorf("must be a positive time such as 500us or 2ms, or never")
	}
	*w = wait(d)
	return nil
}

// wholeTime is a time in one unit.
var wholeTime = regexp.MustCompile(`^\+?[0-9]+(\.[0-9]*)?(ns|us|µs|μs|ms|s|m|h)$`)

// inWords rewrites the error of a flag whose value is well formed but out of range. The standard library's text for it is worse, or
// calls it malformed.
func inWords(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	value, flag := invalid.GetValue(), invalid.GetFlag()
	_, malformed := time.ParseDuration(value)
	isTime := flag.Value.Type() == "time" || flag.Value.Type() == "duration"
	if errors.Is(err, strconv.ErrRange) || isTime && malformed != nil && wholeTime.MatchString(value) {
		return fmt.Errorf("invalid argument %q for %q flag: the number is too large", value, "--"+flag.Name)
	}
	return err
}
