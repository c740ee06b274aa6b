package shm_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

const rivalVariable = "NETIO_TEST_RIVAL" // the number of a process that a test has started

// rival is one of two processes that send each other frames as fast as they can, until one is killed. The other one says
// how it was told, and what is left. It never returns.
func rival() {
	process, err := strconv.Atoi(os.Getenv(rivalVariable))
	must(err)
	listener, err := tcp.Listen("")
	must(err)
	before := descriptors() - 1 // without the listener, which will be closed
	fmt.Println("address", listener.Addr())
	var other string
	_, err = fmt.Scanln(&other)
	must(err)
	go func() { // the test that has started it may be gone
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	addresses := []string{listener.Addr().String(), other}
	if process == 1 {
		addresses = []string{other, listener.Addr().String()}
	}
	tr, err := connect.Dial(context.Background(), tcp.Config{
		Job: "test", Secret: netiotest.Secret(1), Place: netio.PlaceOf(2, 2, process), Listener: listener, Addresses: addresses, Identity: netiotest.Identity(),
	}, connect.ByShm)
	must(err)
	told := make(chan error, 4)
	port := tr.Port(process)
	tr.Start(func(err error) { told <- err; port.Wake() })
	flood(port, process, told)
	must(tr.Close())
	if after := descriptors(); after > before {
		must(fmt.Errorf("%d descriptors were open, now %d", before, after))
	}
	fmt.Println("clean")
	os.Exit(0)
}

// flood returns when the other process is lost, and all frames have come back.
func flood(port netio.Port, process int, told <-chan error) {
	for got := 0; ; {
		for range 64 {
			if port.Pool().Lent() > 1<<20 {
				break
			}
			f := port.Pool().Get(got % 5000)
			f.Kind, f.From, f.To, f.Bytes = netio.Data, uint32(process), uint32(1-process), uint32(got%5000)
			port.Send(f)
		}
		for f := port.Recv(); f != nil; f = port.Recv() {
			f.Release()
			if got++; got == 10_000 {
				fmt.Println("flows")
			}
		}
		select {
		case err := <-told:
			var lost *netio.LostError
			if !errors.As(err, &lost) || lost.Process != 1-process {
				must(fmt.Errorf("told of %w", err))
			}
			fmt.Println("told", err)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				must(errors.New("the broken connection was not noticed, but the silence"))
			}
			for port.Pool().Lent() > 0 {
				port.Wait(time.Second)
			}
			return
		default:
			port.Wait(time.Millisecond)
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	must(err)
	return len(entries)
}

// TestKilledPartner kills one of two real processes with frames under way in both directions.
func TestKilledPartner(t *testing.T) {
	needMemory(t)
	for victim := range 2 {
		t.Run(fmt.Sprint("process ", victim), func(t *testing.T) {
			both := [2]*started{startPartner(t, 0), startPartner(t, 1)}
			for i, s := range both {
				fmt.Fprintln(s.stdin, both[1-i].line(t, "address"))
			}
			for _, s := range both {
				s.line(t, "flows")
			}
			require.NoError(t, both[victim].cmd.Process.Kill())
			survivor := both[1-victim]
			require.Contains(t, survivor.line(t, "told"), fmt.Sprintf("lost process %d (rank %d)", victim, victim))
			survivor.line(t, "clean")
			require.NoError(t, survivor.cmd.Wait())
		})
	}
}

type started struct {
	cmd   *exec.Cmd
	stdin io.Writer
	lines *bufio.Scanner
}

func startPartner(t *testing.T, process int) *started {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), rivalVariable+"="+strconv.Itoa(process))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &started{cmd, stdin, bufio.NewScanner(stdout)}
}

// line returns the rest of the next line, which must begin with a word.
func (s *started) line(t *testing.T, word string) string {
	t.Helper()
	for s.lines.Scan() {
		if rest, ok := strings.CutPrefix(s.lines.Text(), word); ok {
			return strings.TrimSpace(rest)
		}
		require.Failf(t, "another line", "%q, not %s", s.lines.Text(), word)
	}
	require.Failf(t, "no line", "%s", word)
	return ""
}
