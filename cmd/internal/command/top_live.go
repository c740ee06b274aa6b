package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

// live shows a job on a terminal until it ends or the user quits. It is for the goroutine of run.
type live struct {
	screen *screen
	see    func(context.Context) (*sighting, error)
	over   error // reason of its end; nil if the user has quit
}

// seen is the result of a look at the job.
type seen struct {
	at       time.Time
	sighting *sighting
	err      error
}

// run shows the job. Whatever ends it, even a panic, it restores the terminal.
func (l *live) run(ctx context.Context, in, out *os.File) (err error) {
	c, err := openConsole(in, out)
	if err != nil {
		return err
	}
	within, stop := context.WithCancel(ctx)
	defer stop() // ends a look in progress
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
		err = errors.Join(err, c.close())
	}()
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	looks, keys := make(chan seen, 1), c.keys(within)
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		l.screen.resize(c.size())
		c.draw(l.screen.lines())
		select {
		case <-ctx.Done():
			return nil
		case <-resized:
		case <-again.C:
			go func() { looks <- l.look(within) }()
		case s := <-looks:
			if !l.saw(s) {
				return nil
			}
			again.Reset(between)
		case key, ok := <-keys:
			switch {
			case !ok:
				return errors.New("keys can't be read any more")
			case key == "q" || key == "esc" || key == "ctrl+c":
				return nil
			case key == "ctrl+z":
				err = c.suspend(ctx)
			}
			if err != nil {
				return err
			}
			l.screen.press(key)
		}
	}
}

// look looks at the job. It converts a panic to an error, so that the terminal can be restored first.
func (l *live) look(ctx context.Context) (s seen) {
	defer func() {
		if p := recover(); p != nil {
			s.err = panicked(p)
		}
	}()
	s.sighting, s.err = l.see(ctx)
	s.at = time.Now()
	return s
}

// saw handles the result of a look, and reports whether to look again.
func (l *live) saw(s seen) (again bool) {
	var p *panicError
	switch {
	case errors.As(s.err, &p):
		l.over = s.err
	case s.err != nil:
		l.over = l.screen.miss(s.at, s.err)
	default:
		l.screen.show(s.at, s.sighting)
	}
	return l.over == nil
}

// panicError is a fault of the program.
type panicError struct{ text string }

func (p *panicError) Error() string { return p.text }

func panicked(p any) error { return &panicError{fmt.Sprintf("panic: %v\n%s", p, debug.Stack())} }

// farewellTo leaves the last verdict on the terminal after the end of the job.
func (l *live) farewellTo(w io.Writer) error {
	if !errors.Is(l.over, errOver) {
		return l.over
	}
	_, err := fmt.Fprint(w, l.screen.farewell())
	return err
}
