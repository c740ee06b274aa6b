package netio

import (
	"net"
	"runtime"
)

// open makes sockets be polled, where the system allows it, and sets up who looks after them.
func (t *TCP) open() (err error) {
	if t.place.Processes == 1 || t.config.served {
		return nil
	}
	if t.sockets, err = openSockets(); err != nil || t.sockets == nil {
		return err
	}
	t.sentry.t, t.sentry.parking = t, newParking()
	t.sentry.awake.Store(int64(len(t.ports)))
	t.sentry.room = int64(runtime.GOMAXPROCS(0)) - 1
	t.promises.init(t)
	t.lookouts.Go(t.sentry.run)
	t.lookouts.Go(t.pulse)
	return nil
}

// adopt makes a socket of a connection, or nil when goroutines are to serve it.
func (t *TCP) adopt(conn net.Conn, number int) (socket, error) {
	if t.sockets == nil {
		return nil, nil
	}
	return t.sockets.adopt(conn, number)
}

// shutSockets ends all looks at sockets.
func (t *TCP) shutSockets() {
	t.ended.Store(true)
	close(t.over)
	if t.sockets == nil {
		return
	}
	t.promises.late.Stop()
	t.sockets.interrupt()
	t.sentry.parking.wake()
	t.lookouts.Wait()
	for _, p := range t.ports {
		p.blindfold()
	}
	t.sockets.close()
}
