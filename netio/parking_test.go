package netio

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// once runs a function before the first announcement of a parking, or the one after so many others.
func (p *parking) once(after int, f func()) {
	p.before = func() {
		if after--; after < 0 {
			p.before = nil
			f()
		}
	}
}

// What comes after a rank's last look and before it says that it parks wakes it all the same, in one process: a frame of either way, one
// that came back of either way, and a call.
func TestNoWakeUpIsLostBeforeParking(t *testing.T) {
	for name, make := range map[string]func(a, b memPort) func(){
		"large frame": func(a, b memPort) func() { return func() { b.Send(address(b, Data, 1, 0, 1000)) } },
		"small frame": func(a, b memPort) func() { return func() { b.Send(address(b, Control, 1, 0, 8)) } },
		"frame that came back": func(a, b memPort) func() {
			a.Send(address(a, Data, 0, 1, 1000))
			return b.Recv().Release
		},
		"small frame that came back": func(a, b memPort) func() {
			account := &Account{}
			a.Pool().Own(account)
			f := address(a, Data, 0, 1, 8)
			f.Charge(account)
			a.Send(f)
			return b.Recv().Release
		},
		"call": func(a, b memPort) func() { return a.Wake },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := NewMem(2)
				a, b := m.Port(0).(memPort), m.Port(1).(memPort)
				event := make(a, b)
				called := false
				a.parking.once(0, func() { event(); called = true })
				begin := time.Now()
				a.Wait(time.Hour)
				require.True(t, called)
				require.Zero(t, time.Since(begin), "slept although it came")
			})
		})
	}
}

// The same over shared memory, where a rank says twice that it parks: to other processes, and to its own.
func TestNoWakeUpIsLostBeforeParkingOverSharedMemory(t *testing.T) {
	for name, make := range map[string]func(both [2]*Shm) func(){
		"frame": func(both [2]*Shm) func() {
			q := both[1].ports[0]
			return func() { q.Send(address(q, Data, 1, 0, 1000)) }
		},
		"release": func(both [2]*Shm) func() {
			p, q := both[0].ports[0], both[1].ports[0]
			p.Send(address(p, Data, 0, 1, 1000))
			f := receive(t, q)
			return func() { f.Release(); q.tell() }
		},
		"frame by the other way": func(both [2]*Shm) func() {
			p := both[0].ports[0]
			return func() { p.deliver(address(p, Data, 1, 0, 1000)) }
		},
		"end of a link": func(both [2]*Shm) func() { return func() { both[0].endLink(both[0].links[1]) } },
		"call":          func(both [2]*Shm) func() { return both[0].ports[0].Wake },
	} {
		for announcements := range 2 {
			t.Run(name, func(t *testing.T) {
				both := shmTwins(t)
				p := both[0].ports[0]
				event := make(both)
				called := false
				p.parking.once(announcements, func() { event(); called = true })
				begin := time.Now()
				p.park(patience)
				require.True(t, called)
				require.Less(t, time.Since(begin), patience, "slept although it came")
			})
		}
	}
}

// The writer of a lane that goroutines serve says that it rests after it has looked, too.
func TestNoFrameIsLeftBeforeTheWriterRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		both, _, _ := couple(t)
		synctest.Wait() // the writers rest
		l := both[1].peers[0].lanes[dataLane]
		l.out.parking.once(0, func() { l.out.put(address(both[1].Port(1), Data, 1, 0, 100)) })
		post(both, 100)
		for range 2 {
			synctest.Wait()
			f := both[0].Port(0).Recv()
			require.NotNil(t, f, "it is left with the writer")
			f.Release()
		}
		closeBoth(both)
	})
}
