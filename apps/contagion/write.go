package contagion

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/linkedin/goavro/v2"
)

// Formats are the forms of files that curves and infections are written in: text with commas, an array of objects,
// and an object container file of records.
var Formats = []string{"csv", "json", "avro"}

// WriteCurve writes a curve. As csv it is what Loimos writes.
func WriteCurve(w io.Writer, format string, curve []Row) error {
	return write(w, format, curve, curveSheet, func(r Row) []any {
		return []any{r.Day, r.State, r.Total, r.Change}
	})
}

// WriteInfections writes who was infected by whom, where and when.
func WriteInfections(w io.Writer, format string, all []Infection) error {
	return write(w, format, all, infectionSheet,
		func(i Infection) []any {
			return []any{i.Day, i.Person, i.By, i.Location, i.Start}
		})
}

// sheet is the name of a table, and those of its columns.
type sheet struct {
	name    string
	columns []string
}

var (
	curveSheet     = sheet{"epidemic_curve", []string{"day", "state", "total_in_state", "change_in_state"}}
	infectionSheet = sheet{"infections", []string{"day", "person", "by", "location", "start"}}
)

func write[R any](w io.Writer, format string, rows []R, of sheet, cells func(r R) []any) (err error) {
	switch format {
	case "csv":
		c := csv.NewWriter(w)
		err = c.Write(of.columns)
		for _, r := range rows {
			texts := make([]string, len(of.columns))
			for i, cell := range cells(r) {
				texts[i] = fmt.Sprint(cell)
			}
			if err == nil {
				err = c.Write(texts)
			}
		}
		c.Flush()
		if err == nil {
			err = c.Error()
		}
	case "json":
		if rows == nil {
			rows = []R{}
		}
		err = json.NewEncoder(w).Encode(rows)
	case "avro":
		err = writeAvro(w, rows, of, cells)
	default:
		return fmt.Errorf("contagion: no format %q: use one of %s", format, strings.Join(Formats, ", "))
	}
	if err != nil {
		return fmt.Errorf("contagion: write %s as %s: %w", of.name, format, err)
	}
	return nil
}

// blockRows is how many records a block of a container file has.
const blockRows = 4096

func writeAvro[R any](w io.Writer, rows []R, of sheet, cells func(r R) []any) error {
	var zero R
	var fields []string
	for i, cell := range cells(zero) {
		kind := "long"
		if _, isText := cell.(string); isText {
			kind = "string"
		}
		fields = append(fields, fmt.Sprintf(`{"name":%q,"type":%q}`, of.columns[i], kind))
	}
	file, err := goavro.NewOCFWriter(goavro.OCFConfig{
		W: w, Schema: fmt.Sprintf(`{"type":"record","name":%q,"fields":[%s]}`, of.name, strings.Join(fields, ",")),
	})
	if err != nil {
		return err
	}
	for block := range slices.Chunk(rows, blockRows) {
		records := make([]any, len(block))
		for i, r := range block {
			record := map[string]any{}
			for j, cell := range cells(r) {
				record[of.columns[j]] = cell
			}
			records[i] = record
		}
		if err := file.Append(records); err != nil {
			return err
		}
	}
	return nil
}
