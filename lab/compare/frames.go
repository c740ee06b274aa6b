package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/mem"
)

// frames is a ping-pong of bare frames between ranks 0 and 1, through their ports: what carries pebbles, without
// pebbles.
type frames struct {
	rounds, bytes int
}

// framesReport is its result, with the field names of lab/peers/pingpong.c.
type framesReport struct {
	App           string  `json:"app"`
	Transport     string  `json:"transport"`
	Seconds       float64 `json:"seconds"`
	Errors        uint64  `json:"errors"` // words that were wrong
	Bytes         int     `json:"bytes"`
	Hops          int     `json:"hops"`
	SecondsPerHop float64 `json:"seconds_per_hop"`
}

// framesProgram is the command `compare frames`: by itself it has both ranks, else it is a process of a job of two.
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
		if err := json.NewEncoder(s.Stdout).Encode(r); err != nil {
			return err
		}
		if r.Errors > 0 {
			return fmt.Errorf("%d words of frames were wrong", r.Errors)
		}
		return nil
	}}
}

// run measures, and tells whether this process is the one that prints.
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

// play lets the frame go to and fro, between the ranks that this process has.
func (p frames) play(ctx context.Context, t netio.Transport) (framesReport, error) {
	r := framesReport{App: "frames", Transport: t.Name(), Bytes: p.bytes, Hops: 2 * p.rounds}
	place := t.Place()
	if place.Ranks != 2 {
		return r, fmt.Errorf("%d ranks: a ping-pong is for 2", place.Ranks)
	}
	var failed failure
	fail := func(err error) {
		failed.CompareAndSwap(nil, &err)
		for rank := place.First; rank < place.Last; rank++ {
			t.Port(rank).Wake()
		}
	}
	t.Start(fail)
	defer context.AfterFunc(ctx, func() { fail(context.Cause(ctx)) })()
	ends := make([]end, 2)
	var running sync.WaitGroup
	for rank := place.First; rank < place.Last; rank++ {
		e := &ends[rank]
		*e = end{port: t.Port(rank), rank: uint32(rank), failure: &failed}
		e.port.Pool().Own(&e.account)
		running.Go(func() { e.play(p) })
	}
	running.Wait()
	if err := failed.Load(); err != nil {
		t.Abort((*err).Error())
		return r, *err
	}
	r.Seconds = ends[0].seconds
	r.SecondsPerHop = r.Seconds / float64(r.Hops)
	r.Errors = ends[place.First].errors
	return r, nil
}

// failure is why the job has failed; nil when it has not.
type failure = atomic.Pointer[error]

// end is one of the two ranks.
type end struct {
	port    netio.Port
	rank    uint32
	account netio.Account // of its frames, as a link has
	failure *failure
	seconds float64
	errors  uint64
}

// play sends and receives in turn. One more round comes before the clock starts.
func (e *end) play(p frames) {
	began := e.port.Now()
	for round := 0; round <= p.rounds && e.failure.Load() == nil; round++ {
		if round == 1 {
			began = e.port.Now()
		}
		hop := uint64(2 * round)
		if e.rank == 0 {
			e.send(p.bytes, hop)
			e.receive(p.bytes, hop+1)
		} else {
			e.receive(p.bytes, hop)
			e.send(p.bytes, hop+1)
		}
	}
	e.seconds = (e.port.Now() - began).Seconds()
	if e.rank == 0 {
		e.ask()
		e.hear()
	} else {
		e.tell()
	}
}

// ask asks the other rank how many words were wrong there: by itself it could tell ahead of its last frame, for frames
// come in any order.
func (e *end) ask() { e.send(8, 0) }

// tell tells it when it is asked.
func (e *end) tell() {
	e.receive(8, 0)
	e.send(8, e.errors)
}

// hear takes the answer.
func (e *end) hear() {
	if f := e.next(); f != nil {
		e.errors += words(f)[0]
		f.Release()
	}
}

// send sends a frame full of a number.
func (e *end) send(bytes int, number uint64) {
	f := e.port.Pool().Get(bytes)
	f.Kind, f.From, f.To, f.Bytes = netio.Data, e.rank, 1-e.rank, uint32(bytes)
	for i := range words(f) {
		words(f)[i] = number
	}
	f.Charge(&e.account)
	e.port.Send(f)
}

// receive waits for a frame, which must be full of a number.
func (e *end) receive(bytes int, number uint64) {
	f := e.next()
	if f == nil {
		return
	}
	if int(f.Bytes) != bytes {
		e.errors++
	}
	for _, w := range words(f) {
		if w != number {
			e.errors++
		}
	}
	f.Release()
}

// next waits as ranks do; nil when the job has failed.
func (e *end) next() *netio.Frame {
	for idle := 0; e.failure.Load() == nil; idle++ {
		if f := e.port.Recv(); f != nil {
			return f
		}
		if idle < restsMax {
			e.port.Pause()
		} else {
			e.port.Wait(-1)
		}
	}
	return nil
}

const restsMax = 256 // pauses before a rank waits

func words(f *netio.Frame) []uint64 { return unsafe.Slice((*uint64)(f.Base()), f.Bytes/8) }
