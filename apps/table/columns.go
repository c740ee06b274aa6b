package table

import (
	"strconv"

	"github.com/activepebbles/pebbles/pebble"
)

// A Column is a column of rows and the types of its values.
type Column struct {
	Name string
	Met  met
}

// met is the set of types that a column's values have, one bit per type.
type met uint8

const (
	metNull met = 1 << iota
	metInt
	metNegative
	metUint
	metFloat
	metText
)

// CountColumn returns a column of a result with numbers from 0 on.
func CountColumn(name string) Column { return Column{name, metUint} }

// TextColumn returns a column of texts in a result.
func TextColumn(name string) Column { return Column{name, metText} }

// Numbers returns the column of numbers, which may be missing: of float64 values if it has met none.
func (c Column) Numbers() Column {
	if c.Met&^metNull == 0 {
		c.Met = metFloat
	}
	return c.Optional()
}

// Optional returns the column with possibly missing values.
func (c Column) Optional() Column {
	c.Met |= metNull
	return c
}

// With returns a column that also holds the values of another one.
func (c Column) With(other Column) Column {
	c.Met |= other.Met
	return c
}

// Meet adds a value's type.
func (c *Column) Meet(v Value) {
	switch v.Kind {
	case Null:
		c.Met |= metNull
	case Int:
		if c.Met |= metInt; int64(v.bits) < 0 {
			c.Met |= metNegative
		}
	case Uint:
		c.Met |= metUint
	case Float:
		c.Met |= metFloat
	case Text:
		c.Met |= metText
	}
}

// Agreed returns columns with the types that all ranks have met. It is collective.
func Agreed(r *pebble.Rank, columns []Column) ([]Column, error) {
	own := make([]met, len(columns))
	for i, c := range columns {
		own[i] = c.Met
	}
	all, err := pebble.AllGatherSlice(r, own)
	for _, other := range all {
		for i := range columns {
			columns[i].Met |= other[i]
		}
	}
	return columns, err
}

// kind returns the type that holds all values: Text if no other one does.
func (c Column) kind() Kind {
	switch m := c.Met &^ metNull; {
	case m == 0, m&metText != 0:
		return Text
	case m&metFloat != 0:
		return Float
	case m&metUint == 0:
		return Int
	case m&metNegative == 0:
		return Uint
	}
	return Text
}

// parse returns the value of a text.
func (c Column) parse(text string) Value {
	switch c.kind() {
	case Int:
		n, _ := strconv.ParseInt(text, 10, 64)
		return IntOf(n)
	case Uint:
		n, _ := strconv.ParseUint(text, 10, 64)
		return UintOf(n)
	case Float:
		x, _ := strconv.ParseFloat(text, 64)
		return FloatOf(x)
	}
	return TextOf(text)
}
