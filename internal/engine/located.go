package engine

import (
	"bytes"
	"fmt"
	"path"
	"runtime/debug"
	"strings"

	"github.com/activepebbles/pebbles/internal/watch/board"
)

// Site returns the program's place that made the running call, as "bfs.go:88"; "" if unknown.
func Site() string {
	site, _ := Located(debug.Stack())
	return site
}

// At returns a site as the beginning of a message.
func At(site string) string {
	if site == "" {
		return ""
	}
	return site + ": "
}

// Located returns the program's innermost call in a stack, as "bfs.go:88"; "" if it has none. The ordered stack begins
// with that call; the calls that it made, of Go and the runtime, come last.
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

// framesOf returns the calls of a stack: the line of the function, and the indented lines below it.
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

// siteOf returns the place of a call; "" unless the program made it.
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
