package scenario

import (
	"time"

	"github.com/activepebbles/pebbles/netio"
)

// Port is a port that does what a scenario says: it says what becomes of a frame that is sent, which frames arrive, and
// what time it is.
type Port struct {
	Lends   *netio.Pool
	Clock   *time.Duration
	Arrived netio.Frames                         // what Recv returns
	Sent    func(f *netio.Frame)                 // is given what is sent
	Rests   func(parks bool, most time.Duration) // is called in Pause, and when the rank parks in Wait
	Woken   func()                               // is called in Wake
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
