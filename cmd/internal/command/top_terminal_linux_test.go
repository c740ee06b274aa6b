package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/activepebbles/pebbles/internal/launch"
)

// watcher is pebbles top on its own terminal.
type watcher struct {
	master, terminal *os.File
	before           unix.Termios
	ended            chan error

	mu    sync.Mutex
	drawn bytes.Buffer
}

// watchOn starts to show sightings on a terminal of 80 columns and 24 lines.
func watchOn(t *testing.T, run func(*top, *os.File) error) *watcher {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	w := &watcher{ended: make(chan error, 1)}
	w.master, w.terminal = openTerminal(t)
	w.size(t, 80, 24)
	w.before = w.state(t)
	go func() {
		for piece := make([]byte, 4096); ; {
			n, err := w.master.Read(piece)
			w.mu.Lock()
			w.drawn.Write(piece[:n])
			w.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() {
		w.ended <- run(&top{Terminal: Terminal{Stdin: w.terminal, Stdout: w.terminal, Stderr: w.terminal}}, w.terminal)
	}()
	t.Cleanup(func() {
		w.terminal.Close()
		w.master.Close()
	})
	return w
}

func (w *watcher) state(t *testing.T) unix.Termios {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(w.terminal.Fd()), unix.TCGETS)
	require.NoError(t, err)
	return *s
}

func (w *watcher) size(t *testing.T, width, height uint16) {
	t.Helper()
	require.NoError(t, unix.IoctlSetWinsize(int(w.terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: height, Col: width}))
}

func (w *watcher) screen() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.drawn.String()
}

// await waits until a text has been drawn.
func (w *watcher) await(t *testing.T, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(w.screen(), text) }, limit, time.Millisecond, "no %q",
		text)
}

func (w *watcher) press(t *testing.T, keys string) {
	t.Helper()
	_, err := w.master.WriteString(keys)
	require.NoError(t, err)
}

// restored waits for the end, and requires that the terminal is restored.
func (w *watcher) restored(t *testing.T) error {
	t.Helper()
	var err error
	select {
	case err = <-w.ended:
	case <-time.After(limit):
		require.FailNow(t, "it does not end", "%q", w.screen())
	}
	require.Equal(t, w.before, w.state(t), "the terminal is not in the mode that it had")
	_, written := w.terminal.WriteString("Z-END-Z")
	require.NoError(t, written)
	w.await(t, "Z-END-Z") // all earlier output has been read
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h",
		"\x1b[?2004h": "\x1b[?2004l"} {
		require.GreaterOrEqual(t, strings.LastIndex(w.screen(), off), strings.LastIndex(w.screen(), on), "%q", w.screen())
	}
	return err
}

func onPage(address string) func(*top, *os.File) error {
	return func(o *top, _ *os.File) error { return o.run(address) }
}

func TestTopOnTerminal(t *testing.T) {
	s := served(t, newMadeUpJob(64, "stalled"))
	w := watchOn(t, onPage(s.URL()))
	w.await(t, "63 ranks wait for the end of epoch")
	require.NotEqual(t, w.before, w.state(t), "keys need no return")
	w.press(t, "l")
	w.await(t, "FLIGHT")
	w.press(t, "?")
	w.await(t, "reverse the order")
	w.press(t, "?r\x1b[6~")
	w.await(t, "of 64, sorted by RANK")
	narrow := len(w.screen())
	w.size(t, 132, 40)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGWINCH))
	require.Eventually(t, func() bool { // which the narrow lines do not have
		return strings.Count(w.screen()[narrow:], "(bfs.go:88)") > 20
	}, limit, time.Millisecond)
	w.press(t, "q")
	require.NoError(t, w.restored(t))
}

// TestTopWhenJobEnds requires that the last verdict stays on the terminal, and that the exit status is 0.
func TestTopWhenJobEnds(t *testing.T) {
	s := served(t, newMadeUpJob(4, "stalled"))
	w := watchOn(t, onPage(s.URL()))
	w.await(t, "3 ranks wait for the end of epoch")
	require.NoError(t, s.Close())
	require.NoError(t, w.restored(t))
	_, left, _ := strings.Cut(w.screen(), "\x1b[?1049l")
	require.Contains(t, left, "3 ranks wait for the end of epoch")
	w.await(t, errOver.Error())
}

func TestTopOfNoJob(t *testing.T) {
	s := served(t, newMadeUpJob(4, "stalled"))
	require.NoError(t, s.Close())
	require.ErrorContains(t, watchOn(t, onPage(s.URL())).restored(t), "connection refused")
}

func TestTopInterrupted(t *testing.T) {
	w := watchOn(t, onPage(served(t, newMadeUpJob(4, "running")).URL()))
	w.await(t, "4 ranks are in epoch")
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	var s *launch.SignalError
	require.ErrorAs(t, w.restored(t), &s)
	require.Equal(t, 130, s.Status())
}

// TestSuspended leaves the terminal to the shell, and takes it again.
func TestSuspended(t *testing.T) {
	master, terminal := openTerminal(t)
	defer master.Close()
	defer terminal.Close()
	w := &watcher{terminal: terminal}
	before := w.state(t)
	c, err := openConsole(terminal, terminal)
	require.NoError(t, err)
	taken := w.state(t)
	require.NotEqual(t, before, taken)
	c.stop = func() error {
		require.Equal(t, before, w.state(t))
		return syscall.Kill(os.Getpid(), syscall.SIGCONT)
	}
	require.NoError(t, c.suspend(t.Context()))
	require.Equal(t, taken, w.state(t))
	require.NoError(t, c.close())
	require.Equal(t, before, w.state(t))
	const all = enterScreen + leaveScreen + enterScreen + leaveScreen
	drawn := make([]byte, len(all))
	_, err = io.ReadFull(master, drawn) // may arrive in parts
	require.NoError(t, err)
	require.Equal(t, all, string(drawn))
	file, err := os.Open(os.DevNull)
	require.NoError(t, err)
	_, err = openConsole(file, file)
	require.ErrorContains(t, err, "take the terminal")
}

// TestTopPanics panics in the look at the job, and in its display.
func TestTopPanics(t *testing.T) {
	for _, see := range []func(context.Context) (*sighting, error){
		func(context.Context) (*sighting, error) { panic("a mistake") },
		func(context.Context) (*sighting, error) { return nil, nil },
	} {
		w := watchOn(t, func(o *top, out *os.File) error { return o.live(context.Background(), see, out) })
		err := w.restored(t)
		require.ErrorContains(t, err, "panic")
		require.False(t, errors.Is(err, errOver))
	}
}
