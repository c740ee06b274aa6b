package netio

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
)

// The names of transports between processes, as [Dial] takes them.
const (
	ByAuto = "auto" // shared memory within each host, TCP between hosts
	ByShm  = "shm"  // shared memory, or an error
	ByTCP  = "tcp"
)

// Dial connects this process with all others of its job, as [DialTCP] does, by the transport of a name; "" is [ByAuto].
// All processes must be given the same.
func Dial(ctx context.Context, c TCPConfig, name string) (Transport, error) {
	switch name {
	case ByTCP:
		return dialTCP(ctx, c)
	case ByShm, ByAuto, "":
	default:
		c.refuse()
		return nil, fmt.Errorf("start transport: there is none of the name %q; there are %s, %s and %s", name, ByAuto, ByShm, ByTCP)
	}
	if err := c.validate(); err != nil {
		c.refuse()
		return nil, fmt.Errorf("start transport: %w", err)
	}
	o, err := newShmOffer(&c)
	switch {
	case err == nil:
		return dialShm(ctx, c, o, name == ByShm)
	case name == ByShm:
		c.refuse()
		return nil, fmt.Errorf("start transport: share memory: %w; use transport %s", err, ByTCP)
	}
	c.Log.Info("no shared memory", "error", err)
	return dialTCP(ctx, c)
}

// dialTCP never returns an interface that holds a nil pointer.
func dialTCP(ctx context.Context, c TCPConfig) (Transport, error) {
	t, err := DialTCP(ctx, c)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// refuse closes what DialTCP would have taken ownership of.
func (c *TCPConfig) refuse() {
	if c.Listener != nil {
		c.Listener.Close()
	}
}

// dialShm connects by TCP, meets the processes of this host, and returns a Shm, or the TCP when there are none. When all
// must share memory it fails if some can't.
func dialShm(ctx context.Context, c TCPConfig, o *shmOffer, all bool) (_ Transport, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.StartLimit, fmt.Errorf("not connected within %v: %w", c.StartLimit, context.DeadlineExceeded))
	defer cancel()
	m := newShmMeeting(&c, o)
	m.gate.Open()
	defer m.leave()
	tcp, err := DialTCP(ctx, c)
	if err != nil {
		m.forget()
		o.close()
		return nil, err
	}
	near := m.near(tcp)
	if all && len(near)+1 < c.Place.Processes {
		err = fmt.Errorf("share memory with %s: not on this host, or of another user, network or container; use transport %s or %s",
			m.strangers(near), ByAuto, ByTCP)
	}
	if len(near) == 0 && !all {
		o.close()
		return tcp, nil
	}
	if err == nil {
		err = m.meet(ctx, tcp, near)
	}
	if err != nil {
		err = fmt.Errorf("start transport: %w", err)
		tcp.Abort(err.Error())
		tcp.Close()
		m.forget()
		o.close()
		return nil, err
	}
	return newShm(tcp, o, m.links, near), nil
}

// shmOffer is what a process offers those of its host: its memory, and a bell to ring when something lies there.
type shmOffer struct {
	region *region
	memory *os.File
	bell   *os.File
	door   *net.UnixListener
}

// newShmOffer opens a door under a name that is not in the file system, and tells of it in c.
func newShmOffer(c *TCPConfig) (_ *shmOffer, err error) {
	host, err := thisHost()
	if err != nil {
		return nil, err
	}
	o := &shmOffer{}
	defer func() {
		if err != nil {
			o.close()
		}
	}()
	if o.region, o.memory, err = newRegion(c.Place); err != nil {
		return nil, err
	}
	if o.bell, err = newBell(); err != nil {
		return nil, err
	}
	name := make([]byte, 16)
	rand.Read(name)
	socket := "@pebbles-" + hex.EncodeToString(name)
	if o.door, err = net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"}); err != nil {
		return nil, err
	}
	c.memory = handshake.Memory{Host: host, Socket: socket}
	return o, nil
}

func (o *shmOffer) close() {
	if o.memory != nil {
		o.memory.Close()
	}
	if o.bell != nil {
		o.bell.Close()
	}
	if o.door != nil {
		o.door.Close()
	}
}

func newShm(tcp *TCP, o *shmOffer, links map[int]*shmLink, near []int) *Shm {
	t := &Shm{
		tcp: tcp, place: tcp.place, own: o.region, bell: o.bell,
		links: make([]*shmLink, tcp.place.Processes), far: len(near)+1 < tcp.place.Processes,
	}
	o.memory.Close()
	t.arena.mem = t.own.arena
	here := t.place.Last - t.place.First
	onHost := here
	for process, l := range links {
		t.links[process] = l
		onHost += l.place.Last - l.place.First
	}
	t.pace = paceOf(here, onHost)
	for rank := t.place.First; rank < t.place.Last; rank++ {
		p := &shmPort{}
		p.init(t, rank)
		t.ports = append(t.ports, p)
	}
	for process, l := range links {
		tcp.peers[process].underWay.whenClosed(func() { t.endLink(l) })
	}
	t.close = sync.OnceValue(t.shut)
	if len(links) > 0 {
		t.heard.Go(t.listen)
	}
	return t
}

// strangers names the processes that are not near.
func (m *shmMeeting) strangers(near []int) string {
	var names []string
	for process, address := range m.c.Addresses {
		if process != m.c.Place.Process && !slices.Contains(near, process) {
			names = append(names, fmt.Sprintf("process %d (%s)", process, address))
		}
	}
	return strings.Join(names, ", ")
}

var errTwice = errors.New("it has come already")
