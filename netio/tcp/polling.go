package tcp

import (
	"net"
	"runtime"

	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// open opens the layer above, sets up polling of sockets if the system allows it, and starts the goroutines for
// polling.
func (t *Transport) open() (err error) {
	if t.config.layer != nil {
		if err = t.config.layer.Open(t, &t.config); err != nil {
			return err
		}
	}
	if t.place.Processes == 1 || t.config.served {
		return nil
	}
	if t.sockets, err = openSockets(); err != nil || t.sockets == nil {
		return err
	}
	t.poller.t, t.poller.parking = t, idle.NewParking()
	t.poller.awake.Store(int64(len(t.ports)))
	t.poller.room = int64(runtime.GOMAXPROCS(0)) - 1
	t.delayed.Init(t.flushDelayed)
	t.background.Go(t.poller.run)
	t.background.Go(t.pulse)
	return nil
}

// flushDelayed writes frames that wait on streams while the ranks that sent them are busy.
func (t *Transport) flushDelayed() {
	for _, p := range t.others() {
		for _, l := range p.streams {
			if l.delayed.Load() {
				l.flush()
			}
		}
	}
}

// adopt makes a socket of a connection; nil if goroutines serve it.
func (t *Transport) adopt(conn net.Conn, number int) (socket, error) {
	if t.sockets == nil {
		return nil, nil
	}
	return t.sockets.adopt(conn, number)
}

// shutSockets ends all looks at sockets.
func (t *Transport) shutSockets() {
	t.ended.Store(true)
	close(t.over)
	if t.sockets == nil {
		return
	}
	t.delayed.Stop()
	t.sockets.interrupt()
	t.poller.parking.Wake()
	t.background.Wait()
	for _, p := range t.ports {
		p.endLooks()
	}
	t.sockets.close()
}
