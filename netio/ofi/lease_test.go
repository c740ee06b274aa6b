package ofi

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// overtaken is an end whose packets that begin with a note of one kind come after all others, until they are let go:
// the fabric keeps no order, or is busy for them.
type overtaken struct {
	*loop

	busy bool
	mu   sync.Mutex
	kind netio.Kind // 0 means none
	met  int
	held []func() error
}

func (o *overtaken) Send(peer uint64, mem []byte, r region, tag uint32) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.kind == 0 || len(mem) == packetHead || netio.Kind(mem[packetHead]) != o.kind {
		return o.loop.Send(peer, mem, r, tag)
	}
	o.met++
	if o.busy {
		return errBusy
	}
	late := slices.Clone(mem)
	o.held = append(o.held, func() error { return o.loop.Send(peer, late, r, tag) })
	return nil
}

// some reports whether a packet has been delayed.
func (o *overtaken) some() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.met > 0
}

func (o *overtaken) letGo(t *testing.T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kind = 0
	for _, send := range o.held {
		require.NoError(t, send())
	}
}

// overtaking opens ends. The end of one process is overtaken.
func (o *overtaken) overtaking(process int) func(int) (fabric, error) {
	n := &loopback{}
	o.loop = n.open()
	return n.with(o, process)
}

// pair starts two processes over such ends.
func (o *overtaken) pair(t *testing.T, of int) []process {
	all := dial(t, netiotest.Configs(t, 2, 2), Options{All: true}, o.overtaking(of))
	startAll(t, all)
	t.Cleanup(func() { closeAll(t, all) })
	return all
}

// look lets rank 1 look until a condition holds.
func look(t *testing.T, all []process, what string, so func() bool) {
	t.Helper()
	lookAt(t, all[1].Port(1), what, so)
}

// lookAt lets a port look.
func lookAt(t *testing.T, p netio.Port, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !so(); {
		require.True(t, time.Now().Before(end), "%s: not within 20 s", what)
		require.True(t, p.Recv() == nil, "a frame has come")
		p.Wait(time.Millisecond)
	}
}

// locked calls f under a way's lock.
func locked[T any](w *Way, f func() T) T {
	w.mu.Lock()
	defer w.mu.Unlock()
	return f()
}

// withdraw begins a withdrawal on another goroutine.
func withdraw(p process, a netio.Address) (done func() bool, err func() error) {
	ended := make(chan error, 1)
	go func() { ended <- p.Port(0).OneSided().Withdraw(a) }()
	return func() bool { return len(ended) > 0 }, func() error { return <-ended }
}

// requireWithdrawn withdraws rank 0's memory while rank 1 looks.
func requireWithdrawn(t *testing.T, all []process, a netio.Address) {
	t.Helper()
	withdrawn, result := withdraw(all[0], a)
	look(t, all, "withdrawal", withdrawn)
	require.NoError(t, result())
}

// TestRevocationOvertakesGrant withdraws memory just after its lease was granted. No process is blamed, the operation
// ends, and the late grant gives nothing.
func TestRevocationOvertakesGrant(t *testing.T) {
	for name, busy := range map[string]bool{"fabric without order": false, "busy for one packet": true} {
		t.Run(name, func(t *testing.T) {
			o := &overtaken{busy: busy, kind: grant}
			all := o.pair(t, 0)
			address, _ := expose(t, all, 4096)
			var c netio.Completion
			all[1].Port(1).OneSided().Get(address, make([]byte, 64), &c)
			look(t, all, "grant", o.some)
			requireWithdrawn(t, all, address)
			look(t, all, "operation", c.Done)
			require.ErrorIs(t, c.Err(), exposed.Withdrawn)
			o.letGo(t)
			p := all[1].way.peers[0]
			look(t, all, "late grant", func() bool { return locked(p.w, func() bool { return len(p.leases) == 0 }) })
			address, _ = expose(t, all, 4096)
			require.NoError(t, put(t, all, address, make([]byte, 8)))
		})
	}
}

