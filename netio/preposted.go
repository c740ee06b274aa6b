package netio

// Preposted is the memory that a process posts in advance for data from other processes. Each of them may send a window
// of bytes before it is granted more. The bytes arrive in slabs. This memory is the o × (n−1) buffers of TreadMarks
// over GM (2.2.2), where o is a window.
type Preposted struct {
	Provider  string `json:"provider"`
	Links     int    `json:"links"`      // other processes that may send: n−1
	Senders   int    `json:"senders"`    // those of them that send, whose windows grow
	Window    int64  `json:"window"`     // bytes that each may send initially
	WindowMax int64  `json:"window_max"` // and at most
	Slab      int64  `json:"slab"`       // bytes in a slab
	Room      int64  `json:"room"`       // bytes of a slab that are used before the next slab
	Ahead     int64  `json:"ahead"`      // slabs that are being emptied, or are about to be
	Send      int64  `json:"send"`       // initial bytes to send from
	Limit     int64  `json:"limit"`      // limit of pinned memory, in bytes
}

// Preposter is a [Transport] that posts memory in advance.
type Preposter interface {
	// Preposted returns the memory that the transport posts for the given senders. It reports false if it posts none.
	Preposted(senders map[int]bool) (Preposted, bool)
}

// Slabs returns the number of slabs if senders processes have the largest window, and the others the first one.
func (p *Preposted) Slabs(senders int) int64 {
	bytes := int64(senders)*p.WindowMax + int64(p.Links-senders)*p.Window
	return p.Ahead + (bytes+p.Room-1)/p.Room
}

// Bytes returns the pinned bytes: the initial bytes to send from, and the slabs for the given number of senders.
func (p *Preposted) Bytes(senders int) int64 { return p.Slabs(senders)*p.Slab + p.Send }
