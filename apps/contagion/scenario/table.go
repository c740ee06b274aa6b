package scenario

import "fmt"

// Table is what the columns of a population's file are.
type Table struct {
	Columns []Column
	Rows    int64 // 0 if it is not said
	Days    int   // of a schedule of visits; 0 if it is not said
	First   int   // day that a schedule begins on
}

// Column is a column of a file.
type Column struct {
	Name string
	Role Role
}

// Role is what a column is for.
type Role uint8

// The roles of columns. Of people and locations, Self is their id; of visits, it is the location's.
const (
	Ignored Role = iota
	Self
	Other // of visits, the person's id
	Arrival
	Duration
	Number
	Kind // true or false
)

// textTable is CSVDefinition of Loimos.
type textTable struct {
	Fields  []textField `text:"fields"`
	Rows    int64       `text:"num_rows"`
	Start   *textTime   `text:"start_time"`
	Days    *textTime   `text:"duration"`
	Load    string      `text:"load_column"`
	Offsets []int64     `text:"partition_offsets"`
}

type textField struct {
	Name          string        `text:"field_name"`
	UniqueID      *textNothing  `text:"unique_id"`
	ForeignID     *textNothing  `text:"foreign_id"`
	StartTime     *textNothing  `text:"start_time"`
	Duration      *textNothing  `text:"duration"`
	Bool          *textNothing  `text:"bool"`
	Int32         *textNothing  `text:"int32"`
	Int64         *textNothing  `text:"int64"`
	Uint32        *textNothing  `text:"uint32"`
	Uint64        *textNothing  `text:"uint64"`
	Double        *textNothing  `text:"double"`
	Ignore        *textNothing  `text:"ignore"`
	String        *textNothing  `text:"string"`
	Category      *textCategory `text:"category"`
	DefaultBool   bool          `text:"default_bool"`
	DefaultInt32  int32         `text:"default_int32"`
	DefaultInt64  int64         `text:"default_int64"`
	DefaultDouble float64       `text:"default_double"`
	DefaultString string        `text:"default_string"`
}

type textNothing struct{}

type textCategory struct {
	Values []int32 `text:"values"`
}

// ReadTable reads what the columns of a file are.
func ReadTable(text []byte) (*Table, error) {
	var t textTable
	if err := unmarshal(text, &t); err != nil {
		return nil, err
	}
	table := &Table{Rows: t.Rows}
	if t.Days != nil {
		table.Days = int(t.Days.seconds() / Day)
	}
	if t.Start != nil {
		table.First = int(t.Start.seconds() / Day)
	}
	if len(t.Fields) == 0 {
		return nil, fmt.Errorf("there are no fields: name the columns")
	}
	for _, f := range t.Fields {
		column := Column{Name: f.Name}
		for role, is := range map[Role]bool{
			Self: f.UniqueID != nil, Other: f.ForeignID != nil, Arrival: f.StartTime != nil,
			Duration: f.Duration != nil,
			Kind:     f.Bool != nil,
			Number:   f.Int32 != nil || f.Int64 != nil || f.Uint32 != nil || f.Uint64 != nil,
		} {
			if is {
				column.Role = role
			}
		}
		table.Columns = append(table.Columns, column)
	}
	return table, nil
}

// Find is the place of the column with a role; an error if there is none.
func (t *Table) Find(role Role, what string) (int, error) {
	for i, c := range t.Columns {
		if c.Role == role {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no field that is %s", what)
}

// Named is the place of the column with a name, whatever it is for; -1 if there is none.
func (t *Table) Named(name string) int {
	for i, c := range t.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}