// TestLateAskOfALostProcess lets a process ask for a lease and end immediately. Its question is read after its loss: it
// holds nothing, and no process waits for it.
func TestLateAskOfALostProcess(t *testing.T) {
	o := &overtaken{kind: ask}
	all, lost := losing(t, o.overtaking(1))
	address, _ := expose(t, all, 4096)
	var c netio.Completion
	all[1].Port(1).OneSided().Get(address, make([]byte, 64), &c)
	look(t, all, "question", o.some)
	all[1].Kill()
	<-lost
	w := all[0].way
	require.Eventually(t, func() bool { return w.endings.Load() > 0 }, 20*time.Second, time.Millisecond)
	taken := func() uint64 { return locked(w, func() uint64 { return w.peers[1].taken }) }
	before := taken()
	o.letGo(t)
	require.Eventually(t, func() bool { return taken() > before }, 20*time.Second, time.Millisecond)
	require.Zero(t, locked(w, func() (holders int) {
		for _, x := range w.exposures.all {
			holders += len(x.holders)
		}
		return holders
	}), "a lost process holds a lease: Withdraw would wait for it for ever")
	require.NoError(t, all[0].Port(0).OneSided().Withdraw(address))
}

// TestExposeBeyondPinnedInParts exposes parts that fit one at a time, but not together, before any access. Withdrawn
// parts free their room.
func TestExposeBeyondPinnedInParts(t *testing.T) {
	for name, accessed := range map[string]bool{"untouched": false, "accessed": true} {
		t.Run(name, func(t *testing.T) {
			all, logs := pair(t, &loopback{}, Options{All: true, Pinned: 12 << 20})
			w, one := all[0].way, all[0].Port(0).OneSided()
			left := locked(w, func() int64 { return w.pinned.limit - w.pinned.used })
			each := int(left/2) + 4096
			for range 3 {
				a, _, err := one.Expose(each)
				require.NoError(t, err)
				if accessed {
					require.NoError(t, put(t, all, a, make([]byte, 8)))
				}
				_, _, err = one.Expose(each)
				require.ErrorContains(t, err, "may be pinned are left: raise --pinned")
				b, _, err := one.Expose(4096)
				require.NoError(t, err)
				require.NoError(t, one.Withdraw(b))
				require.NoError(t, one.Withdraw(a))
				require.ErrorIs(t, one.Withdraw(a), exposed.Withdrawn)
			}
			require.Equal(t, left, locked(w, func() int64 { return w.pinned.limit - w.pinned.used }))
			require.Zero(t, logs[0].times("goes over TCP"))
		})
	}
}

// TestDroppedTransfersStay ends the piece of a transfer, well or badly, while its rank reads the transfer, which it has
// dropped. The race detector sees a write to it.
func TestDroppedTransfersStay(t *testing.T) {
	for name, ends := range map[string]error{"well": nil, "badly": errors.New("the end is closed")} {
		t.Run(name, func(t *testing.T) {
			n := &loopback{late: math.MaxInt}
			all, _ := pair(t, n, Options{All: true})
			address, _ := expose(t, all, 4096)
			var c netio.Completion
			all[1].Port(1).OneSided().Get(address, make([]byte, 64), &c)
			w := all[1].way
			r := &w.ports[0].far
			look(t, all, "piece", func() bool { return locked(w, func() bool { return w.pieces > 0 }) })
			w.mu.Lock()
			w.peers[0].over.Store(true)
			r.abandon()
			w.unlock()
			concluded := make(chan struct{})
			go func() {
				r.conclude(r.taken[0])
				close(concluded)
			}()
			w.mu.Lock()
			n.mu.Lock()
			events := w.fabric.(*loop).events
			for i := range events {
				events[i].wait, events[i].err = 0, ends
			}
			n.mu.Unlock()
			w.advance()
			require.Zero(t, w.pieces)
			w.unlock()
			<-concluded
			require.Empty(t, r.done, "the transfer would end twice")
			require.ErrorContains(t, c.Err(), "lost process 0")
		})
	}
}

// TestRefusedLeasesAreKept accesses memory many times that the fabric does not register. The fabric is asked once, the
// process logs once that TCP serves the memory, and its withdrawal is like any other.
func TestRefusedLeasesAreKept(t *testing.T) {
	all, logs := pair(t, &loopback{refuseAfter: 4}, Options{All: true}) // initial registrations of each process
	for refused := range uint64(2) {
		address, mem := expose(t, all, 4096)
		for range 50 {
			require.NoError(t, get(t, all, address, make([]byte, 64)))
		}
		require.Equal(t, refused+1, locked(all[0].way, func() uint64 { return all[0].way.counts.Refused }))
		err := get(t, all, address.Plus(len(mem)-63), make([]byte, 64))
		require.ErrorContains(t, err, "it ends beyond what was exposed")
		requireWithdrawn(t, all, address)
		require.ErrorIs(t, get(t, all, address, make([]byte, 64)), exposed.Withdrawn)
		leases := locked(all[1].way, func() map[uint64]*lease { return all[1].way.peers[0].leases })
		require.Empty(t, leases, "of what is withdrawn")
	}
	require.Equal(t, 1, logs[0].times("goes over TCP"))
}

