//go:build !race

package exposed

import (
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// The guarantee that memory in use is not allocated again depends on the order of two steps on each side. A user sets
// its mark, then checks the key. A withdrawal invalidates the key, then checks marks. Inaccessible memory stops each
// side at its second step, when the first must have been done. (The race detector can't be stopped in this way.)

// usersOfAPage is the number of users whose marks fill the first page of a segment: entries begin with the next one.
const usersOfAPage = pageBytes / markBytes

// stopped stops f where it touches a page, and then calls look.
func stopped(t *testing.T, at unsafe.Pointer, f, look func()) {
	t.Helper()
	page := unsafe.Slice((*byte)(at), pageBytes)
	if syscall.Getpagesize() != pageBytes {
		t.Skip("pages are larger than the marks")
	}
	require.NoError(t, syscall.Mprotect(page, syscall.PROT_NONE))
	faulted := func() (yes bool) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() { yes = recover() != nil }()
		f()
		return false
	}()
	require.NoError(t, syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_WRITE))
	require.True(t, faulted, "it has not come there")
	look()
}

// A user has set its mark before it checks the key.
func TestMarksComeBeforeLooks(t *testing.T) {
	own := reserve(t, 4, 2*hugeBytes, usersOfAPage, EntriesMax)
	key, _ := expose(t, NewOwner(own), WordBytes)
	u := own.User(usersOfAPage - 1)
	stopped(t, unsafe.Pointer(&own.entries[0]),
		func() { u.Put(own, Place{key, 0}, make([]byte, WordBytes)) },
		func() { require.Equal(t, own.here(uint32(key)), u.mark.at.Load(), "the mark of who looks at the key") })
}

// A withdrawal has invalidated the key before it checks marks.
func TestKeysAreBadBeforeMarksAreLookedAt(t *testing.T) {
	own := reserve(t, 4, 2*hugeBytes, usersOfAPage, EntriesMax)
	o := NewOwner(own)
	key, _ := expose(t, o, WordBytes)
	stopped(t, unsafe.Pointer(&own.users[0]),
		func() { o.Withdraw(key, nil) },
		func() { require.Zero(t, own.entries[uint32(key)].key.Load(), "the key while marks are looked at") })
}
