package limits

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

// Pair is a measurement between two processes: this program, started again, is the second. A stream goes from the first
// to the second in messages; a ping-pong sends one message there and back again.
type Pair struct {
	Second   []string // starts the second process, which must call Answer of the same measurement
	Messages int      // of a stream, or rounds of a ping-pong
	Bytes    int      // of a message: a multiple of 8
	PingPong bool
}

func (p Pair) check() error {
	if p.Bytes < 8 || p.Bytes%8 != 0 || p.Messages < 1 {
		return fmt.Errorf("%d messages of %d bytes: give a multiple of 8 for the bytes, and a message or more",
			p.Messages, p.Bytes)
	}
	return nil
}

// second is the running second process.
type second struct {
	cmd    *exec.Cmd
	stderr strings.Builder
	ended  atomic.Bool
	done   chan struct{}
	err    error // valid after done
}

// start starts the second process. Files are 3, 4, … there; words are added to its environment.
func (p Pair) start(environment []string, files ...*os.File) (*second, error) {
	s := &second{cmd: exec.Command(p.Second[0], p.Second[1:]...), done: make(chan struct{})}
	s.cmd.Env = append(os.Environ(), environment...)
	s.cmd.ExtraFiles = files
	s.cmd.Stderr = &s.stderr
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the second process: %w", err)
	}
	go func() {
		s.err = s.cmd.Wait()
		s.ended.Store(true)
		close(s.done)
	}()
	return s, nil
}

// wait returns when the process has ended.
func (s *second) wait() error {
	<-s.done
	if s.err != nil {
		return fmt.Errorf("the second process: %w: %s", s.err, strings.TrimSpace(s.stderr.String()))
	}
	return nil
}

// grace is the time for the second process to report its failure.
const grace = time.Second

// lost joins an error with the failure of the second process, if it failed.
func (s *second) lost(err error) error {
	select {
	case <-s.done:
	case <-time.After(grace):
		_ = s.cmd.Process.Kill()
	}
	return errors.Join(err, s.wait())
}

// carrier carries messages from one process to the other, in order.
type carrier interface {
	send(message []byte) error
	receive(message []byte) error
}

// lead is the first process, which measures. The other end sends its number of wrong messages last.
func (p Pair) lead(app string, c carrier) (r Report, err error) {
	r = Report{App: app, Procs: 2}
	message := make([]uint64, p.Bytes/8)
	bytes := bytesOf(message)
	if err := c.send(bytes); err != nil { // there and back, before the clock starts
		return r, err
	}
	if err := c.receive(bytes); err != nil {
		return r, err
	}
	start := time.Now()
	for i := uint64(1); i <= uint64(p.Messages); i++ {
		message[0] = i
		if err := c.send(bytes); err != nil {
			return r, err
		}
		if !p.PingPong {
			continue
		}
		if err := c.receive(bytes); err != nil {
			return r, err
		}
		if message[0] != i+1 {
			r.Errors++
		}
	}
	if p.PingPong {
		r.pingPong(p.Messages, p.Bytes, time.Since(start))
	}
	err = c.receive(bytes)
	r.Errors += message[0]
	if !p.PingPong {
		r.streamed(uint64(p.Messages)*uint64(p.Bytes), time.Since(start))
	}
	return r, err
}

// follow is the second process. It sends back the first message, and all of a ping-pong, adding 1 to the first word.
func (p Pair) follow(c carrier) error {
	message := make([]uint64, p.Bytes/8)
	bytes, wrong := bytesOf(message), uint64(0)
	for i := range uint64(p.Messages) + 1 {
		if err := c.receive(bytes); err != nil {
			return err
		}
		if message[0] != i {
			wrong++
		}
		if i > 0 && !p.PingPong {
			continue
		}
		message[0]++
		if err := c.send(bytes); err != nil {
			return err
		}
	}
	message[0] = wrong
	return c.send(bytes)
}
