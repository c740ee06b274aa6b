package contagion

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/export"
)

// CheckFile returns an error if the extension of a file's name is not a format of WriteCurve and WriteInfections.
func CheckFile(name string) error {
	if filepath.Ext(name) == asArray {
		return nil
	}
	return apps.Output{Path: name}.Check()
}

// asArray is the extension of a file with an array of objects.
const asArray = ".json"

// WriteCurve writes a curve to a file. The extension of name is .json, for an array of objects, or one of
// export.CreateTable. As .csv it equals the output of Loimos.
func WriteCurve(w io.Writer, name string, curve []Row) error {
	days, totals, changes := make([]int64, len(curve)), make([]int64, len(curve)), make([]int64, len(curve))
	states := make([]string, len(curve))
	for i, r := range curve {
		days[i], states[i], totals[i], changes[i] = int64(r.Day), r.State, r.Total, r.Change
	}
	return write(w, name, curve, export.Column{Name: "day", Values: days}, export.Column{Name: "state", Values: states},
		export.Column{Name: "total_in_state", Values: totals}, export.Column{Name: "change_in_state", Values: changes})
}

// WriteInfections writes the transmission tree (infected person, source, location, time), in the formats of WriteCurve.
func WriteInfections(w io.Writer, name string, all []Infection) error {
	columns := make([]export.Column, 5)
	for i, of := range []func(i Infection) int64{
		func(i Infection) int64 { return int64(i.Day) },
		func(i Infection) int64 { return i.Person },
		func(i Infection) int64 { return i.By },
		func(i Infection) int64 { return i.Location },
		func(i Infection) int64 { return int64(i.Start) },
	} {
		values := make([]int64, len(all))
		for j, one := range all {
			values[j] = of(one)
		}
		columns[i] = export.Column{Name: []string{"day", "person", "by", "location", "start"}[i], Values: values}
	}
	return write(w, name, all, columns...)
}

func write[R any](w io.Writer, name string, rows []R, columns ...export.Column) error {
	err := error(nil)
	if filepath.Ext(name) == asArray {
		if rows == nil {
			rows = []R{}
		}
		err = json.NewEncoder(w).Encode(rows)
	} else {
		err = apps.WriteTable(w, name, columns...)
	}
	if err != nil {
		return fmt.Errorf("contagion: write %s: %w", name, err)
	}
	return nil
}
