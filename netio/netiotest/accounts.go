package netiotest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// chargeLasts follows one frame for each pair of ranks: it is charged and lent while its receiver holds it, and returns
// after its release.
func chargeLasts(w *world) {
	for from, p := range w.ports {
		for to, q := range w.ports {
			var account netio.Account
			f := Frame(p, netio.Data, from, to, 1000)
			f.Charge(&account)
			p.Send(f)
			held, err := recv(q)
			require.NoError(w.t, err)
			for range 5 {
				roundTrip(w, from, to)
			}
			require.EqualValues(w.t, 1, account.InFlight(), "from %d to %d: held", from, to)
			require.GreaterOrEqual(w.t, p.Pool().Lent(), netio.FrameCost(1000))
			held.Release()
			q.Pause() // the receiver continues
			require.NoError(w.t, allBack(p))
			require.Zero(w.t, account.InFlight(), "from %d to %d: released", from, to)
		}
	}
	w.checkReceived()
}

// sentOn makes all ranks forward the same frame: it belongs to its first sender until the last rank has released it.
func sentOn(w *world) {
	const bytes = 1000
	p := w.ports[0]
	var account netio.Account
	f := Frame(p, netio.Data, 0, 0, bytes)
	f.Charge(&account)
	f.Payload()[bytes-1] = 7
	for range 3 {
		for to, q := range w.ports {
			from := int(f.To)
			f.From, f.To = uint32(from), uint32(to)
			w.ports[from].Send(f)
			var err error
			f, err = recv(q)
			require.NoError(w.t, err)
			require.EqualValues(w.t, 7, f.Payload()[bytes-1])
			roundTrip(w, 0, to)
			require.EqualValues(w.t, 1, account.InFlight())
		}
	}
	f.Release()
	require.NoError(w.t, allBack(p))
	require.Zero(w.t, account.InFlight())
	w.checkReceived()
}

// roundTrip passes control frames in both directions, which gives the transport time for its own work.
func roundTrip(w *world, from, to int) {
	for _, way := range [][2]int{{from, to}, {to, from}} {
		p, q := w.ports[way[0]], w.ports[way[1]]
		p.Send(Frame(p, netio.Control, way[0], way[1], 1000))
		f, err := recv(q)
		require.NoError(w.t, err)
		f.Release()
	}
}

// credits lets each rank have a few frames in flight to each other one. Receivers release frames in any order, late,
// and partly on another goroutine. No rank may hold more than the credit of all senders.
func credits(w *world) {
	const total, credit = 4000 * times, 16
	ranks := len(w.ports)
	count := total / ranks / ranks // for each pair
	w.each(func(rank int, p netio.Port) error {
		h := newHolder(w.seed, rank, ranks)
		defer h.close()
		accounts, sent, all := make([]netio.Account, ranks), make([]int, ranks), 0
		for to := 0; to < ranks; to += 2 {
			p.Pool().Own(&accounts[to]) // and others that it does not own
		}
		step := func() (bool, error) {
			for to := range ranks {
				for sent[to] < count && accounts[to].InFlight() < credit {
					f := Frame(p, netio.Data, rank, to, h.random.IntN(2)*h.random.IntN(2000))
					f.Seq = uint64(sent[to])
					f.Charge(&accounts[to])
					p.Send(f)
					sent[to]++
					all++
				}
			}
			for f := p.Recv(); f != nil; f = p.Recv() {
				if err := h.take(f, credit); err != nil {
					return false, err
				}
			}
			h.releaseSome()
			return all == count*ranks && h.taken == count*ranks, nil
		}
		if err := await(p, "exchange all frames", step); err != nil {
			return fmt.Errorf("%w: rank %d sent %d and took %d of %d frames", err, rank, all, h.taken, count*ranks)
		}
		h.close()
		must(allBack(p))
		for to := range accounts {
			if n := accounts[to].InFlight(); n != 0 {
				return fmt.Errorf("rank %d is charged for %d frames to rank %d that were released", rank, n, to)
			}
		}
		return nil
	})
	w.checkReceived()
}

