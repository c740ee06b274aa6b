package engine

import (
	"bytes"
	"fmt"
	"path"
	"runtime/debug"
	"strings"

	"github.com/activepebbles/pebbles/internal/watch/board"
)

// Site is the place of the program's that has made the running call, as "bfs.go:88"; "" where none is known.
func Site() string {
	site, _ := Located(debug.Stack())
	return site
}

// At begins a message with a site.
func At(site string) string {
	if site == "" {
		return ""
	}
	return site + ": "
}

// Located finds the innermost call of the program's in a stack, as "bfs.go:88", "" where there is none. The stack
// begins with that call: what Go and the runtime have called from there comes last.
func Located(stack []byte) (site string, ordered []byte) {
	title, rest, _ := bytes.Cut(stack, []byte("\n"))
	frames := framesOf(rest)
	for i, frame := range frames {
		if site := siteOf(frame); site != "" {
			ordered := fmt.Appendf(nil, "%s\n%s", title, strings.Join(frames[i:], ""))
			if i > 0 {
				ordered = fmt.Appendf(ordered, "which has called:\n%s", strings.Join(frames[:i], ""))
			}
			return site, ordered
		}
	}
	return "", stack
}

// framesOf are the calls of a stack: the line of the function, and the lines below it that are indented.
func framesOf(stack []byte) (frames []string) {
	for line := range strings.Lines(string(stack)) {
		if strings.HasPrefix(line, "\t") && len(frames) > 0 {
			frames[len(frames)-1] += line
		} else {
			frames = append(frames, line)
		}
	}
	return frames
}

// siteOf is the place of a call, "" unless it is the program's.
func siteOf(frame string) string {
	function, at, _ := strings.Cut(frame, "\n")
	at, _, _ = strings.Cut(strings.TrimSpace(at), " ")
	file, line, ok := strings.Cut(at, ".go:")
	from := strings.LastIndex(function, "/") + 1 // of the package's own name
	name, _, dotted := strings.Cut(function[from:], ".")
	pkg := function[:from] + name
	switch {
	case !ok || !dotted || board.Ours(function) || strings.HasPrefix(function, "created by "):
		return ""
	case path.Dir(file) == pkg, strings.HasSuffix(path.Dir(file), "/src/"+pkg): // Go's own
		return ""
	}
	return fmt.Sprintf("%s.go:%s", path.Base(file), line)
}
