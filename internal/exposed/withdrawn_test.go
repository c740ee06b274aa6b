package exposed

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What was withdrawn is told as such at once, before its entry serves again: to who reads, writes, adds or withdraws.
func TestWithdrawnAtOnce(t *testing.T) {
	own, err := Reserve(0, 2*hugeBytes, 1, EntriesMax)
	require.NoError(t, err)
	o, u := NewOwner(own), own.User(0)
	key, _, err := o.Expose(WordBytes, nil)
	require.NoError(t, err)
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

// Who is in memory while it is withdrawn is told so when he leaves, also where nothing was cleared yet. Whoever
// withdraws it until then is told that it is, and it counts once.
func TestLeavingTellsOfWithdrawal(t *testing.T) {
	own, err := Reserve(0, 2*hugeBytes, 1, EntriesMax)
	require.NoError(t, err)
	o, u := NewOwner(own), own.User(0)
	key, _, err := o.Expose(WordBytes, nil)
	require.NoError(t, err)
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
