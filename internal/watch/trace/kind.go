package trace

// Kind is what an event is. It decides on which of a rank's tracks the event is, and what its two numbers are.
type Kind uint8

// The kinds of events, and their numbers a and b. [None] stands for a number that an event does not have.
const (
	Epoch      Kind = iota // a: which call it is, b: pebbles handled in it
	Collective             // a: which call it is, b: bytes
	Handler                // a batch of pebbles is handled; a: pebbles, b: the rank they came from
	Task                   // a task runs; a: which
	Wait                   // a: times that the rank parked, b: the rank it waits for
	Access                 // one-sided, to exposed memory; a: bytes, b: the rank whose memory it is
	Lock                   // a: which, b: the rank that has it
	Flush                  // a buffer leaves; a: bytes, b: the rank it goes to
	Other                  // a: a value
	kinds
)

// None stands for a number that an event does not have.
const None = ^uint64(0)

// Name is the name of an event, as a number that the caller has interned; [Config.Names] turns it into text.
type Name uint32

// kindWords is how a kind is shown.
type kindWords struct {
	name, track string
	a, b        string // what the numbers are; "" where there is none
	frequent    bool
}

var words = [kinds]kindWords{
	Epoch:      {"epoch", "calls", "call", "pebbles", false},
	Collective: {"collective", "calls", "call", "bytes", false},
	Handler:    {"handler", "handlers", "pebbles", "from", true},
	Task:       {"task", "tasks", "task", "", true},
	Wait:       {"wait", "waits", "parks", "for", false},
	Access:     {"access", "accesses", "bytes", "of", true},
	Lock:       {"lock", "locks", "lock", "of", true},
	Flush:      {"flush", "flushes", "bytes", "to", true},
	Other:      {"other", "other", "value", "", false},
}

// String is the word for a kind.
func (k Kind) String() string { return words[k.known()].name }

// Frequent reports whether there may be millions of events of this kind in a second, so that callers ask
// [Rank.Sampled] before they tell of one, and that they are left out first when the file becomes full.
func (k Kind) Frequent() bool { return words[k.known()].frequent }

// known is the kind itself, or Other if it is none.
func (k Kind) known() Kind { return min(k, Other) }

// row is the kind on whose tracks this one is.
func (k Kind) row() Kind {
	if k == Collective {
		return Epoch // a rank is in one call at a time
	}
	return k
}
