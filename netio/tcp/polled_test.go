package tcp

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// twins connects two processes of one rank each over loopback, in the system's preferred way, until the test ends.
func twins(t *testing.T, silence time.Duration) (both [2]*Transport, told [2]chan error) {
	t.Helper()
	both, told = openTwins(t, silence)
	t.Cleanup(func() { closeBoth(both) })
	return both, told
}

func openTwins(t *testing.T, silence time.Duration) (both [2]*Transport, told [2]chan error) {
	t.Helper()
	configs := twinConfigs(t, silence)
	var starts sync.WaitGroup
	for i := range both {
		starts.Go(func() {
			var err error
			both[i], err = Dial(context.Background(), configs[i])
			require.NoError(t, err)
		})
	}
	starts.Wait()
	for i := range both {
		told[i] = make(chan error, 10)
		both[i].Start(func(err error) { told[i] <- err })
	}
	if both[0].sockets == nil {
		closeBoth(both)
		t.Skip("sockets are not polled on this system")
	}
	return both, told
}

func twinConfigs(t *testing.T, silence time.Duration) (configs [2]Config) {
	var addresses []string
	for i := range configs {
		l, err := Listen("")
		require.NoError(t, err)
		addresses = append(addresses, l.Addr().String())
		configs[i] = Config{
			Job: "twins", Secret: make([]byte, secretBytes), Place: netio.PlaceOf(2, 2, i), Listener: l, SilenceMax: silence,
			Identity: handshake.Identity{Protocol: handshake.Protocol, Build: "b", ByteOrder: "little", Registry: "r"},
		}
	}
	for i := range configs {
		configs[i].Addresses = addresses
	}
	return configs
}

func address(p netio.Port, kind netio.Kind, from, to, n int) *netio.Frame {
	f := p.Pool().Get(n)
	f.Kind, f.From, f.To, f.Bytes = kind, uint32(from), uint32(to), uint32(n)
	return f
}

const patience = 30 * time.Second

// eventually polls: it waits for the work of goroutines that send no notice.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(100 * time.Microsecond) {
		require.True(t, time.Now().Before(end), "%s: not within %v", what, patience)
	}
}

// receive waits for a frame.
func receive(t *testing.T, p netio.Port) (f *netio.Frame) {
	t.Helper()
	eventually(t, "receive a frame", func() bool {
		p.Wait(time.Second)
		f = p.Recv()
		return f != nil
	})
	return f
}

// TestFramesOfBusyRanksLeave sends single frames and never comes back to the port.
func TestFramesOfBusyRanksLeave(t *testing.T) {
	both, _ := twins(t, time.Hour) // no heartbeat takes them along
	q := both[1].Port(1)
	for range 20 {
		p := both[0].Port(0)
		p.Send(address(p, netio.Data, 0, 1, 100))
		receive(t, q).Release()
	}
}

// TestSocketsAreReadWhileRanksAreBusy sends far more than the kernel holds, from and to ranks that don't look at
// sockets.
func TestSocketsAreReadWhileRanksAreBusy(t *testing.T) {
	const count, bytes = 600, 64 << 10
	both, _ := twins(t, 0)
	p := both[0].Port(0)
	for range count {
		p.Send(address(p, netio.Control, 0, 1, bytes))
	}
	eventually(t, "write all frames", func() bool { return p.Pool().Lent() == 0 })
	q := both[1].Port(1)
	for range count {
		receive(t, q).Release()
	}
}

// TestDelayedFramesLeaveTogether counts the calls that write: none until the rank pauses or has delayed enough, and
// then one per batch.
func TestDelayedFramesLeaveTogether(t *testing.T) {
	both, _ := twins(t, 0)
	both[0].delayed.Hold() // keeps the timer unset
	p, l := both[0].Port(0), both[0].peer(1).streams[dataStream]
	send := func(n, bytes int) {
		for range n {
			p.Send(address(p, netio.Data, 0, 1, bytes))
		}
	}
	for _, leave := range []func(){p.Pause, func() { p.Wait(0) }} {
		before := l.said.Load()
		send(batchFramesMax, 100)
		require.Equal(t, before, l.said.Load(), "they wait for the pause")
		leave()
		require.Equal(t, before+1, l.said.Load())
	}
	before := l.said.Load()
	send(delayBytesMax/(1000+frame.WireHeader), 1000)
	require.Equal(t, before, l.said.Load())
	send(1, 1000)
	require.Equal(t, before+1, l.said.Load(), "they have become many")
	before = l.said.Load()
	p.Send(address(p, netio.Control, 0, 1, 100))
	require.Equal(t, before, l.said.Load())
	require.NotZero(t, both[0].peer(1).streams[controlStream].said.Load(), "control frames leave at once")
}

