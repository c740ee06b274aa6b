package board

import (
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// Site is a place in the program that has made a call, as a number in the table of the process.
type Site uint32

// stack holds the return addresses of a call's callers, innermost first.
type stack [cpu.CallersMost]uintptr

// table holds the sites of the process. A program has few: those of its calls of epochs and collectives, each with the
// calls above it. Calls beyond the limit have no site.
var table = interned[stack]{most: 16 << 10}

// places caches the texts of sites that were read.
var places sync.Map // of Site to string

// sites are the last sites that a rank has looked up, by hash of the sum of their addresses. Programs call in loops, so
// a rank first expects the site that has followed the last one before.
type sites struct {
	known [16]known
	last  *known
}

type known struct {
	stack stack
	site  Site
	next  *known // site of the next call, the last time
}

// caller returns the site of the current call. It costs about 10 ns where it follows as before, and 20 ns otherwise: it
// follows the frame pointers of the goroutine's stack and looks up the addresses. Only readers translate them to text.
func (s *sites) caller() Site {
	if s.last == nil {
		s.last = &s.known[0]
	}
	next := s.last.next
	if next == nil || !cpu.CalledBy((*[cpu.CallersMost]uintptr)(&next.stack)) {
		var at stack
		cpu.Callers((*[cpu.CallersMost]uintptr)(&at))
		next = s.find(at)
		s.last.next = next
	}
	s.last = next
	return next.site
}

func (s *sites) find(at stack) *known {
	sum := uintptr(0)
	for _, pc := range at {
		sum += pc
	}
	k := &s.known[sum*0x9e3779b1>>16%uintptr(len(s.known))]
	if k.stack != at {
		k.stack, k.site = at, Site(table.number(at))
	}
	return k
}

// inside is the prefix of packages whose functions do not belong to the program.
const inside = "github.com/activepebbles/pebbles/"

// outermost is the caller of a rank's function.
const outermost = ".(*job).runRank"

var insideToo = []string{"internal/", "pebble.", "target.", "task.", "delegate.", "memory.", "memory/", "container",
	"coalesce.", "distribution.", "reduce.", "route.", "netio", "ingest", "export"}

// Ours reports whether a function belongs to the runtime.
func Ours(function string) bool {
	name, ok := strings.CutPrefix(function, inside)
	if !ok || strings.Contains(name, "_test.") {
		return false
	}
	for _, p := range insideToo {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// String returns the file and line of the program's call, such as "bfs.go:88", or "" if they are unknown.
func (s Site) String() string {
	if known, ok := places.Load(s); ok {
		return known.(string)
	}
	at := table.of(uint32(s))
	text := at.place()
	places.Store(s, text)
	return text
}

// place returns the innermost call of the program.
func (at stack) place() string {
	n := 0
	for n < len(at) && at[n] != 0 {
		n++
	}
	frames := runtime.CallersFrames(at[:n])
	for {
		f, more := frames.Next()
		switch {
		case strings.HasSuffix(f.Function, outermost):
			return "" // a call of the runtime itself, at the end of a rank's function
		case f.Function != "" && !Ours(f.Function):
			return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}
