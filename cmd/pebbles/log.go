package main

import (
	"errors"
	"io"
	"log/slog"

	"github.com/spf13/cobra"
)

// logFlags are the flags of the log, which goes to standard error.
type logFlags struct {
	verbose bool
	quiet   bool
	format  word
}

var logFormats = []string{"text", "json"}

func (l *logFlags) register(c *cobra.Command) {
	c.Flags().BoolVarP(&l.verbose, "verbose", "v", false, "log what happens, not only what is odd")
	c.Flags().BoolVarP(&l.quiet, "quiet", "q", false, "log nothing but errors, and show no progress")
	words(c, &l.format, "log-format", "text", logFormats, "form of the log")
}

func (l *logFlags) check() error {
	if l.verbose && l.quiet {
		return errors.New("--verbose and --quiet don't go together: choose one")
	}
	return nil
}

func (l *logFlags) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelWarn}
	switch {
	case l.verbose:
		options.Level = slog.LevelDebug
	case l.quiet:
		options.Level = slog.LevelError
	}
	if l.format.text == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
