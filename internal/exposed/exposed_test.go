package exposed

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/activepebbles/pebbles/internal/seeds" // fixes the draws of rapid
)

func reserve(t *testing.T, process int, bytes int64, users, entries int) *Segment {
	own, err := Reserve(process, bytes, users, entries)
	require.NoError(t, err)
	return own
}

func expose(t *testing.T, o *Owner, bytes int) (key uint64, memory []byte) {
	t.Helper()
	key, memory, err := o.Expose(bytes, nil)
	require.NoError(t, err)
	return key, memory
}

// TestSpans compares with a slice of one mark per byte.
func TestSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const room = 64
		free, taken := spans{{0, room}}, map[span]bool{}
		var twin [room]bool
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "take") {
				n, align := rapid.IntRange(1, 20).Draw(t, "bytes"), 1<<rapid.IntRange(0, 4).Draw(t, "align")
				s, ok := free.cut(n, align)
				fits := false
				for from := 0; from+n <= room && !fits; from += align {
					fits = !bytes.Contains(marks(twin[from:from+n]), []byte{1})
				}
				require.Equal(t, fits, ok)
				if ok {
					require.Zero(t, s.from%align)
					require.Equal(t, n, s.to-s.from)
					for i := s.from; i < s.to; i++ {
						require.False(t, twin[i], "given out twice")
						twin[i] = true
					}
					taken[s] = true
				}
				continue
			}
			for s := range taken {
				free.insert(s)
				clear(twin[s.from:s.to])
				delete(taken, s)
				break
			}
			for i, s := range free {
				require.Less(t, s.from, s.to)
				require.False(t, bytes.Contains(marks(twin[s.from:s.to]), []byte{1}))
				require.True(t, i == 0 || free[i-1].to < s.from, "neighbours are one")
			}
		}
	})
}

func marks(all []bool) []byte {
	b := make([]byte, len(all))
	for i, v := range all {
		if v {
			b[i] = 1
		}
	}
	return b
}

// TestMemoryIsNotGivenOutWhileSomebodyIsInIt keeps a user in withdrawn memory.
func TestMemoryIsNotGivenOutWhileSomebodyIsInIt(t *testing.T) {
	own := reserve(t, 3, 4*hugeBytes, 2, EntriesMax)
	o, u := NewOwner(own), own.User(1)
	key, memory := expose(t, o, 100)
	at, fault := u.enter(own, Place{key, 92}, 8)
	require.Equal(t, None, fault)
	require.Equal(t, None, o.Withdraw(key, nil))
	*(*uint64)(at) = 7 // as a user that began before the withdrawal
	next, other := expose(t, o, 100)
	require.NotSame(t, &memory[0], &other[0])
	require.NotEqual(t, uint32(key), uint32(next), "the entry is in use")
	u.leave()
	again, same := expose(t, o, 100)
	require.Same(t, &memory[0], &same[0])
	require.Equal(t, make([]byte, 100), same)
	require.Equal(t, uint32(key), uint32(again))
	require.NotEqual(t, key, again, "no key is used twice")
	for key, want := range map[uint64]Fault{
		key: Withdrawn, again + 1<<slotBits: Unknown, 0: Unknown, 5: Unknown, 1<<slotBits | EntriesMax: Unknown,
	} {
		require.Equal(t, want, u.Put(own, Place{key, 0}, make([]byte, 1)), "key %#x", key)
	}
	require.Equal(t, Withdrawn, o.Withdraw(key, nil))
	require.Equal(t, Unknown, o.Withdraw(again+1<<slotBits, nil))
	count, taken := o.Exposed()
	require.Equal(t, 2, count)
	require.EqualValues(t, 2*pageBytes, taken)
	own.Lose()
	require.Equal(t, Lost, u.Put(own, Place{again, 0}, make([]byte, 1)))
}

