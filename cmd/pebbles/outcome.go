package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/activepebbles/pebbles/apps"
)

// outcome is an application's result, in both forms in which it is printed.
type outcome struct {
	report apps.Report
	whole  any         // for JSON
	rows   [][2]string // for people: the application's own rows
}

// print writes the result: one JSON object on one line, or a table.
func (o outcome) print(w io.Writer, s *settings) error {
	if s.JSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(o.whole)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range o.table(s) {
		fmt.Fprintf(t, "%s\t%s\n", row[0], row[1])
	}
	return t.Flush()
}