// TestNoFabricCutsWords puts and gets over a fabric that may cut words. The fabric gets no calls.
func TestNoFabricCutsWords(t *testing.T) {
	all, _ := pair(t, &loopback{cuts: true}, Options{All: true})
	address, mem := expose(t, all, 4096)
	got := make([]byte, 99)
	require.NoError(t, put(t, all, address.Plus(3), []byte("a text")))
	require.NoError(t, get(t, all, address.Plus(1), got))
	require.Equal(t, "\x00\x00a text\x00", string(got[:9]))
	require.Equal(t, mem[1:100], got)
	w := all[1].way
	require.Zero(t, locked(w, func() uint64 { return w.counts.Puts + w.counts.Gets }))
	require.Empty(t, locked(w, func() map[uint64]*lease { return w.peers[0].leases }))
	require.NoError(t, all[0].Port(0).OneSided().Withdraw(address))
}

// pieces is an end that keeps the address and the length of each Put and Get.
type pieces struct {
	*loop

	mu  sync.Mutex
	all [][2]uint64
}

func (p *pieces) note(at uint64, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, [2]uint64{at, uint64(n)})
}

func (p *pieces) Put(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	p.note(at, len(mem))
	return p.loop.Put(peer, mem, r, at, key, tag)
}

func (p *pieces) Get(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	p.note(at, len(mem))
	return p.loop.Get(peer, mem, r, at, key, tag)
}

// TestPiecesEndWithWords puts and gets from within a word to within another. Only the first and the last piece hold
// part of a word, since fabrics cut pieces into packets, which may become visible one by one.
func TestPiecesEndWithWords(t *testing.T) {
	n := &loopback{}
	p := &pieces{loop: n.open()}
	all := dial(t, netiotest.Configs(t, 2, 2), Options{All: true}, n.with(p, 1))
	startAll(t, all)
	t.Cleanup(func() { closeAll(t, all) })
	const size = 100 << 10
	address, mem := expose(t, all, size)
	data, got := make([]byte, size-exposed.WordBytes-3), make([]byte, size-exposed.WordBytes-3)
	for odd := range exposed.WordBytes {
		for i := range data {
			data[i] = byte(i)*3 + byte(odd)
		}
		for _, move := range []func() error{
			func() error { return put(t, all, address.Plus(odd), data) },
			func() error { return get(t, all, address.Plus(odd), got) },
		} {
			p.all = nil
			require.NoError(t, move())
			next := uint64(addressOf(mem)) + uint64(odd)
			end := next + uint64(len(data))
			for _, piece := range p.all {
				at, bytes := piece[0], piece[1]
				require.Equal(t, next, at, "a piece is missing")
				next += bytes
				within := at%exposed.WordBytes + bytes
				require.True(t, at%exposed.WordBytes == 0 || within <= exposed.WordBytes, "%d bytes at %d", bytes, at)
				require.True(t, next == end || next%exposed.WordBytes == 0, "%d bytes at %d", bytes, at)
			}
			require.Equal(t, end, next, "the last piece is missing")
		}
		require.Equal(t, data, mem[odd:][:len(data)])
		require.Equal(t, data, got)
	}
}

// TestWithdrawalEndsRegistration exposes, accesses and withdraws memory: nothing stays registered or counted.
func TestWithdrawalEndsRegistration(t *testing.T) {
	n := &loopback{}
	all, _ := pair(t, n, Options{All: true})
	w, one := all[0].way, all[0].Port(0).OneSided()
	state := func() [2]int64 {
		return locked(w, func() [2]int64 {
			n.mu.Lock()
			defer n.mu.Unlock()
			regions := 0
			for _, e := range n.all {
				regions += len(e.regions)
			}
			return [2]int64{w.pinned.used, int64(regions)}
		})
	}
	before := state()
	for range 3 {
		address, _, err := one.Expose(4096)
		require.NoError(t, err)
		require.NoError(t, put(t, all, address, make([]byte, 8)))
		requireWithdrawn(t, all, address)
	}
	require.Equal(t, before, state())
}

