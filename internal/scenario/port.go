package scenario

import (
	"time"

	"github.com/activepebbles/pebbles/netio"
)

// Port is a port under the control of a scenario: the scenario receives the frames that are sent, and provides the
// frames that arrive and the time.
type Port struct {
	Lends   *netio.Pool
	Clock   *time.Duration
	Arrived netio.Frames                         // frames for Recv
	Sent    func(f *netio.Frame)                 // receives each sent frame
	Rests   func(parks bool, most time.Duration) // called in Pause, and when the rank parks in Wait
	Woken   func()                               // called in Wake
	Exposed netio.OneSided
}

var _ netio.Port = (*Port)(nil)

// Send implements [netio.Port].
func (p *Port) Send(f *netio.Frame) { p.Sent(f) }

// Recv implements [netio.Port].
func (p *Port) Recv() *netio.Frame { return p.Arrived.Shift() }

// Fetch implements [netio.Port].
func (p *Port) Fetch() {}

// Pool implements [netio.Port].
func (p *Port) Pool() *netio.Pool { return p.Lends }

// Wait implements [netio.Port].
func (p *Port) Wait(d time.Duration) { p.Rests(true, d) }

// Wake implements [netio.Port].
func (p *Port) Wake() { p.Woken() }

// OneSided implements [netio.Port].
func (p *Port) OneSided() netio.OneSided { return p.Exposed }

// Pause implements [netio.Port].
func (p *Port) Pause() { p.Rests(false, 0) }

// Now implements [netio.Port].
func (p *Port) Now() time.Duration { return *p.Clock }
