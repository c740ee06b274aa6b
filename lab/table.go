package lab

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table is a table of words.
type Table struct{ rows [][]string }

// NewTable returns a table with the given columns.
func NewTable(columns ...string) *Table { return &Table{[][]string{columns}} }

// Row adds a row. [Digits] formats its numbers.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		if v, ok := c.(float64); ok {
			row[i] = Digits(v)
		} else {
			row[i] = fmt.Sprint(c)
		}
	}
	t.rows = append(t.rows, row)
}

// Text writes the table for a terminal.
func (t *Table) Text(w io.Writer) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range t.rows {
		fmt.Fprintln(columns, strings.Join(row, "\t"))
	}
	return columns.Flush()
}

// String returns the table in Markdown.
func (t *Table) String() string {
	var b strings.Builder
	for i, row := range t.rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}
