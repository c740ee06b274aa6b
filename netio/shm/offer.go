package shm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/internal/idle"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Dial connects by TCP, meets the processes of this host, and returns a Transport, or the TCP when there are none. When all
// must share memory it fails if some can't. The configuration must be complete, and own the offer.
func (o *Offer) Dial(ctx context.Context, c tcp.Config, all bool) (_ netio.Transport, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.StartLimit, fmt.Errorf("not connected within %v: %w", c.StartLimit, context.DeadlineExceeded))
	defer cancel()
	m := newMeeting(&c, o)
	m.gate.Open()
	defer m.leave()
	t, err := tcp.Dial(ctx, c)
	if err != nil {
		m.forget()
		o.close()
		return nil, err
	}
	near := m.near(t)
	if all && len(near)+1 < c.Place.Processes {
		err = fmt.Errorf("share memory with %s: not on this host, or of another user, network or container; use transport %s or %s",
			m.strangers(near), "auto", "tcp")
	}
	if len(near) == 0 && !all {
		o.close()
		return t, nil
	}
	if err == nil {
		err = m.meet(ctx, t, near)
	}
	if err != nil {
		err = fmt.Errorf("start transport: %w", err)
		t.Abort(err.Error())
		t.Close()
		m.forget()
		o.close()
		return nil, err
	}
	return newTransport(t, o, m.links, near), nil
}

// Offer is what a process offers those of its host: its memory, and an eventfd to signal when something lies there.
type Offer struct {
	region *region
	memory *os.File
	event  *os.File
	socket *net.UnixListener
}

// NewOffer opens a socket under a name that is not in the file system, and tells of it in c.
func NewOffer(c *tcp.Config) (_ *Offer, err error) {
	host, err := thisHost()
	if err != nil {
		return nil, err
	}
	o := &Offer{}
	defer func() {
		if err != nil {
			o.close()
		}
	}()
	if o.region, o.memory, err = newRegion(c.Place); err != nil {
		return nil, err
	}
	if o.event, err = newEventfd(); err != nil {
		return nil, err
	}
	random := make([]byte, 16)
	rand.Read(random)
	name := "@pebbles-" + hex.EncodeToString(random)
	if o.socket, err = net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"}); err != nil {
		return nil, err
	}
	c.Inside(access).Offer(handshake.Memory{Host: host, Socket: name})
	return o, nil
}

func (o *Offer) close() {
	if o.memory != nil {
		o.memory.Close()
	}
	if o.event != nil {
		o.event.Close()
	}
	if o.socket != nil {
		o.socket.Close()
	}
}

func newTransport(over *tcp.Transport, o *Offer, links map[int]*link, near []int) *Transport {
	place := over.Place()
	t := &Transport{
		tcp: over, place: place, own: o.region, event: o.event,
		links: make([]*link, place.Processes), far: len(near)+1 < place.Processes,
	}
	o.memory.Close()
	t.arena.mem = t.own.arena
	here := t.place.Last - t.place.First
	onHost := here
	for process, l := range links {
		t.links[process] = l
		onHost += l.place.Last - l.place.First
	}
	t.policy = idle.PolicyFor(here, onHost)
	for i, below := range over.Under(access).Ports() {
		p := &port{}
		p.init(t, below, t.place.First+i)
		t.ports = append(t.ports, p)
	}
	for process, l := range links {
		over.Under(access).WhenEnded(process, func() { t.endLink(l) })
	}
	t.close = sync.OnceValue(t.shut)
	if len(links) > 0 {
		t.heard.Go(t.listen)
	}
	return t
}

// strangers names the processes that are not near.
func (m *meeting) strangers(near []int) string {
	var names []string
	for process, address := range m.c.Addresses {
		if process != m.c.Place.Process && !slices.Contains(near, process) {
			names = append(names, fmt.Sprintf("process %d (%s)", process, address))
		}
	}
	return strings.Join(names, ", ")
}

var errTwice = errors.New("it has come already")
