package mem

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/bubble"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// TestNoWakeUpIsLostBeforeParking requires that an event between a rank's last look and its announcement wakes it,
// within one process: a frame of either way, a returned frame of either way, and a call.
func TestNoWakeUpIsLostBeforeParking(t *testing.T) {
	for name, make := range map[string]func(a, b *port) func(){
		"large frame": func(a, b *port) func() { return func() { b.Send(netiotest.Frame(b, netio.Data, 1, 0, 1000)) } },
		"small frame": func(a, b *port) func() { return func() { b.Send(netiotest.Frame(b, netio.Control, 1, 0, 8)) } },
		"frame that came back": func(a, b *port) func() {
			a.Send(netiotest.Frame(a, netio.Data, 0, 1, 1000))
			return b.Recv().Release
		},
		"small frame that came back": func(a, b *port) func() {
			account := &netio.Account{}
			a.Pool().Own(account)
			f := netiotest.Frame(a, netio.Data, 0, 1, 8)
			f.Charge(account)
			a.Send(f)
			return b.Recv().Release
		},
		"call": func(a, b *port) func() { return a.Wake },
	} {
		t.Run(name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				m := New(2)
				a, b := m.ports[0], m.ports[1]
				event := make(a, b)
				called := false
				a.Parking().Once(0, func() { event(); called = true })
				begin := time.Now()
				a.Wait(time.Hour)
				require.True(t, called)
				require.Zero(t, time.Since(begin), "slept although it came")
			})
		})
	}
}
