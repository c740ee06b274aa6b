package main

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"
)

// timeout is a flag whose value is how long to wait for something. 0 means the default of the package that waits.
type timeout struct {
	time     time.Duration
	least    time.Duration
	standard string // what the default is
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
