package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/lab/fit"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
)

// frames is a ping-pong of bare frames between ranks 0 and 1, through their ports, without pebbles.
type frames struct {
	rounds, bytes int
}

// framesReport is its result, with the field names of lab/peers/pingpong.c. A frame of wrong length is not counted as
// an error; it ends the measurement.
type framesReport struct {
	App           string  `json:"app"`
	Transport     string  `json:"transport"`
	Seconds       float64 `json:"seconds"`
	Errors        uint64  `json:"errors"`
	Bytes         int     `json:"bytes"`
	Hops          int     `json:"hops"`
	SecondsPerHop float64 `json:"seconds_per_hop"`
}

// framesProgram is the command `compare frames`. Run directly it has both ranks; else it is one process of two.
func framesProgram() lab.Program {
	var p frames
	return lab.Program{Name: "compare frames", Own: func(f *flag.FlagSet) {
		f.IntVar(&p.rounds, "rounds", 100_000, "times that the frame goes there and back")
		f.IntVar(&p.bytes, "bytes", 64, "of the frame's payload, a multiple of 8")
	}, Run: func(ctx context.Context, s *lab.Session) error {
		if p.rounds < 1 || p.bytes < 8 || p.bytes%8 != 0 || p.bytes > netio.FrameBytesMax {
			return lab.UsageError{Err: fmt.Errorf("-rounds %d -bytes %d: give a round or more, and a multiple of 8 "+
				"from 8 to %d", p.rounds, p.bytes, netio.FrameBytesMax)}
		}
		r, first, err := p.run(ctx)
		if err != nil || !first {
			return err
		}
		return json.NewEncoder(s.Stdout).Encode(r)
	}}
}

// run measures, and reports whether this process prints the result.
func (p frames) run(ctx context.Context) (r framesReport, first bool, err error) {
	if !launch.Started(false) {
		t := mem.New(2)
		r, err = p.play(ctx, t)
		return r, true, errors.Join(err, t.Close())
	}
	member, err := launch.Join(ctx, launch.Options{})
	if err != nil {
		return r, false, err
	}
	ctx, unwatch := member.Within(ctx)
	defer unwatch()
	r, err = p.play(ctx, member.Transport)
	err = errors.Join(err, member.Transport.Close())
	member.Complain(err)
	return r, member.Place.Process == 0, errors.Join(err, member.Close())
}

// play sends the frame to and fro, between the ranks of this process.
func (p frames) play(ctx context.Context, t netio.Transport) (framesReport, error) {
	r := framesReport{App: "frames", Transport: t.Name(), Bytes: p.bytes, Hops: 2 * p.rounds}
	seconds, err := fit.Hop(ctx, t, p.bytes, p.rounds)
	r.SecondsPerHop, r.Seconds = seconds, seconds*float64(r.Hops)
	return r, err
}
