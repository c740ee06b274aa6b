package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// laps is how often a round measures each job.
const laps = 3

// prober runs the command pebbles.
type prober struct {
	program string
	folder  string // of the parameters
	small   bool
}

// round fits and simulates everything once, and measures it before and twice after it fits: what the machine does in one minute need not
// be what fit has seen.
func (p prober) round(ctx context.Context, cells []*cell) error {
	parameters := filepath.Join(p.folder, "parameters.json")
	for lap := range laps {
		if lap == 1 {
			if err := p.fit(ctx, parameters); err != nil {
				return err
			}
		}
		for _, c := range cells {
			seconds, err := p.seconds(ctx, c.args()...)
			if err != nil {
				return err
			}
			c.measured = append(c.measured, seconds)
		}
	}
	for _, c := range cells {
		seconds, err := p.seconds(ctx, append([]string{"sim", "--network=" + parameters}, c.args()...)...)
		if err != nil {
			return err
		}
		c.simulated = append(c.simulated, seconds)
	}
	return nil
}

// fit measures the machine, and then the applications with the machine's parameters.
func (p prober) fit(ctx context.Context, parameters string) error {
	first := []string{"fit", "--out=" + parameters}
	if p.small {
		first = append(first, "--repeats=1", "--frames=60", "--time=0", "--pebbles=32768")
	}
	second := append([]string{}, first...)
	for _, ranks := range sizes {
		for _, app := range applications(p.small, ranks) {
			second = append(second, fmt.Sprintf("--app=%s --ranks %d", app, ranks))
		}
	}
	for _, args := range [][]string{first, second} {
		if _, err := p.run(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// seconds is what a run says that its kernel took.
func (p prober) seconds(ctx context.Context, args ...string) (float64, error) {
	text, err := p.run(ctx, append(args, "--json", "--quiet")...)
	if err != nil {
		return 0, err
	}
	var o struct {
		Seconds float64
		Errors  *uint64
	}
	if err := json.Unmarshal(text, &o); err != nil || o.Errors == nil || *o.Errors > 0 || !(o.Seconds > 0) {
		return 0, fmt.Errorf("pebbles %s: no sound result: %s", strings.Join(args, " "), bytes.TrimSpace(text))
	}
	return o.Seconds, nil
}

const (
	limit = 2 * time.Minute  // of one run
	grace = 10 * time.Second // to end in order
)

// run runs the command once. When ctx ends it asks the command to end, which ends its processes.
func (p prober) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	cmd := exec.CommandContext(ctx, p.program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = grace
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("pebbles %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return text, nil
}
