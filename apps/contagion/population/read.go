package population

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"

	"github.com/activepebbles/pebbles/apps/contagion/scenario"
)

// Read reads a population as Loimos keeps it: people.csv, locations.csv and visits.csv, each with a textproto beside
// it that says what its columns are. prefix stands before these names, such as "small_city_". Times of visits are in
// seconds since the midnight before the first day; a visit over midnight is split there. days is after how many days
// the visits begin anew; 0 is as many as visits.textproto says, or all that there are. Every process that needs the
// population reads all of it.
func Read(files fs.FS, prefix string, days int) (*Schedule, error) {
	s := &Schedule{name: prefix, kinds: map[string][]bool{}}
	r := reader{files: files, prefix: prefix}
	people, err := r.people(s)
	if err != nil {
		return nil, err
	}
	locations, err := r.locations(s)
	if err != nil {
		return nil, err
	}
	visits, err := r.visits(s, people, locations, days)
	if err != nil {
		return nil, err
	}
	return s, s.plan(visits)
}

// reader reads the three files.
type reader struct {
	files  fs.FS
	prefix string
}

// rows reads a file row by row. columns are asked once, for where they are; row is called with the texts of a row.
func (r reader) rows(name string, columns func(t *scenario.Table) error,
	row func(texts []string) error) (*scenario.Table, error) {
	text, err := fs.ReadFile(r.files, r.prefix+name+".textproto")
	if err != nil {
		return nil, err
	}
	table, err := scenario.ReadTable(text)
	if err == nil {
		err = columns(table)
	}
	if err != nil {
		return nil, fmt.Errorf("%s%s.textproto: %w", r.prefix, name, err)
	}
	f, err := r.files.Open(r.prefix + name + ".csv")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := csv.NewReader(f)
	c.ReuseRecord, c.FieldsPerRecord = true, len(table.Columns)
	n := int64(-1) // the first line has the names
	for ; ; n++ {
		texts, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && n < 0 {
			err = named(table, texts)
		} else if err == nil {
			err = row(texts)
		}
		if err != nil {
			line := 0
			if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
				line, err = parse.Line, parse.Err
			} else {
				line, _ = c.FieldPos(0)
			}
			return nil, fmt.Errorf("%s%s.csv, line %d: %w", r.prefix, name, line, err)
		}
	}
	if table.Rows > 0 && n != table.Rows {
		return nil, fmt.Errorf("%s%s.csv: there are %d rows, and its textproto says %d", r.prefix, name, max(n, 0),
			table.Rows)
	}
	return table, nil
}

// named compares the first line of a file with the names that its textproto has.
func named(t *scenario.Table, texts []string) error {
	for i, c := range t.Columns {
		if texts[i] != c.Name {
			return fmt.Errorf("column %d is called %q, and the textproto calls it %q", i+1, texts[i], c.Name)
		}
	}
	return nil
}

// whole reads a whole number of a row.
func whole(texts []string, at int, what string) (int64, error) {
	n, err := strconv.ParseInt(texts[at], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is %q: give a whole number", what, texts[at])
	}
	return n, nil
}

// index is the numbers of things by their ids.
type index map[int64]uint32

// add numbers one more.
func (x index) add(ids *[]int64, id int64, what string) error {
	if _, known := x[id]; known {
		return fmt.Errorf("%s %d is there twice", what, id)
	}
	if len(*ids) >= most {
		return fmt.Errorf("there are more than %d of %s", uint64(most), what)
	}
	x[id] = uint32(len(*ids))
	*ids = append(*ids, id)
	return nil
}

func (r reader) people(s *Schedule) (index, error) {
	self, age := 0, -1
	of := index{}
	_, err := r.rows("people", func(t *scenario.Table) (err error) {
		if age = t.Named("age"); age >= 0 && t.Columns[age].Role == scenario.Ignored {
			age = -1
		}
		self, err = t.Find(scenario.Self, "unique_id, the person")
		return err
	}, func(texts []string) error {
		id, err := whole(texts, self, "the person")
		if err == nil {
			err = of.add(&s.people, id, "person")
		}
		if err != nil || age < 0 {
			return err
		}
		years, err := whole(texts, age, "the age")
		if years < 0 || years > math.MaxInt16 {
			return fmt.Errorf("an age of %d years", years)
		}
		s.ages = append(s.ages, int16(years))
		return err
	})
	return of, err
}

