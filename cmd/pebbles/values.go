package main

import (
	"fmt"
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
	if err := c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic("pebbles: " + err.Error())
	}
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
	if err != nil || n < c.least {
		return fmt.Errorf("must be a whole number, %d or more", c.least)
	}
	*c.n = n
	return nil
}

// open is a count that the job may be left to find: auto.
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
	if err := o.count.Set(text); err != nil {
		return fmt.Errorf("%w, or %s", err, auto)
	}
	return nil
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
	if err != nil || !ok || n*unit < 1 || n*unit > 1<<60 {
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
