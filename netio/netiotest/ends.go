package netiotest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// closeInOrder closes the first process as soon as it has sent. The others must still get everything, and get back the
// frames that they have sent to it and it has not released.
func closeInOrder(w *world) {
	const count = 200
	last := len(w.ports) - 1
	for i := range count {
		w.ports[0].Send(Frame(w.ports[0], netio.Data+netio.Kind(i%2), 0, last, 20_000))
	}
	var held *netio.Frame
	if w.process[last] != 0 {
		w.ports[last].Send(Frame(w.ports[last], netio.Data, last, 0, 20_000))
		var err error
		held, err = recv(w.ports[0])
		require.NoError(w.t, err)
	}
	var closing sync.WaitGroup
	errs := make([]error, len(w.transports))
	closing.Go(func() { errs[0] = w.transports[0].Close() })
	for range count {
		f, err := recv(w.ports[last])
		require.NoError(w.t, err)
		f.Release()
	}
	require.NoError(w.t, allBack(w.ports[last]))
	if held != nil {
		held.Release()
	}
	for i := 1; i < len(w.transports); i++ {
		closing.Go(func() { errs[i] = w.transports[i].Close() })
	}
	closing.Wait()
	for _, err := range errs {
		require.NoError(w.t, err)
	}
	w.checkReceived()
	require.NoError(w.t, allBack(w.ports[0]))
	for _, tr := range w.transports {
		require.NoError(w.t, tr.Close(), "closing again")
	}
}

// abortIsTold aborts the last process: all others get the reason, and no process keeps frames that are sent later.
func abortIsTold(w *world) {
	last := len(w.transports) - 1
	reason := "rank 7 has had enough" + strings.Repeat(".", 5000)
	leaveInFlight(w)
	w.transports[last].Abort(reason)
	w.transports[last].Abort("another reason")
	for i := range last {
		var aborted *netio.AbortError
		require.ErrorAs(w.t, w.failure(i), &aborted)
		require.Equal(w.t, last, aborted.Process)
		require.Equal(w.t, reason[:4096], aborted.Reason)
	}
	w.each(func(rank int, p netio.Port) error {
		if w.process[rank] != last {
			return sendLate(rank, len(w.ports)-1, p)
		}
		return sendLate(rank, 0, p)
	})
	w.close()
}

// leaveInFlight leaves frames in flight without a receiver, between the last rank and those of other processes. They
// must return without Close when the last process ends.
func leaveInFlight(w *world) {
	last := len(w.ports) - 1
	for rank, p := range w.ports {
		if w.process[rank] != w.process[last] {
			p.Send(Frame(p, netio.Data, rank, last, 1000))
			w.ports[last].Send(Frame(w.ports[last], netio.Data, last, rank, 1000))
		}
	}
}

// lossIsTold kills the last process.
func lossIsTold(w *world) {
	last := len(w.transports) - 1
	killer, ok := w.transports[last].(Killer)
	if !ok || last == 0 {
		w.t.Skip("this transport can't lose a process")
	}
	leaveInFlight(w)
	killer.Kill()
	place := w.transports[last].Place()
	for i := range last {
		var lost *netio.LostError
		require.ErrorAs(w.t, w.failure(i), &lost)
		require.Equal(w.t, place.Process, lost.Process)
		require.Equal(w.t, []int{place.First, place.Last}, []int{lost.First, lost.Last})
		require.ErrorContains(w.t, lost, fmt.Sprintf("lost process %d", last))
	}
	w.each(func(rank int, p netio.Port) error {
		if w.process[rank] == last {
			return nil
		}
		return sendLate(rank, len(w.ports)-1, p)
	})
	w.closeAll() // the killed one may return an error
}

// lateFrames sends after Close.
func lateFrames(w *world) {
	w.close()
	w.each(func(rank int, p netio.Port) error {
		for to := range w.ports {
			must(sendLate(rank, to, p))
		}
		return nil
	})
}

// sendLate sends frames that cannot arrive, and waits for their release.
func sendLate(rank, to int, p netio.Port) error {
	for i := range 10 {
		p.Send(Frame(p, netio.Data+netio.Kind(i%2), rank, to, 1000))
	}
	return allBack(p)
}
