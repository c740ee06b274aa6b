package tcp_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// Notes arrive whole, in the order in which they were sent, while no rank looks at its port.
func TestNotes(t *testing.T) {
	job := dialAll(t, netiotest.Configs(t, 2, 2))
	type note struct {
		from int
		text []byte
	}
	arrived := make(chan note, 16)
	job[1].Notes(func(process int, text []byte) { arrived <- note{process, bytes.Clone(text)} })
	for _, p := range job {
		p.Start(func(error) {})
	}
	var sent [][]byte
	for _, n := range []int{0, 1, 100, 64 << 10, netio.NoteBytesMax} {
		text := bytes.Repeat([]byte{byte(n)}, n)
		sent = append(sent, text)
		job[0].Note(1, text)
	}
	job[0].Note(1, make([]byte, netio.NoteBytesMax+1)) // is dropped
	job[0].Note(1, []byte("last"))
	for _, text := range append(sent, []byte("last")) {
		got := <-arrived
		require.Equal(t, 0, got.from)
		require.True(t, bytes.Equal(text, got.text))
	}
	job[1].Note(0, []byte("nobody takes it"))
	var closing sync.WaitGroup
	for _, p := range job {
		closing.Go(func() { require.NoError(t, p.Close()) })
	}
	closing.Wait()
	job[0].Note(1, []byte("too late"))
}