// TestWithdrawalWaitsForHolders withdraws memory that another process has leased. The withdrawal returns when that
// process has ended its use.
func TestWithdrawalWaitsForHolders(t *testing.T) {
	o := &overtaken{kind: revoked}
	all := o.pair(t, 1)
	address, _ := expose(t, all, 4096)
	require.NoError(t, put(t, all, address, make([]byte, 8)))
	withdrawn, result := withdraw(all[0], address)
	look(t, all, "answer", o.some)
	for range 100 {
		require.False(t, withdrawn(), "the holder's answer is on its way")
		all[1].Port(1).Wait(100 * time.Microsecond)
	}
	o.letGo(t)
	look(t, all, "withdrawal", withdrawn)
	require.NoError(t, result())
}

// TestWithdrawalAfterAHoldersDeath ends a leaseholder before it answers a revocation.
func TestWithdrawalAfterAHoldersDeath(t *testing.T) {
	for name, early := range map[string]bool{"withdrawn before": true, "withdrawn after": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &overtaken{kind: revoked} // never let go
			all, lost := losing(t, o.overtaking(1))
			address, _ := expose(t, all, 4096)
			require.NoError(t, put(t, all, address, make([]byte, 8)))
			begin := func() (func() bool, func() error) { return withdraw(all[0], address) }
			var withdrawn func() bool
			var result func() error
			if early {
				withdrawn, result = begin()
				look(t, all, "answer", o.some)
			}
			all[1].Kill()
			<-lost
			if !early {
				withdrawn, result = begin()
			}
			require.Eventually(t, withdrawn, 20*time.Second, time.Millisecond, "it waits for a process that is lost")
			require.NoError(t, result())
		})
	}
}

// TestOneRegionForAll lets several processes ask for the same memory, which is registered once.
func TestOneRegionForAll(t *testing.T) {
	all := job(t, &loopback{}, 3)
	w, one := all[0].way, all[0].Port(0).OneSided()
	pinned := func() int64 { return locked(w, func() int64 { return w.pinned.used }) }
	before := pinned()
	address, _, err := one.Expose(4096)
	require.NoError(t, err)
	var c netio.Completion
	for rank := 1; rank < len(all); rank++ {
		all[rank].Port(rank).OneSided().Put(address, make([]byte, 8), &c)
		lookAt(t, all[rank].Port(rank), "put", c.Done)
		require.NoError(t, c.Err())
		require.Equal(t, before+4096, pinned(), "after rank %d has put", rank)
	}
	withdrawn, result := withdraw(all[0], address)
	lookAt(t, all[1].Port(1), "withdrawal", func() bool {
		all[2].Port(2).Recv()
		return withdrawn()
	})
	require.NoError(t, result())
	require.Equal(t, before, pinned())
	closeAll(t, all)
}

// refusing is an end whose gets fail immediately once it is armed, as those of a broken connection do.
type refusing struct {
	*loop
	armed bool
}

func (f *refusing) Get(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	if f.armed {
		return errors.New("get: Transport endpoint is not connected")
	}
	return f.loop.Get(peer, mem, r, at, key, tag)
}

// TestGetsThatFailImmediately ends the pieces of a transfer that waits for slots, and refuses its next one.
func TestGetsThatFailImmediately(t *testing.T) {
	const size = 16 << 20
	n := &loopback{late: math.MaxInt}
	f := &refusing{loop: n.open()}
	all := dial(t, netiotest.Configs(t, 2, 2), Options{All: true}, n.with(f, 1))
	for _, p := range all {
		p.Start(func(error) {}) // the loss that the refusal means
	}
	t.Cleanup(func() {
		all[1].Abort("the test is over")
		_ = netiotest.CloseAll(all)
	})
	address, _ := expose(t, all, size)
	w := all[1].way
	var c netio.Completion
	all[1].Port(1).OneSided().Get(address, make([]byte, size), &c)
	look(t, all, "pieces", func() bool {
		return locked(w, func() bool { return len(w.queue.all) > 0 && w.pieces == piecesMax })
	})
	w.mu.Lock()
	defer w.unlock()
	f.armed = true
	n.mu.Lock()
	for i := range f.events {
		f.events[i].wait = 0
	}
	n.mu.Unlock()
	require.NotPanics(t, func() { w.advance() })
	require.Empty(t, w.queue.all)
}
