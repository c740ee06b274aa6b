// Command slowed writes a file for go build -overlay that adds extra work to the hot path, to test that
// the gate refuses slower builds:
//
//	go run ./lab/slowed -out DIR
//	go build -overlay DIR/overlay.json ./cmd/pebbles
//
// Each turn of each loop in the packages that a pebble passes on its way does some work more. Nothing else changes: the
// slowed program computes the same results as the plain one.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// packages are those on the way of a pebble.
var packages = []string{"coalesce", "target"}

func main() {
	out := flag.String("out", "", "folder for the overlay")
	work := flag.Int("work", 30, "steps of extra work in each turn of a loop, less than a nanosecond each")
	flag.Parse()
	loops, err := overlay(".", *out, *work)
	if err != nil {
		fmt.Fprintln(os.Stderr, "slowed:", err)
		os.Exit(1)
	}
	fmt.Printf("%d loops of %s are slowed in %s\n", loops, strings.Join(packages, " and "),
		filepath.Join(*out, "overlay.json"))
}

// overlay writes slowed copies of the packages of the module in root, and overlay.json, which names them to Go.
func overlay(root, out string, work int) (loops int, err error) {
	if out == "" {
		return 0, errors.New("name a folder with -out")
	}
	if out, err = filepath.Abs(out); err != nil {
		return 0, err
	}
	replace := map[string]string{}
	for _, name := range packages {
		n, err := slowPackage(root, name, out, work, replace)
		if err != nil {
			return 0, err
		}
		loops += n
	}
	if loops == 0 {
		return 0, fmt.Errorf("there is no loop in %s: run this from the module's folder",
			strings.Join(packages, " and "))
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return 0, err
	}
	return loops, os.WriteFile(filepath.Join(out, "overlay.json"), text, 0o644)
}

// slowPackage writes slowed copies of a package's files, and one that holds the work.
func slowPackage(root, name, out string, work int, replace map[string]string) (loops int, err error) {
	files, err := filepath.Glob(filepath.Join(root, name, "*.go"))
	if err != nil {
		return 0, err
	}
	write := func(file, text string) error {
		path, err := filepath.Abs(filepath.Join(root, name, file))
		if err != nil {
			return err
		}
		replace[path] = filepath.Join(out, name, file)
		return os.WriteFile(replace[path], []byte(text), 0o644)
	}
	if err := os.MkdirAll(filepath.Join(out, name), 0o755); err != nil {
		return 0, err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		slowed, n, err := slow(string(source))
		if err != nil {
			return 0, err
		}
		if loops += n; n > 0 {
			if err := write(filepath.Base(file), slowed); err != nil {
				return 0, err
			}
		}
	}
	return loops, write("slowed.go", fmt.Sprintf(extra, name, work))
}

// extra is a function that no compiler removes.
const extra = `package %s

//go:noinline
func slowed(n uint64) uint64 {
	for range %d {
		n = n*6364136223846793005 + 1
	}
	return n
}
`

// slow puts the work at the start of each loop's body.
func slow(source string) (slowed string, loops int, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return "", 0, err
	}
	var at []int
	ast.Inspect(file, func(n ast.Node) bool {
		switch loop := n.(type) {
		case *ast.ForStmt:
			at = append(at, files.Position(loop.Body.Lbrace).Offset+1)
		case *ast.RangeStmt:
			at = append(at, files.Position(loop.Body.Lbrace).Offset+1)
		}
		return true
	})
	slices.Sort(at)
	for _, offset := range slices.Backward(at) {
		source = source[:offset] + " slowed(1);" + source[offset:]
	}
	return source, len(at), nil
}
