package ofi

import (
	"os"
	"path/filepath"
	"strings"
)

// ordered is a fabric over a provider whose gets may end after later sends to the same endpoint. libfabric's verbs
// attributes completions to its oldest operations, so a late one corrupts its list of them, and it crashes soon. So
// ordered sends nothing to an endpoint while gets from it are open, and begins no get while a send waits. Neither waits
// for the other without end.
type ordered struct {
	fabric
	peers []order
	from  [callsMax]uint64 // endpoint of a get, by its tag, plus 1; 0 is no get
}

// order is the order of the operations on one endpoint.
type order struct {
	gets int  // open gets
	held bool // an operation waits for them to end
}

func (o *ordered) Link(address []byte) (uint64, error) {
	peer, err := o.fabric.Link(address)
	for err == nil && uint64(len(o.peers)) <= peer {
		o.peers = append(o.peers, order{})
	}
	return peer, err
}

// waits reports whether an operation other than a get has to wait.
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

// isIWARP reports whether a verbs device is an iWARP adapter. root is the root of the file system. An iWARP put ends
// when it has left, and its data is placed as it arrives over TCP. Soft-iWARP also ends gets late.
func isIWARP(root, device string) bool {
	kind, _ := os.ReadFile(filepath.Join(root, "sys/class/infiniband", device, "node_type"))
	return strings.HasPrefix(string(kind), "4:") // RNIC
}