// full is a socket with much to read, which counts reads.
type full struct {
	in    []byte
	reads int
}

func (c *full) read(first, second []byte) (int, error) {
	c.reads++
	if len(c.in) == 0 {
		return 0, errAgain
	}
	part := copy(first, c.in)
	n := part + copy(second, c.in[part:])
	c.in = c.in[n:]
	return n, nil
}

func (c *full) write([][]byte) (int, error) { return 0, errAgain }

func (c *full) endWriting() error { return nil }

func (c *full) wantRead(bool) error { return nil }

func (c *full) wantWrite(bool) error { return nil }

func (c *full) close() {}

// TestOneLookReadsLargeFrames looks once at a socket. A rank that is busy sending looks seldom, and must not fall
// behind for that; a read that has got all bytes is the last, and no look is endless.
func TestOneLookReadsLargeFrames(t *testing.T) {
	for _, c := range []struct{ frames, bytes, reads, received int }{
		{0, 0, 1, 0},
		{10, 100, 1, 10},
		{6, 36_864, 4, 6},
		{100, 36_864, readsMax + 1, 11},
	} {
		tr := newTransport(Config{Place: netio.PlaceOf(4, 2, 0)})
		l := tr.peer(1).streams[dataStream]
		s := &full{}
		for range c.frames {
			f := netio.NewPool(nil).Get(c.bytes)
			f.Kind, f.From, f.Bytes = netio.Data, 2, uint32(c.bytes)
			s.in = append(s.in, encode(f, 0)...)
			f.Release()
		}
		require.NoError(t, l.attach(s))
		l.readable()
		received := 0
		for f := tr.Port(0).Recv(); f != nil; f = tr.Port(0).Recv() {
			received++
			f.Release()
		}
		require.Equal(t, []int{c.reads, c.received}, []int{s.reads, received}, "%v", c)
		l.hangUp()
		tr.Close()
	}
}

// TestPollerSleepsWhileRanksLook watches the poller: it sleeps while a rank looks, and watches soon after that has
// parked.
func TestPollerSleepsWhileRanksLook(t *testing.T) {
	both, _ := twins(t, 0)
	p := both[0].Port(0).(*Port)
	sleeping := func() bool { return both[0].poller.parking.Announced() }
	for range 3 {
		for end := time.Now().Add(patience); !sleeping(); {
			require.True(t, time.Now().Before(end))
			p.Recv()
			p.Pause()
			q := both[1].Port(1) // ends the poller's watch
			q.Send(address(q, netio.Control, 1, 0, 8))
		}
		var parked sync.WaitGroup
		parked.Go(func() {
			for f := p.Recv(); f == nil || f.Bytes != 9; f = p.Recv() {
				if f == nil {
					p.Wait(-1)
				} else {
					f.Release()
				}
			}
		})
		eventually(t, "watch", func() bool { return both[0].poller.awake.Load() == 0 && !sleeping() })
		q := both[1].Port(1)
		q.Send(address(q, netio.Control, 1, 0, 9))
		parked.Wait()
	}
}

// TestPolledPeersAreHeard lets idle processes exchange heartbeats for three times the silence limit, counted in rounds
// of their pulses: the message of one round has arrived before the next round of the other.
func TestPolledPeersAreHeard(t *testing.T) {
	both, told := twins(t, time.Hour) // no round comes from a timer
	pulses := [2]*pulse{both[0].newPulse(), both[1].newPulse()}
	spoken := 0
	for range 3 * silentRounds {
		for i := range both {
			var said, heard [streamCount]uint64
			mine, others := both[i].peer(1-i).streams, both[1-i].peer(i).streams
			for stream := range mine {
				said[stream], heard[stream] = mine[stream].said.Load(), others[stream].heard.Load()
			}
			pulses[i].round()
			for stream := range mine {
				if mine[stream].said.Load() > said[stream] {
					spoken++
					eventually(t, "hear a heartbeat", func() bool { return others[stream].heard.Load() > heard[stream] })
				}
			}
		}
	}
	require.GreaterOrEqual(t, spoken, 2*streamCount*3, "each stream speaks in the time that it may be silent")
	require.Empty(t, told[0])
	require.Empty(t, told[1])
}

