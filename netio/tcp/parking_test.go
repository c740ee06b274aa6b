package tcp

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// The writer of a stream that goroutines serve says that it rests after it has looked, too.
func TestNoFrameIsLeftBeforeTheWriterRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		both, _, _ := couple(t)
		synctest.Wait() // the writers rest
		l := both[1].peers[0].streams[dataStream]
		l.out.parking.Once(0, func() { l.out.push(address(both[1].Port(1), netio.Data, 1, 0, 100)) })
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
