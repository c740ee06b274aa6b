package exposed

import (
	"math"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

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