func (r reader) locations(s *Schedule) (index, error) {
	self, crowd, x, y := 0, -1, -1, -1
	kinds := map[string]int{}
	of := index{}
	_, err := r.rows("locations", func(t *scenario.Table) (err error) {
		crowd, x, y = t.Named("max_simultaneous_visits"), t.Named("longitude"), t.Named("latitude")
		for i, c := range t.Columns {
			if c.Role == scenario.Kind {
				kinds[c.Name] = i
			}
		}
		self, err = t.Find(scenario.Self, "unique_id, the location")
		return err
	}, func(texts []string) error {
		id, err := whole(texts, self, "the location")
		if err == nil {
			err = of.add(&s.locations, id, "location")
		}
		if err == nil && crowd >= 0 {
			n, wrong := whole(texts, crowd, "max_simultaneous_visits")
			if n < 0 || n > math.MaxInt32 {
				return fmt.Errorf("max_simultaneous_visits is %d", n)
			}
			s.crowds, err = append(s.crowds, uint32(n)), wrong
		}
		for kind, at := range kinds {
			s.kinds[kind] = append(s.kinds[kind], texts[at] != "" && texts[at] != "0" && texts[at] != "false")
		}
		if err != nil || x < 0 || y < 0 {
			return err
		}
		return s.locate(texts[x], texts[y])
	})
	return of, err
}

// locate notes the place of the next location.
func (s *Schedule) locate(x, y string) error {
	at := [2]float64{}
	for i, text := range []string{x, y} {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("a longitude or latitude is %q: give a number", text)
		}
		at[i] = v
	}
	s.x, s.y = append(s.x, at[0]), append(s.y, at[1])
	return nil
}

func (r reader) visits(s *Schedule, people, locations index, days int) (all []Planned, err error) {
	var self, other, arrive, last int
	how := -1
	first := int64(0)
	t, err := r.rows("visits", func(t *scenario.Table) (err error) {
		first = int64(t.First) * scenario.Day
		for _, x := range []struct {
			at   *int
			role scenario.Role
			what string
		}{
			{&self, scenario.Self, "unique_id, the location"}, {&other, scenario.Other, "foreign_id, the person"},
			{&arrive, scenario.Arrival, "start_time"}, {&how, scenario.Duration, "duration"},
		} {
			if *x.at, err = t.Find(x.role, x.what); err != nil {
				return err
			}
		}
		return nil
	}, func(texts []string) error {
		v, err := wholes(texts, self, other, arrive, how)
		if err != nil {
			return err
		}
		location, known := locations[v[0]]
		if !known {
			return fmt.Errorf("a visit to location %d, which is not in %slocations.csv", v[0], r.prefix)
		}
		person, known := people[v[1]]
		if !known {
			return fmt.Errorf("a visit by person %d, who is not in %speople.csv", v[1], r.prefix)
		}
		from, seconds := v[2]-first, v[3]
		if seconds < 0 {
			return fmt.Errorf("a visit ends %d seconds before it begins", -seconds)
		}
		if from < 0 || from+seconds > math.MaxInt32 {
			return fmt.Errorf("a visit begins at second %d: give times since the first day's midnight", v[2])
		}
		for to := from + seconds; from < to; { // split at midnight
			day := from / scenario.Day
			end := min(to, (day+1)*scenario.Day)
			last = max(last, int(day))
			all = append(all, Planned{person, uint32(day), Visit{
				Location: location, Arrive: int32(from - day*scenario.Day), Depart: int32(end - day*scenario.Day),
			}})
			from = end
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.days = days; s.days == 0 {
		if s.days = t.Days; s.days == 0 {
			s.days = last + 1
		}
	}
	for i := range all {
		all[i].Day %= uint32(s.days) // what goes on beyond the last day, on the first
	}
	return all, nil
}

// wholes reads the four numbers of a visit.
func wholes(texts []string, self, other, arrive, how int) (v [4]int64, err error) {
	for i, x := range []struct {
		at   int
		what string
	}{{self, "the location"}, {other, "the person"}, {arrive, "the start"}, {how, "the duration"}} {
		if v[i], err = whole(texts, x.at, x.what); err != nil {
			return v, err
		}
	}
	return v, nil
}
