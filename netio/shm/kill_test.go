package shm_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

const (
	rivalVariable   = "NETIO_TEST_RIVAL"           // number of a process that a test has started
	carrierVariable = "NETIO_TEST_RIVAL_TRANSPORT" // its transport
)

// rival is one of two processes that send each other frames, and use each other's memory, at full speed until one is
// killed. The other reports its notice of the loss, and fails when anything is left. rival never returns.
func rival() {
	process, err := strconv.Atoi(os.Getenv(rivalVariable))
	must(err)
	c, err := netiotest.Join(process, 2)
	must(err)
	before := descriptors() - 1 // without the listener, which will be closed
	tr, err := connect.Dial(context.Background(), c, os.Getenv(carrierVariable))
	must(err)
	told := make(chan error, 4)
	port := tr.Port(process)
	tr.Start(func(err error) { told <- err; port.Wake() })
	lost := flood(port, process, told)
	must(tr.Close())
	if after := descriptors(); after > before {
		must(fmt.Errorf("%d descriptors were open, now %d", before, after))
	}
	fmt.Println("ended", lost)
	os.Exit(0)
}

// flood returns the loss of the other process, when all frames have come back.
func flood(port netio.Port, process int, told <-chan error) error {
	one := port.OneSided()
	mine, _, err := one.Expose(1 << 20)
	must(err)
	theirs := netio.Address{Process: uint32(1 - process), Key: mine.Key} // all first exposures have the same key
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
		_ = access() // fails until the other process has exposed its memory
		for range 64 {
			if port.Pool().Lent() > 1<<20 {
				break
			}
			netiotest.Send(port, process, 1-process, got%5000)
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
			wrong := access()
			named := errors.As(wrong, &bad) && bad.Rank == process && bad.Address.Process == theirs.Process
			if !named || used.Done() && one.Open() > 0 {
				must(fmt.Errorf("an access of what was lost: %w, %d are open", wrong, one.Open()))
			}
			return err
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
			var both []*netiotest.Member
			for i := range 2 {
				both = append(both, netiotest.Start(t, rivalVariable+"="+strconv.Itoa(i), carrierVariable+"="+by))
			}
			netiotest.KillOne(t, both, victim)
		})
	}
}

func TestMain(m *testing.M) {
	if os.Getenv(rivalVariable) != "" { // a process that a test has started would start more processes
		rival()
	}
	goleak.VerifyTestMain(leaks.Main(m))
}