// TestPolledSilenceIsTold gives process 1 no rounds, like a stuck process.
func TestPolledSilenceIsTold(t *testing.T) {
	both, told := twins(t, time.Hour)
	p := both[0].newPulse()
	rounds := 0
	for ; len(told[0]) == 0; rounds++ {
		p.round()
	}
	require.GreaterOrEqual(t, rounds, silentRounds)
	err := <-told[0]
	requireLost(t, err, 1)
	require.ErrorContains(t, err, "it said nothing for 1h0m0s")
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

// TestNothingIsLeft counts this process's descriptors, and the memory that a late release of a received frame leaves
// lent: after jobs that ended in order, by abort, and by loss.
func TestNothingIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	open := func() int {
		all, err := filepath.Glob("/proc/self/fd/*")
		require.NoError(t, err)
		return len(all)
	}
	end := map[string]func([2]*Transport){
		"close": closeBoth,
		"abort": func(both [2]*Transport) { both[0].Abort("enough"); closeBoth(both) },
		"loss":  func(both [2]*Transport) { both[0].Kill(); closeBoth(both) },
	}
	both, _ := openTwins(t, 0) // opens all that the first one opens for good
	closeBoth(both)
	before := open()
	for name, end := range end {
		both, _ := openTwins(t, 0)
		require.Greater(t, open(), before)
		p, q := both[0].Port(0), both[1].Port(1)
		q.Send(address(q, netio.Data, 1, 0, 10))
		q.Pause()
		f := receive(t, p)
		end(both)
		eventually(t, "close all descriptors after "+name, func() bool { return open() == before })
		f.Release()
		require.Zero(t, both[0].Received(), name)
		require.Zero(t, q.Pool().Lent(), name)
		p.Send(address(p, netio.Data, 0, 1, 10))
		p.Pause()
		require.Nil(t, p.Recv())
		p.Wait(0)
		require.Zero(t, p.Pool().Lent())
	}
}

// TestHotSocketHidesNoOther runs a rank that spins, and looks only at the socket that last had data: frames on the
// other stream arrive too, in their order, like those on the hot one.
func TestHotSocketHidesNoOther(t *testing.T) {
	const rounds = 2000
	both, _ := twins(t, time.Hour)
	p, q := both[0].Port(0), both[1].Port(1)
	port := q.(*Port)
	hot := map[bool]int{}
	next := func(want *netio.Frame) {
		kind, tag := want.Kind, want.Tag
		p.Send(want)
		p.Pause()
		var f *netio.Frame
		for end := time.Now().Add(patience); f == nil; f = q.Recv() {
			require.True(t, time.Now().Before(end), "a frame of kind %d has not come", kind)
			q.Pause()
		}
		require.Equal(t, kind, f.Kind)
		require.Equal(t, tag, f.Tag)
		hot[port.hot != nil && port.hot.number == streamOf(kind)]++
		f.Release()
	}
	for i := range uint32(rounds) {
		kind := netio.Data
		if i%7 == 0 || i > rounds/2 {
			kind = netio.Control
		}
		f := address(p, kind, 0, 1, 10)
		f.Tag = i
		next(f)
	}
	require.Greater(t, hot[true], rounds/10)
	t.Logf("after %d of %d frames their socket was asked alone", hot[true], rounds)
}

