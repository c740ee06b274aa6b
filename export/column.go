package export

import (
	"errors"
	"fmt"
)

// A Column is some rows of a column of a table.
type Column struct {
	Name string
	// Values has one element per row. It is a []int64, []uint64, []float64 or []string.
	Values any
	// Null marks the rows without a value, with one element per row. It is nil if the column has a value in all rows of
	// all ranks.
	Null []bool
}

// Len returns the number of rows, or -1 if Values has another type.
func (c Column) Len() int {
	switch v := c.Values.(type) {
	case []int64:
		return len(v)
	case []uint64:
		return len(v)
	case []float64:
		return len(v)
	case []string:
		return len(v)
	}
	return -1
}

// Slice returns the rows from one index to before another. They share the column's memory.
func (c Column) Slice(from, to int) Column {
	switch v := c.Values.(type) {
	case []int64:
		c.Values = v[from:to]
	case []uint64:
		c.Values = v[from:to]
	case []float64:
		c.Values = v[from:to]
	case []string:
		c.Values = v[from:to]
	}
	if c.Null != nil {
		c.Null = c.Null[from:to]
	}
	return c
}

// like returns an error if a column differs from that of an earlier batch in more than its rows.
func (c Column) like(before Column) error {
	is, was := fmt.Sprintf("%T", c.Values), fmt.Sprintf("%T", before.Values)
	switch {
	case c.Name != before.Name:
		return fmt.Errorf("column %q was %q in the batch before", c.Name, before.Name)
	case is != was:
		return fmt.Errorf("column %q has %s, and had %s in the batch before", c.Name, is, was)
	case (c.Null == nil) != (before.Null == nil):
		return fmt.Errorf("column %q has Null in some batches only: set it in all of them", c.Name)
	}
	return nil
}

// rowsOf returns the number of rows of a batch, and an error if its columns differ in it.
func rowsOf(batch []Column) (rows int, err error) {
	if len(batch) == 0 {
		return 0, errors.New("a batch has no column")
	}
	for i, c := range batch {
		n := c.Len()
		if i == 0 {
			rows = n
		}
		switch {
		case n < 0:
			return 0, fmt.Errorf("column %q is a %T: give a []int64, []uint64, []float64 or []string", c.Name, c.Values)
		case n != rows || c.Null != nil && len(c.Null) != rows:
			return 0, fmt.Errorf("column %q has %d values and %d marks, the first column has %d rows", c.Name, n,
				len(c.Null), rows)
		}
	}
	return rows, nil
}

// cells is a column of a batch for loops over rows. One of its slices holds the values.
type cells struct {
	ints   []int64
	uints  []uint64
	floats []float64
	texts  []string
	null   []bool
}

// cellsOf returns the columns of a batch. It may reuse dst.
func cellsOf(dst []cells, batch []Column) []cells {
	dst = dst[:0]
	for _, c := range batch {
		of := cells{null: c.Null}
		switch v := c.Values.(type) {
		case []int64:
			of.ints = v
		case []uint64:
			of.uints = v
		case []float64:
			of.floats = v
		case []string:
			of.texts = v
		}
		dst = append(dst, of)
	}
	return dst
}

// isNull reports whether a row has no value.
func (c *cells) isNull(row int) bool { return c.null != nil && c.null[row] }

func slicesOf(batch []Column, from, to int) (some []Column) {
	for _, c := range batch {
		some = append(some, c.Slice(from, to))
	}
	return some
}

// append appends rows of a column of the same type. The column must own its memory.
func (c *Column) append(o Column) {
	switch v := c.Values.(type) {
	case []int64:
		c.Values = append(v, o.Values.([]int64)...)
	case []uint64:
		c.Values = append(v, o.Values.([]uint64)...)
	case []float64:
		c.Values = append(v, o.Values.([]float64)...)
	case []string:
		c.Values = append(v, o.Values.([]string)...)
	}
	c.Null = append(c.Null, o.Null...)
}

// emptied returns columns like those of a batch, without rows. They own their memory, and may reuse that of dst.
func emptied(dst, batch []Column) []Column {
	dst = dst[:0]
	for _, c := range batch {
		o := Column{Name: c.Name}
		switch c.Values.(type) {
		case []int64:
			o.Values = []int64{}
		case []uint64:
			o.Values = []uint64{}
		case []float64:
			o.Values = []float64{}
		case []string:
			o.Values = []string{}
		}
		if c.Null != nil {
			o.Null = []bool{}
		}
		dst = append(dst, o)
	}
	return dst
}
