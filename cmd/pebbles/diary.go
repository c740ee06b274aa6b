package main

import (
	"errors"
	"io"
	"log/slog"

	"github.com/spf13/cobra"
)

// diary are the flags that say what is logged on standard error.
type diary struct {
	verbose bool
	quiet   bool
	format  word
}

var logFormats = []string{"text", "json"}

func (d *diary) register(c *cobra.Command) {
	c.Flags().BoolVarP(&d.verbose, "verbose", "v", false, "log what happens, not only what is odd")
	c.Flags().BoolVarP(&d.quiet, "quiet", "q", false, "log nothing but errors, and show no progress")
	words(c, &d.format, "log-format", "text", logFormats, "form of the log")
}

func (d *diary) check() error {
	if d.verbose && d.quiet {
		return errors.New("--verbose and --quiet don't go together: choose one")
	}
	return nil
}

func (d *diary) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelWarn}
	switch {
	case d.verbose:
		options.Level = slog.LevelDebug
	case d.quiet:
		options.Level = slog.LevelError
	}
	if d.format.text == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
