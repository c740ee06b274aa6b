package tcp

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio"
)

// crossing is a data frame on its way, with its events so far.
type crossing struct {
	frame                       *netio.Frame
	slot                        uint32
	written, acknowledged, home bool
}

func slotsOf(slots ...uint32) (b []byte) {
	for _, s := range slots {
		b = binary.LittleEndian.AppendUint32(b, s)
	}
	return b
}

func dataFrame(p *netio.Pool, account *netio.Account) *netio.Frame {
	f := p.Get(100)
	f.Kind, f.Bytes = netio.Data, 100
	f.Charge(account)
	return f
}

// TestInFlight compares with a list of crossings: frames come home once, after both events or when no more can come.
func TestInFlight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var u sentFrames
		var account netio.Account
		var all []*crossing
		over := false
		pool := netio.NewPool(nil)
		pick := func(what string, fits func(*crossing) bool) *crossing {
			var some []*crossing
			for _, c := range all {
				if fits(c) {
					some = append(some, c)
				}
			}
			if len(some) == 0 {
				return nil
			}
			return rapid.SampledFrom(some).Draw(t, what)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0, 1:
				c := &crossing{frame: dataFrame(pool, &account)}
				u.enter(c.frame)
				c.slot = c.frame.Inside(access).Sent.Slot()
				require.Nil(t, pick("same slot", func(o *crossing) bool { return !o.home && o.slot == c.slot }))
				all = append(all, c)
			case 2, 3:
				if c := pick("written", func(c *crossing) bool { return !c.written }); c != nil {
					u.written(c.frame)
					c.written = true
					c.home = c.acknowledged || over
				}
			case 4, 5:
				if c := pick("acknowledged", func(c *crossing) bool { return !c.acknowledged && !c.home }); c != nil {
					require.NoError(t, u.acknowledge(slotsOf(c.slot)))
					c.acknowledged = !over
					c.home = c.acknowledged && c.written
				}
			case 6:
				slot := rapid.Uint32Range(0, 20).Draw(t, "wrong")
				waits := func(c *crossing) bool { return c.slot == slot && !c.acknowledged && !c.home }
				if pick("right", waits) == nil && !over {
					require.ErrorIs(t, u.acknowledge(slotsOf(slot)), netio.ErrDamaged)
				}
				if rapid.IntRange(0, 9).Draw(t, "close") == 0 {
					u.close()
					over = true
					for _, c := range all {
						c.home = c.home || c.written
					}
				}
			}
			away := int64(0)
			for _, c := range all {
				if !c.home {
					away++
				}
			}
			pool.Lent() // collects
			require.Equal(t, away, account.InFlight())
			require.Equal(t, away*netio.FrameCost(100), pool.Lent())
			require.Equal(t, away*100, u.bytes.Load())
		}
	})
}

// TestInFlightRaces runs a writer, the peer's acknowledgements and the end of the peer at the same time.
func TestInFlightRaces(t *testing.T) {
	const count = 20_000
	for _, closing := range []bool{false, true} {
		var u sentFrames
		var account netio.Account
		pool := netio.NewPool(nil)
		entered := make(chan uint32, 64)
		var both sync.WaitGroup
		both.Go(func() {
			for slot := range entered {
				if !assertNoError(t, u.acknowledge(slotsOf(slot))) {
					return
				}
			}
		})
		for i := range count {
			f := dataFrame(pool, &account)
			u.enter(f)
			entered <- f.Inside(access).Sent.Slot()
			encode(f, 0) // the race detector sees two owners
			u.written(f)
			if closing && i == count/2 {
				both.Go(u.close)
			}
		}
		close(entered)
		both.Wait()
		require.Zero(t, pool.Lent())
		require.Zero(t, account.InFlight())
		require.LessOrEqual(t, u.table.Slots(), 64+3, "slots are used again")
	}
}

func assertNoError(t *testing.T, err error) bool {
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

// TestSendersAskForTheirShare counts the requests for a prompt acknowledgement: all frames with one frame of credit,
// few with many.
func TestSendersAskForTheirShare(t *testing.T) {
	const count = 10_000
	for _, c := range []struct{ credit, least, most int }{
		{1, count, count}, {4, count, count}, {16, count / 5, count / 3}, {64, count / 17, count / 15},
		{1000, count / 65, count/63 + 20},
	} {
		var u sentFrames
		random := rand.New(rand.NewPCG(seeds.Of(t), uint64(c.credit)))
		pool := netio.NewPool(nil)
		var away []*netio.Frame
		asked := 0
		for range count {
			if len(away) == c.credit {
				i := random.IntN(len(away))
				require.NoError(t, u.acknowledge(slotsOf(away[i].Inside(access).Sent.Slot())))
				away[i] = away[len(away)-1]
				away = away[:len(away)-1]
			}
			f := pool.Get(1)
			u.enter(f)
			u.written(f)
			away = append(away, f)
			if f.Inside(access).Sent.Prompt() {
				asked++
			}
		}
		require.GreaterOrEqual(t, asked, c.least, "credit %d", c.credit)
		require.LessOrEqual(t, asked, c.most, "credit %d", c.credit)
	}
}

// FuzzAcknowledge takes any bytes while eight frames are in flight, half of them written.
func FuzzAcknowledge(f *testing.F) {
	f.Add(slotsOf(0, 1, 2, 3))
	f.Add(slotsOf(7, 7))
	f.Add(slotsOf(8))
	f.Add([]byte{1, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		const count = 8
		var u sentFrames
		var account netio.Account
		pool := netio.NewPool(nil)
		for i := range count {
			f := dataFrame(pool, &account)
			u.enter(f)
			require.EqualValues(t, i, f.Inside(access).Sent.Slot())
			if i%2 == 0 {
				u.written(f)
			}
		}
		seen, wrong := [count]bool{}, false
		home := int64(0)
		for rest := b; len(rest) >= slotBytes && !wrong; rest = rest[slotBytes:] {
			slot := binary.LittleEndian.Uint32(rest)
			if wrong = slot >= count || seen[slot]; !wrong {
				seen[slot] = true
				home += int64(1 - slot%2)
			}
		}
		if err := u.acknowledge(b); wrong {
			require.ErrorIs(t, err, netio.ErrDamaged)
		} else {
			require.NoError(t, err)
		}
		require.Equal(t, (count-home)*netio.FrameCost(100), pool.Lent())
		require.Equal(t, count-home, account.InFlight())
	})
}
