package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// TestHiddenPutsKeepThePromises runs the suite of exposed memory where a put is visible only at its fence.
func TestHiddenPutsKeepThePromises(t *testing.T) {
	netiotest.RunSome(t, drivenBy(Faults{Hide: time.Millisecond}), "OneSidedDoesWhatATwinDoes", "FencesOrder",
		"FencesWaitForWhatCameBefore", "BadAddresses")
}

// TestPutsAreHidden requires that a finished put is hidden from others until a fence, or until its time has passed. Its
// own rank sees it immediately.
func TestPutsAreHidden(t *testing.T) {
	const hide = time.Second
	w, err := New(Config{Ranks: 2, Processes: 2, Faults: Faults{Hide: hide}})
	require.NoError(t, err)
	var at netio.Address
	var memory []byte
	over, own, open, fenced := false, make([]byte, 1), []int(nil), time.Duration(0)
	exposed := make([]byte, 0, 4)
	require.NoError(t, w.Each(func(p netio.Transport) error {
		p.Start(func(error) {})
		p.(netio.Runner).Run([]func(){func() {
			q := p.Port(p.Place().First)
			o := q.OneSided()
			if p.Place().Process == 1 {
				at, memory, _ = o.Expose(8)
				for !over {
					q.Wait(time.Millisecond)
				}
				return
			}
			var c netio.Completion
			await := func() {
				for !c.Done() {
					q.Wait(time.Millisecond)
				}
			}
			for memory == nil {
				q.Wait(time.Microsecond)
			}
			put := func(v byte) {
				o.Put(at, []byte{v}, &c)
				await()
				exposed = append(exposed, memory[0])
			}
			put(1)
			open = append(open, o.Open())
			began := q.Now()
			o.Fence(&c)
			await()
			fenced = q.Now() - began
			open = append(open, o.Open())
			exposed = append(exposed, memory[0])
			put(2)
			o.Get(at, own, &c)
			await()
			put(3)
			for range 100 {
				q.Wait(hide / 20)
			}
			exposed = append(exposed, memory[0])
			over = true
		}}, make(chan struct{}), netio.Grace{Time: time.Minute})
		return p.Close()
	}))
	require.Equal(t, []byte{0, 1, 1, 2, 3}, exposed)
	require.Equal(t, byte(2), own[0], "a get that began after the put was done")
	require.Equal(t, []int{1, 0}, open, "operations that are not visible, before and behind the fence")
	require.Less(t, fenced, hide/2, "the fence waits in place of making puts visible")
}
