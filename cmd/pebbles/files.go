package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// formatOf is the type of a file, by its name.
func formatOf(file string) string { return strings.TrimPrefix(filepath.Ext(file), ".") }

// create writes a file.
func create(file string, write func(w io.Writer) error) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