// TestRoomEnds exposes all memory, twice.
func TestRoomEnds(t *testing.T) {
	own := reserve(t, 0, 2*hugeBytes, 1, EntriesMax)
	o := NewOwner(own)
	for range 2 {
		var keys []uint64
		for {
			key, _, err := o.Expose(pageBytes+1, nil)
			if err != nil {
				require.ErrorContains(t, err, "this process has room for 4194304 and exposes 4194304 already")
				break
			}
			keys = append(keys, key)
		}
		require.Len(t, keys, hugeBytes/pageBytes)
		for _, key := range keys {
			require.Equal(t, None, o.Withdraw(key, nil))
		}
	}
}

// TestForeignEntriesAreChecked reads by an entry that another process has corrupted.
func TestForeignEntriesAreChecked(t *testing.T) {
	own := reserve(t, 0, 2*hugeBytes, 1, EntriesMax)
	key, _ := expose(t, NewOwner(own), 8)
	e := &own.entries[uint32(key)]
	for _, offset := range []uint64{2*hugeBytes - 7, 2 * hugeBytes, 1 << 63, ^uint64(0)} {
		e.offset.Store(offset)
		require.Equal(t, Beyond, own.User(0).Get(own, Place{key, 0}, make([]byte, 8)))
	}
}

// TestCopies of all alignments and lengths are copies, and do not change the rest.
func TestCopies(t *testing.T) {
	own := reserve(t, 0, 2*hugeBytes, 1, EntriesMax)
	u := own.User(0)
	key, memory := expose(t, NewOwner(own), 128)
	source := make([]byte, 128)
	for i := range source {
		source[i] = byte(i + 1)
	}
	for to := range 10 {
		for from := range 10 {
			for n := range 90 {
				clear(memory)
				require.Equal(t, None, u.Put(own, Place{key, uint64(to)}, source[from:from+n]))
				want := make([]byte, 128)
				copy(want[to:], source[from:from+n])
				require.Equal(t, want, append([]byte(nil), memory...))
				got := make([]byte, 128)
				require.Equal(t, None, u.Get(own, Place{key, uint64(to)}, got[from:from+n]))
				require.Equal(t, source[from:from+n], got[from:from+n])
				require.Equal(t, make([]byte, 128-from-n), got[from+n:])
			}
		}
	}
	binary.NativeEndian.PutUint64(memory, 5)
	old, fault := u.CompareAndSwap(own, Place{key, 0}, 4, 9)
	require.Equal(t, []any{uint64(5), None}, []any{old, fault})
	old, _ = u.CompareAndSwap(own, Place{key, 0}, 5, 9)
	require.EqualValues(t, 5, old)
	old, _ = u.Add(own, Place{key, 0}, ^uint64(0))
	require.EqualValues(t, 9, old)
	old, _ = u.Swap(own, Place{key, 0}, 1)
	require.EqualValues(t, 8, old)
	_, fault = u.Add(own, Place{key, 124}, 1)
	require.Equal(t, Odd, fault)
	_, fault = u.Add(own, Place{key, 128}, 1)
	require.Equal(t, Beyond, fault)
}

// A read during a withdrawal returns the data, or a fault: never the zeros of cleared memory.
func TestWhatIsClearedIsNotRead(t *testing.T) {
	own := reserve(t, 0, 4*hugeBytes, 2, EntriesMax)
	o, u := NewOwner(own), own.User(0)
	for range 3000 {
		key, memory := expose(t, o, WordBytes)
		atomic.StoreUint64(word(memory), 7)
		begun := make(chan struct{})
		cleared := make(chan bool)
		go func() {
			close(begun)
			var got [WordBytes]byte
			for {
				switch u.Get(own, Place{key, 0}, got[:]) {
				case Withdrawn:
					cleared <- false
					return
				case None:
					if *word(got[:]) != 7 {
						cleared <- true
						return
					}
					runtime.Gosched() // the withdrawing goroutine may need this core
				}
			}
		}()
		<-begun
		require.Equal(t, None, o.Withdraw(key, nil))
		require.False(t, <-cleared)
	}
}