// TestWaitLeavesASocketToItsReader holds a stream as a goroutine does that has lost its core while it reads: a waiting
// rank sleeps, instead of looking again and again at what it cannot read.
func TestWaitLeavesASocketToItsReader(t *testing.T) {
	both, _ := twins(t, time.Hour)
	p, q := both[0].Port(0).(*Port), both[1].Port(1)
	reader := &both[0].peer(1).streams[dataStream].reading
	reader.Lock()
	unlock := sync.OnceFunc(reader.Unlock)
	defer unlock()
	q.Send(address(q, netio.Data, 1, 0, 10))
	q.Pause()
	eventually(t, "see the frame", func() bool {
		ready, _ := both[0].look(p.events[:])
		return ready > 0
	})
	slept := false
	for i := 0; i < 1000 && !slept; i++ { // an old wake-up may end one
		const limit = 20 * time.Millisecond
		begin := time.Now()
		p.Wait(limit)
		slept = time.Since(begin) >= limit
	}
	require.True(t, slept)
	unlock()
	receive(t, p).Release()
}

// Beside a load, a rank yields its core in few of its waits: each time, the core is gone for a slice of the scheduler.
// On a quiet machine it yields up to 2,048 times. The load is simulated: a yield returns at the end of a slice.
func TestEffortBesideALoad(t *testing.T) {
	const rounds, slice, polls = 200, 2 * idle.StreakMax, 8
	yields := 0
	yield := func() {
		if yields++; yields <= 2*rounds { // with more, the test has failed and may end
			time.Sleep(slice)
		}
	}
	both, _ := twins(t, 0)
	both[0].ports[0].yield = yield
	p, q := both[0].Port(0), both[1].Port(1)
	waits := effort(p, q, rounds, polls)
	require.LessOrEqual(t, yields, rounds/2)
	require.LessOrEqual(t, waits, 10*rounds)
}

// effort makes p send to a busy partner, and wait for each frame to come back.
func effort(p, q netio.Port, rounds, polls int) (waits int) {
	for range rounds {
		p.Send(address(p, netio.Data, 0, 1, 1000))
		p.Pause()
		receiveBusy(q).Release() // reported by a timer, since q is busy
		for idle := 0; p.Pool().Lent() > 0; idle++ {
			if idle < polls {
				p.Pause()
				continue
			}
			p.Wait(patience)
			waits++
		}
	}
	return waits
}

// receiveBusy is for a rank that never parks nor pauses.
func receiveBusy(p netio.Port) *netio.Frame {
	for {
		if f := p.Recv(); f != nil {
			return f
		}
	}
}

// onceFull is a socket that is full for one write.
type onceFull struct {
	socket
	full bool
}

func (o *onceFull) write(b [][]byte) (int, error) {
	if o.full {
		o.full = false
		return 0, errAgain
	}
	return o.socket.write(b)
}

// wantWrite lets no event come between the steps of the test.
func (o *onceFull) wantWrite(bool) error { return nil }

// TestFullSocketBetweenLookAndWrite takes the steps of two writers: one looks, the other finds the socket full, then
// the first one writes all. Later frames leave, too.
func TestFullSocketBetweenLookAndWrite(t *testing.T) {
	both, _ := twins(t, time.Hour)
	p, q := both[0].Port(0), both[1].Port(1)
	l := both[0].peer(1).streams[controlStream]
	o := &onceFull{full: true}
	l.both(func() { o.socket, l.socket = l.socket, o })
	l.out.push(address(p, netio.Control, 0, 1, 8))
	require.True(t, !l.out.closed.Load() && !l.stalled.Load() && !l.idle()) // the first writer's look
	l.flush()
	require.True(t, l.stalled.Load())
	require.True(t, l.writing.TryLock()) // the first writer continues
	ended, err := l.advance()
	l.writing.Unlock()
	require.False(t, ended)
	require.NoError(t, err)
	receive(t, q).Release()
	l.both(func() { l.socket = o.socket })
	p.Send(address(p, netio.Control, 0, 1, 8))
	receive(t, q).Release()
	closeBoth(both)
}

// TestRefusalsAreLogged logs every member that doesn't fit, from the first one after the start on.
func TestRefusalsAreLogged(t *testing.T) {
	both, _ := twins(t, time.Hour)
	var log bytes.Buffer
	both[0].config.Log = slog.New(slog.NewTextHandler(&log, nil))
	both[0].connector.fail(errors.New("admit process 7: the job has 2"))
	require.Contains(t, log.String(), "admit process 7")
}
