package tcp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// A fence waits for what has left and was not answered, also where nothing is to leave any more.
func TestFencesWaitForWhatHasLeft(t *testing.T) {
	var put, fence netio.Completion
	f := &flow{}
	r := &remote{flows: []*flow{nil, f}}
	put.Inside(access).Begin(1)
	f.push(operation{Operation: local.Operation{Kind: local.Put, Completion: &put}})
	f.left = f.ops.tail
	r.open++
	r.Fence(&fence)
	require.False(t, fence.Done())
	r.endOldest(f, nil) // the answer
	require.True(t, put.Done())
	require.False(t, fence.Done(), "nobody has looked")
	r.request(f)
	r.endFences(f)
	require.True(t, fence.Done())
	require.Zero(t, r.Open())
}

// A long transfer is taken apart between words, wherever it begins.
func TestPiecesEndWithWords(t *testing.T) {
	for offset := range uint64(2 * exposed.WordBytes) {
		at, pieces := netio.Address{Offset: offset}, 0
		for rest := 5 * pieceBytesMax; rest > 0; pieces++ {
			n := (&remote{}).piece(at, rest)
			require.LessOrEqual(t, n, pieceBytesMax)
			rest -= n
			at = at.Plus(n)
			require.True(t, rest == 0 || at.Offset%exposed.WordBytes == 0, "a word is in two pieces")
		}
		require.LessOrEqual(t, pieces, 6)
	}
}
