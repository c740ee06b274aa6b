package ofi

import (
	"os"
	"path/filepath"
	"strings"
)

// ordered is a fabric over a provider whose gets may end after what was sent to the same endpoint later. libfabric's
// verbs takes completions for those of its oldest operations: one that comes late breaks its list of them, and it
// crashes soon. So nothing is sent to an endpoint while gets from it are open, and no get begins while something waits
// to be sent: neither keeps the other waiting for ever.
type ordered struct {
	fabric
	peers []order
	from  [callsMax]uint64 // whom a get asks, by its tag, plus 1; 0 is no get
}

// order is that of the operations to one endpoint.
type order struct {
	gets int  // that are open
	held bool // something waits for them to end
}

func (o *ordered) Link(address []byte) (uint64, error) {
	peer, err := o.fabric.Link(address)
	for err == nil && uint64(len(o.peers)) <= peer {
		o.peers = append(o.peers, order{})
	}
	return peer, err
}

// waits reports whether something that is no get has to wait.
func (o *ordered) waits(peer uint64) bool {
	p := &o.peers[peer]
	p.held = p.gets > 0
	return p.held
}

func (o *ordered) Send(peer uint64, mem []byte, r region, tag uint32) error {
	if o.waits(peer) {
		return errBusy
	}
	return o.fabric.Send(peer, mem, r, tag)
}

func (o *ordered) Put(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	if o.waits(peer) {
		return errBusy
	}
	return o.fabric.Put(peer, mem, r, at, key, tag)
}

func (o *ordered) Get(peer uint64, mem []byte, r region, at, key uint64, tag uint32) error {
	p := &o.peers[peer]
	if p.held {
		return errBusy
	}
	err := o.fabric.Get(peer, mem, r, at, key, tag)
	if err == nil {
		p.gets++
		o.from[tag] = peer + 1
	}
	return err
}

func (o *ordered) Poll(into []event) (int, error) {
	n, err := o.fabric.Poll(into)
	for i := range n {
		if from := &o.from[into[i].tag]; *from > 0 {
			o.peers[*from-1].gets--
			*from = 0
		}
	}
	return n, err
}

// isIWARP reports whether a device of verbs is an adapter for iWARP, in a file system with that root. A put has ended
// there when it has left, and what travels over TCP is placed as it comes. Soft-iWARP ends gets late besides.
func isIWARP(root, device string) bool {
	kind, _ := os.ReadFile(filepath.Join(root, "sys/class/infiniband", device, "node_type"))
	return strings.HasPrefix(string(kind), "4:") // RNIC
}
