package shm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

const (
	rivalVariable   = "NETIO_TEST_RIVAL"           // the number of a process that a test has started
	carrierVariable = "NETIO_TEST_RIVAL_TRANSPORT" // its transport
)

// rival is one of two processes that send each other frames, and use each other's memory, as fast as they can, until
// one is killed. The other one says how it was told, and what is left. It never returns.
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
	}, os.Getenv(carrierVariable))
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
	one := port.OneSided()
	mine, _, err := one.Expose(1 << 20)
	must(err)
	theirs := netio.Address{Process: uint32(1 - process), Key: mine.Key} // what each exposes first has the same key
	var used netio.Completion
	buffer := make([]byte, 100_000)
	access := func() error {
		if !used.Done() {
			return nil
		}
		err := used.Err()
		used.Reset()
		one.Put(theirs, buffer, &used)
		one.Get(theirs, buffer, &used)
		one.Add(theirs, 1, nil, &used)
		return err
	}
	for got := 0; ; {
		_ = access() // there is nothing before the other one has exposed it
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
			if got++; got == 3000 {
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
			settle := func() {
				for port.Pool().Lent() > 0 || !used.Done() {
					if f := port.Recv(); f != nil {
						f.Release()
						continue
					}
					port.Wait(time.Millisecond)
				}
			}
			settle()
			_ = access()
			settle()
			var bad *netio.AddressError
			if err := access(); !errors.As(err, &bad) || bad.Rank != process || bad.Address.Process != theirs.Process || used.Done() && one.Open() > 0 {
				must(fmt.Errorf("an access of what was lost: %w, %d are open", err, one.Open()))
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

// TestKilledPartner kills one of two real processes with frames in flight in both directions.
func TestKilledPartner(t *testing.T) {
	needMemory(t)
	for victim, by := range []string{connect.ByShm, connect.ByTCP} {
		t.Run(fmt.Sprint("process ", victim, ", ", by), func(t *testing.T) {
			both := [2]*netiotest.Member{}
			for i := range both {
				both[i] = netiotest.Start(t, rivalVariable+"="+strconv.Itoa(i), carrierVariable+"="+by)
			}
			for i, s := range both {
				fmt.Fprintln(s.Input, both[1-i].Line(t, "address"))
			}
			for _, s := range both {
				s.Line(t, "flows")
			}
			require.NoError(t, both[victim].Command.Process.Kill())
			survivor := both[1-victim]
			require.Contains(t, survivor.Line(t, "told"), fmt.Sprintf("lost process %d (rank %d)", victim, victim))
			survivor.Line(t, "clean")
			require.NoError(t, survivor.Command.Wait())
		})
	}
}