// holder keeps received frames for a while.
type holder struct {
	random *rand.Rand
	held   []*netio.Frame
	from   []atomic.Int64 // held frames, by sender
	taken  int
	away   chan *netio.Frame
	other  sync.WaitGroup
	close  func()
}

func newHolder(seed uint64, rank, ranks int) *holder {
	h := &holder{
		random: rand.New(rand.NewPCG(seed, uint64(rank))),
		from:   make([]atomic.Int64, ranks), away: make(chan *netio.Frame, 64),
	}
	h.other.Go(func() {
		for f := range h.away {
			h.release(f)
		}
	})
	h.close = sync.OnceFunc(func() {
		for _, f := range h.held {
			h.release(f)
		}
		close(h.away)
		h.other.Wait()
	})
	return h
}

func (h *holder) take(f *netio.Frame, most int64) error {
	h.held = append(h.held, f)
	h.taken++
	if n := h.from[f.From].Add(1); n > most {
		return fmt.Errorf("rank %d holds %d frames of rank %d, which has credit for %d", f.To, n, f.From, most)
	}
	return nil
}

// release decrements the count before the sender can notice the release.
func (h *holder) release(f *netio.Frame) {
	h.from[f.From].Add(-1)
	f.Release()
}

// releaseSome releases about half of the held frames. Now and then all of them wait for a moment.
func (h *holder) releaseSome() {
	if h.random.IntN(64) == 0 {
		time.Sleep(time.Duration(h.random.IntN(200)) * time.Microsecond)
	}
	h.random.Shuffle(len(h.held), func(i, j int) { h.held[i], h.held[j] = h.held[j], h.held[i] })
	for range (len(h.held) + 1) / 2 {
		f := h.held[len(h.held)-1]
		h.held = h.held[:len(h.held)-1]
		if h.random.IntN(4) == 0 {
			h.away <- f
		} else {
			h.release(f)
		}
	}
}

// The possible ends of a job with frames in flight.
func abortWithFramesInFlight(w *world) {
	inFlightAtEnd(w, func(tr netio.Transport) { tr.Abort("in the middle") })
}

func lossWithFramesInFlight(w *world) {
	if _, ok := w.transports[0].(Killer); !ok || len(w.transports) == 1 {
		w.t.Skip("this transport can't lose a process")
	}
	inFlightAtEnd(w, func(tr netio.Transport) { tr.(Killer).Kill() })
}

func closeWithFramesInFlight(w *world) { inFlightAtEnd(w, func(netio.Transport) {}) }

// inFlightAtEnd leaves frames in flight between all ranks: released, held, not received, and not yet written. Then the
// last process ends, and all close. Each frame at another process returns once. A frame that a rank of the same process
// holds returns on its release.
func inFlightAtEnd(w *world, end func(netio.Transport)) {
	const count = 50
	accounts := make([]netio.Account, len(w.ports))
	held := make([][]*netio.Frame, len(w.ports))
	var sending sync.WaitGroup
	for rank, p := range w.ports {
		sending.Go(func() {
			r := rand.New(rand.NewPCG(w.seed, uint64(rank)))
			p.Pool().Own(&accounts[rank])
			for range count {
				for to := range w.ports {
					f := Frame(p, netio.Data, rank, to, r.IntN(2)*r.IntN(8000))
					f.Charge(&accounts[rank])
					p.Send(f)
				}
				if f := p.Recv(); f != nil && r.IntN(2) == 0 {
					f.Release()
				} else if f != nil {
					held[rank] = append(held[rank], f)
				}
			}
		})
	}
	end(w.transports[len(w.transports)-1])
	sending.Wait()
	w.closeAll()
	for rank, p := range w.ports {
		for f := p.Recv(); f != nil; f = p.Recv() {
			f.Release()
		}
		for _, f := range held[rank] {
			f.Release()
		}
	}
	for rank, p := range w.ports {
		require.NoError(w.t, allBack(p))
		require.Zero(w.t, accounts[rank].InFlight(), "frames of rank %d that were charged for good, or taken off twice", rank)
	}
	w.checkReceived()
	for i := range w.failures { // may report the end
		for len(w.failures[i]) > 0 {
			<-w.failures[i]
		}
	}
}
