package source

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"strings"
)

// Lines is the number of lines of a Go file that are neither blank nor a comment. A file that is not as gofmt writes it is
// an error.
func Lines(file string) (int, error) {
	text, err := read(file)
	return count(text), err
}

// Body is Lines without the package clause and the imports.
func Body(file string) (int, error) {
	text, err := read(file)
	if err != nil {
		return 0, err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ImportsOnly)
	if err != nil {
		return 0, fmt.Errorf("count lines: %w", err)
	}
	end := parsed.Name.End()
	if n := len(parsed.Decls); n > 0 {
		end = parsed.Decls[n-1].End()
	}
	return count(text[set.Position(end).Offset:]), nil
}

func read(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("count lines: %w", err)
	}
	formatted, err := format.Source(text)
	if err == nil && !bytes.Equal(formatted, text) {
		err = errors.New("it is not as gofmt writes it")
	}
	if err != nil {
		return nil, fmt.Errorf("count lines of %s: %w", file, err)
	}
	return text, nil
}

func count(text []byte) (n int) {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n
}
