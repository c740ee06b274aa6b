package handshake

import (
	"fmt"
	"strconv"
)

// Protocol is the version of the greeting and of the messages after it on a connection.
const Protocol = 5

// Identity is the set of properties that processes must share to understand each other's frames. Pebbles travel as they
// lie in memory, so builds that differ at all must not be mixed.
type Identity struct {
	Protocol  int
	Build     string // of the executable
	ByteOrder string // "little" or "big"
	Registry  string // the caller's own data that must be equal everywhere
}

// IdentityError is the difference between this process and a member of the job that has proven the secret.
type IdentityError struct {
	Process      int    // the other one
	Field        string // "protocol", "build", "byte order", "registry"
	Mine, Theirs string
}

func (e *IdentityError) Error() string {
	return fmt.Sprintf("compare %s: process %d has %q, this process has %q; run the same program everywhere",
		e.Field, e.Process, e.Theirs, e.Mine)
}

// compare requires two ends of the same role to have equal identities. A launcher and a process are different programs:
// they need only speak the same protocol.
func compare(mine, theirs Hello) error {
	a, b := mine.Identity, theirs.Identity
	fields := []struct{ name, mine, theirs string }{
		{"protocol", strconv.Itoa(a.Protocol), strconv.Itoa(b.Protocol)},
		{"byte order", a.ByteOrder, b.ByteOrder},
		{"build", a.Build, b.Build},
		{"registry", a.Registry, b.Registry},
	}
	if mine.Role != theirs.Role {
		fields = fields[:1]
	}
	for _, f := range fields {
		if f.mine != f.theirs {
			return &IdentityError{Process: theirs.Process, Field: f.name, Mine: f.mine, Theirs: f.theirs}
		}
	}
	return nil
}