// A withdrawal is reported at once, before its entry is reused, to reads, writes, additions and withdrawals.
func TestWithdrawnAtOnce(t *testing.T) {
	own := reserve(t, 0, 2*hugeBytes, 1, EntriesMax)
	o, u := NewOwner(own), own.User(0)
	key, _ := expose(t, o, WordBytes)
	require.Equal(t, None, o.Withdraw(key, nil))
	at, word := Place{key, 0}, make([]byte, WordBytes)
	require.Equal(t, Withdrawn, u.Get(own, at, word))
	require.Equal(t, Withdrawn, u.Put(own, at, word))
	_, fault := u.Add(own, at, 1)
	require.Equal(t, Withdrawn, fault)
	_, fault = u.Near(own, at, 1)
	require.Equal(t, Withdrawn, fault)
	require.Equal(t, Withdrawn, o.Withdraw(key, nil))
	count, bytes := o.Exposed()
	require.Zero(t, count)
	require.Zero(t, bytes)
}

// A user that is in memory during a withdrawal gets the fault when it leaves, also if nothing was cleared yet. Further
// withdrawals meanwhile get the fault too, and the exposure is counted once.
func TestLeavingTellsOfWithdrawal(t *testing.T) {
	own := reserve(t, 0, 2*hugeBytes, 1, EntriesMax)
	o, u := NewOwner(own), own.User(0)
	key, _ := expose(t, o, WordBytes)
	at := Place{key, 0}
	_, fault := u.enter(own, at, WordBytes)
	require.Equal(t, None, fault)
	require.Equal(t, None, o.Withdraw(key, nil))
	require.Equal(t, Withdrawn, o.Withdraw(key, nil))
	_, fault = o.exposed(key)
	require.Equal(t, Withdrawn, fault)
	count, bytes := o.Exposed()
	require.Zero(t, count)
	require.Zero(t, bytes)
	require.Equal(t, Withdrawn, u.left(own, at))
}

// An owner may lock its memory, and no advice frees locked pages. The memory is cleared nevertheless.
func TestLockedMemoryIsCleared(t *testing.T) {
	own := reserve(t, 0, 2*hugeBytes, 1, EntriesMax)
	o := NewOwner(own)
	key, memory := expose(t, o, pageBytes)
	if err := syscall.Mlock(memory); err != nil {
		t.Skip(err)
	}
	memory[8] = 7
	require.Equal(t, None, o.Withdraw(key, nil))
	require.Zero(t, memory[8], "it is gone when Withdraw returns")
	_, again := expose(t, o, pageBytes)
	require.Same(t, &memory[0], &again[0])
	require.Zero(t, again[8])
}

// An entry that has used all of its keys is not reused: no key occurs twice, and none is 0.
func TestKeysEnd(t *testing.T) {
	own := reserve(t, 0, 2*hugeBytes, 1, EntriesMax)
	o, u := NewOwner(own), own.User(0)
	require.EqualValues(t, math.MaxUint32, o.given.Uses, "a key has 32 bits for that")
	o.given.Uses = 2
	first, _ := expose(t, o, WordBytes)
	require.Equal(t, None, o.Withdraw(first, nil))
	for i := range 3 {
		key, _ := expose(t, o, WordBytes)
		require.Equal(t, i == 0, uint32(key) == uint32(first), "the last key of the entry, and then none")
		require.NotEqual(t, first, key)
		require.Equal(t, Withdrawn, u.Put(own, Place{first, 0}, make([]byte, WordBytes)))
		require.Equal(t, None, u.Put(own, Place{key, 0}, make([]byte, WordBytes)))
		require.Equal(t, None, o.Withdraw(key, nil))
		require.Equal(t, Withdrawn, u.Put(own, Place{key, 0}, make([]byte, WordBytes)))
	}
}
