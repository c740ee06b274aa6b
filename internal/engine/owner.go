package engine

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// owner is the goroutine of a rank's function, in builds under -race or with the tag pebbles_check. They compare it at
// each call that takes a rank or a target; other builds have only mode.
//
// Go reveals a goroutine's number only in the text of its stack, which takes some 10 µs. So a call from the same 2 KiB
// of stack as a call that was compared passes without comparison. Stacks are aligned to their sizes, which are powers
// of two from 2 KiB on, so this block belongs to one goroutine until its stack moves. Epochs, collectives and
// registrations forget the blocks.
type owner struct {
	number atomic.Uint64 // 0 after the rank's function has returned
	blocks [4]atomic.Uintptr
}

const blockShift = 11

// begin makes this goroutine the rank's.
func (o *owner) begin() {
	if Checked {
		o.number.Store(goroutine())
	}
}

// end records that the rank's function has returned.
func (o *owner) end() {
	if Checked {
		o.forget()
		o.number.Store(0)
	}
}

func (o *owner) forget() {
	for i := range o.blocks {
		o.blocks[i].Store(0)
	}
}

// pass makes the goroutine with another number, a coroutine of the rank or its own again, the rank's. It returns the
// number before.
func (o *owner) pass(number uint64) (before uint64) {
	if Checked {
		before = o.number.Swap(number)
	}
	return before
}

// GoroutineNumber returns the number of this goroutine in builds that check it, and 0 in others.
func GoroutineNumber() uint64 {
	if Checked {
		return goroutine()
	}
	return 0
}

// owned ends the job unless this is the rank's goroutine, in builds that check it.
func (c *caller) owned(call string) {
	if !Checked {
		return
	}
	var here byte
	block := uintptr(unsafe.Pointer(&here)) >> blockShift
	known := &c.owner.blocks[block%uintptr(len(c.owner.blocks))]
	if known.Load() == block {
		return
	}
	switch number := c.owner.number.Load(); number {
	case 0:
		c.late(call)
	case goroutine():
		known.Store(block)
	default:
		c.intruded(fmt.Sprintf("pebble: %s: %s from another goroutine than that of the rank's function: "+
			"a rank and its targets are for that goroutine alone; make the call there, with the results of "+
			"others", c.self(), call))
	}
}

// ownedAnew is owned without the recorded blocks of stacks, for rare calls.
func (c *caller) ownedAnew(call string) {
	if Checked {
		c.owned(call)
		c.owner.forget()
	}
}

// goroutine returns the number of this goroutine.
func goroutine() (number uint64) {
	const head = "goroutine " // 18 [running]:
	var text [64]byte
	digits := text[len(head):runtime.Stack(text[:], false)]
	for _, d := range digits {
		if d < '0' || d > '9' {
			break
		}
		number = 10*number + uint64(d-'0')
	}
	if number == 0 {
		panic("pebble: this version of Go does not number goroutines in stacks: build without -race and -tags " +
			"pebbles_check")
	}
	return number
}
