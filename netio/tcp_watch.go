package netio

import (
	"net"
	"time"
)

// watch reads from a connection, and gives up when the peer has been silent for too long. The time that the reader takes
// between two reads doesn't count.
type watch struct {
	conn     net.Conn
	silence  time.Duration
	deadline time.Time
}

func newWatch(conn net.Conn, silence time.Duration) *watch {
	return &watch{conn: conn, silence: silence}
}

// Read renews the deadline only when an eighth of the silence has passed since it was last renewed: setting it costs
// more than looking at the clock.
func (w *watch) Read(b []byte) (int, error) {
	if now := time.Now(); w.deadline.Before(now.Add(w.silence)) {
		w.deadline = now.Add(w.silence + w.silence/8)
		if err := w.conn.SetReadDeadline(w.deadline); err != nil {
			return 0, err
		}
	}
	return w.conn.Read(b)
}
