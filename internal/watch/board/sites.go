package board

import (
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// Site is a place in the program that has made a call, by number in the table of the process.
type Site uint32

// stack is the return addresses of a call's callers, the innermost first.
type stack [cpu.CallersMost]uintptr

// table has the sites of the process. A program has few: those of its calls of epochs and collectives, each with the
// calls above it. Where it calls from more, the others have no site.
var table = interned[stack]{most: 16 << 10}

// places are the words for sites that somebody has read.
var places sync.Map // of Site to string

// sites are those that a rank has asked for last, by hash of the sum of their addresses.
type sites [16]struct {
	stack stack
	site  Site
}

// caller is the site of the call that is running. It costs some 20 ns: the frame pointers of the goroutine's stack are
// followed, and what they say is looked up as it is; words are made of it when it is read.
func (s *sites) caller() Site {
	var at stack
	cpu.Callers((*[cpu.CallersMost]uintptr)(&at))
	sum := uintptr(0)
	for _, pc := range at {
		sum += pc
	}
	known := &s[sum*0x9e3779b1>>16%uintptr(len(s))]
	if known.stack != at {
		known.stack, known.site = at, Site(table.number(at))
	}
	return known.site
}

// inside are the packages whose functions are not the program's.
const inside = "github.com/activepebbles/pebbles/"

// outermost is the function that calls a rank's function.
const outermost = ".(*job).runRank"

var insideToo = []string{"internal/", "pebble.", "target.", "task.", "delegate.", "memory.", "memory/", "container",
	"coalesce.", "distribution.", "reduce.", "route.", "netio", "ingest", "export"}

// Ours reports whether a function is of the runtime that the program uses.
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

// String is the file and line of the program that has made the call, such as "bfs.go:88"; "" where that is not known.
func (s Site) String() string {
	if known, ok := places.Load(s); ok {
		return known.(string)
	}
	at := table.of(uint32(s))
	text := at.place()
	places.Store(s, text)
	return text
}

// place is the innermost call that is the program's.
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
			return "" // the runtime itself has called, at the end of a rank's function
		case f.Function != "" && !Ours(f.Function):
			return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}
