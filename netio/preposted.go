package netio

// Preposted is the memory that a process posts ahead for data from other processes. Each of them may send a window of
// bytes before it is granted more, and the bytes arrive in slabs. It is the o × (n−1) buffers of TreadMarks over GM
// (2.2.2), where o is a window.
type Preposted struct {
	Provider  string `json:"provider"`
	Links     int    `json:"links"`      // other processes that may send: n−1
	Senders   int    `json:"senders"`    // those that do send, whose windows grow
	Window    int64  `json:"window"`     // bytes that each may send at first
	WindowMax int64  `json:"window_max"` // and at most
	Slab      int64  `json:"slab"`       // bytes of a slab
	Room      int64  `json:"room"`       // bytes of a slab that are used before the next one is taken
	Ahead     int64  `json:"ahead"`      // slabs that are being emptied, or about to be
	Send      int64  `json:"send"`       // bytes to send from at first
	Limit     int64  `json:"limit"`      // most bytes of pinned memory
}

// Preposter is a [Transport] that posts memory ahead.
type Preposter interface {
	// Preposted returns the memory that the transport posts if these processes send to this one. It reports false if it
	// posts none.
	Preposted(senders map[int]bool) (Preposted, bool)
}

// Slabs returns the number of slabs if senders of the other processes have the largest window, and the rest the first
// one.
func (p *Preposted) Slabs(senders int) int64 {
	bytes := int64(senders)*p.WindowMax + int64(p.Links-senders)*p.Window
	return p.Ahead + (bytes+p.Room-1)/p.Room
}

// Bytes returns the bytes that are pinned to send from at first, and for the slabs of that many senders.
func (p *Preposted) Bytes(senders int) int64 { return p.Slabs(senders)*p.Slab + p.Send }
