package trace

// Kind is the kind of an event. It selects the event's track within its rank, and the meaning of its two numbers.
type Kind uint8

// The kinds of events, with their numbers a and b. [None] stands for a missing number.
const (
	Epoch      Kind = iota // a: number of the call, b: pebbles handled in it
	Collective             // a: number of the call, b: bytes
	Handler                // handling of a batch of pebbles; a: pebbles, b: sending rank
	Task                   // a run of a task; a: its number
	Wait                   // a: number of parks, b: rank that it waits for
	Access                 // one-sided, to exposed memory; a: bytes, b: owning rank
	Lock                   // a: number of the lock, b: rank that has it
	Flush                  // departure of a buffer; a: bytes, b: receiving rank
	Other                  // a: a value
	kinds
)

// None stands for a missing number of an event.
const None = ^uint64(0)

// Name is the name of an event, as a number that the caller has interned. [Config.Names] returns its text.
type Name uint32

// kindWords are the texts for a kind.
type kindWords struct {
	name, track string
	a, b        string // meanings of the numbers; "" for none
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

// String returns the word for a kind.
func (k Kind) String() string { return words[k.known()].name }

// Frequent reports whether events of this kind may occur millions of times in a second. Callers then ask [Rank.Sampled]
// before they record one, and a file that becomes full leaves them out first.
func (k Kind) Frequent() bool { return words[k.known()].frequent }

// known returns the kind, or Other if it is invalid.
func (k Kind) known() Kind { return min(k, Other) }

// row returns the kind whose tracks this kind uses.
func (k Kind) row() Kind {
	if k == Collective {
		return Epoch // a rank is in one call at a time
	}
	return k
}
