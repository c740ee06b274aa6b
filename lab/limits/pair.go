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

// Pair is what two processes do with each other: this program, started again, is the second. A stream goes from the first to
// the second in messages; a ping-pong sends one message there and back again.
type Pair struct {
	Second   []string // the command that starts the second process: it must call Answer of the same measurement
	Messages int      // of a stream, or rounds of a ping-pong
	Bytes    int      // of a message: a multiple of 8
	PingPong bool
}

func (p Pair) check() error {
	if p.Bytes < 8 || p.Bytes%8 != 0 || p.Messages < 1 {
		return fmt.Errorf("%d messages of %d bytes: give a multiple of 8 for the bytes, and a message or more", p.Messages, p.Bytes)
	}
	return nil
}

// second is the second process, under way.
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

// grace is how long the second process may take to say why it fails.
const grace = time.Second

// lost is why something went wrong between the processes: that the second one failed, if it did.
func (s *second) lost(err error) error {
	select {
	case <-s.done:
	case <-time.After(grace):
		_ = s.cmd.Process.Kill()
	}
	return errors.Join(err, s.wait())
}
