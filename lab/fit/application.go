package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
	"github.com/activepebbles/pebbles/pebble"
)

// Run is the report of the timed part of one run of an application.
type Run struct {
	Seconds  float64 // by the clock of the rank
	Counters pebble.Counters
}

// Application measures the cost of a pebble of an application. It runs a job of some ranks on one processor, with the
// processor's time as the clock, so that the times of all ranks add up and other programs do not lengthen them. With
// more ranks a pebble costs more: a rank chooses among more lanes, frames have fewer pebbles, and all tables together
// have more bytes. The costs of frames are subtracted. Of the rest, sending gets the general cost in p, at most all;
// handling gets the remainder, which includes the program's work to make a pebble. The result is the median of the
// repeats. It changes GOMAXPROCS while it runs.
func Application(ctx context.Context, c pebble.Config, p model.Parameters, repeats int,
	run func(*pebble.Rank) (Run, error)) (model.Application, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var each []float64
	var counted pebble.Counters
	c.Ranks = cmp.Or(c.Ranks, machine.ApplicationRanks)
	for i := range repeats + 1 {
		var r Run
		c.Transport = processorTime{mem.New(c.Ranks)}
		err := pebble.Run(ctx, c, func(rank *pebble.Rank) error {
			one, err := run(rank)
			if rank.ID() == 0 {
				r = one
			}
			return err
		})
		switch {
		case err != nil:
			return model.Application{}, fmt.Errorf("fit: %w", err)
		case r.Counters.PebblesSent == 0 || r.Counters.PebblesHandled == 0:
			return model.Application{}, errors.New("fit: the application sends no pebbles with these flags: give it " +
				"more to do")
		}
		counted = r.Counters
		frames := float64(counted.FramesSent) * (2*p.Process.Overhead + p.Frame)
		if i > 0 { // in the first repeat memory is new
			each = append(each, max(0, r.Seconds-frames))
		}
	}
	return share(each, counted, p.Pebble), nil
}

// share divides the time of all pebbles between sending and handling them.
func share(each []float64, n pebble.Counters, general model.Pebble) (a model.Application) {
	s := lab.Summarize(each)
	all := s.Median
	sent := min(all, float64(n.PebblesSent)*general.Send)
	passed := min(all-sent, float64(n.Forwarded)*general.Forward)
	a.Send = sent / float64(n.PebblesSent)
	a.Handle = (all - sent - passed) / float64(n.PebblesHandled)
	if all > 0 {
		a.Spread = s.Spread / all
	}
	return a
}

// processorTime is a transport whose clock is the processor's.
type processorTime struct{ netio.Transport }

func (t processorTime) Port(rank int) netio.Port { return processorPort{t.Transport.Port(rank)} }

type processorPort struct{ netio.Port }

// Now implements [netio.Port].
func (p processorPort) Now() time.Duration { return Processor(p.Port.Now) }
