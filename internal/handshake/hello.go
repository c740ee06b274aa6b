package handshake

import (
	"encoding/json"
	"fmt"
)

// These are the roles of an end of a connection.
const (
	RolePeer     = "peer"     // a process of the job, to another one
	RoleLauncher = "launcher" // the starter of the job
	RoleProcess  = "process"  // a process of the job, to the launcher
	RoleChild    = "child"    // a process of the job, to its parent in the tree of joins, and the parent to it
)

// Hello is the message that two ends exchange after both have proven the job's secret.
type Hello struct {
	Role      string // one of those above
	Job       string // the job's id
	Process   int
	Processes int
	Ranks     int
	Lane      uint8  // of a peer: 0 for control, 1 for data, 2 for shared memory
	Connect   string // of a peer: when processes connect
	Crossed   bool   // of the end that accepted: it keeps another connection
	Encrypted bool   // messages after the proofs of the secret travel over TLS
	Identity  Identity
	Offers    map[string]Offer // of a peer, by the names of faster ways than TCP
}

// Offer is the address of a process over a faster transport.
type Offer struct {
	Place   string // equal for all processes that the transport may link
	Address string // address that the others link to
}

// helloBytesMax bounds a Hello on the wire.
const helloBytesMax = 4 << 10

func (h Hello) encode() ([]byte, error) {
	b, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encode hello: %w", err)
	}
	if len(b) > helloBytesMax {
		return nil, fmt.Errorf("encode hello: %d bytes, the most is %d; use a shorter job id or build", len(b), helloBytesMax)
	}
	return b, nil
}

func decodeHello(b []byte) (Hello, error) {
	var h Hello
	if err := json.Unmarshal(b, &h); err != nil {
		return Hello{}, fmt.Errorf("decode hello: %w", err)
	}
	return h, nil
}
