package population

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/apps/contagion/scenario"
)

// Read reads a population in the format of Loimos: people.csv, locations.csv and visits.csv, each with a textproto that
// describes its columns. prefix precedes these names, such as "small_city_". Times of visits are in seconds since the
// midnight before the first day; a visit over midnight is split there. days is the number of days after which the
// visits repeat; 0 means the number in visits.textproto, or all days with visits. Every process that needs the
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

// rows reads a file row by row. It calls columns once, to find them, and row with the texts of each row.
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

// named compares the first line of a file with the names in its textproto.
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

// index is the numbers of items by their ids.
type index map[int64]uint32

// add numbers one more item.
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

// locate records the position of the next location.
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
		all[i].Day %= uint32(s.days) // days beyond the last continue from the first
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

// slot is the length of the contact of a line, in seconds, until its time.
const slot = 20

// contact is a line of a file of contacts.
type contact struct {
	until  int64
	a, b   int64
	groups string
}

// ReadContacts reads face-to-face contacts as SocioPatterns publishes them. After a line of names, each line has a time
// in seconds, two ids, and the groups of both persons, such as classes. Each line is a contact of the 20 seconds until
// its time. The location of a contact is the pair of groups. Each pair of persons has its own place there, so that they
// meet no one else. Consecutive lines of one contact are one visit of each person.
func ReadContacts(r io.Reader, name string) (*Schedule, error) {
	all, err := contacts(r)
	if err != nil {
		return nil, fmt.Errorf("%s, %w", name, err)
	}
	s := &Schedule{name: name}
	groups := map[string]uint32{}
	for _, c := range all {
		s.people = append(s.people, c.a, c.b)
		s.days = max(s.days, int((c.until-1)/scenario.Day)+1)
		groups[c.groups] = 0
	}
	slices.Sort(s.people)
	s.people = slices.Compact(s.people)
	sorted := make([]string, 0, len(groups))
	for g := range groups {
		sorted = append(sorted, g)
	}
	slices.Sort(sorted)
	for i, g := range sorted {
		groups[g] = uint32(i)
	}
	s.locations = numbers(len(sorted))
	return s, s.plan(meetings(all, s.people, groups))
}

// contacts reads the lines.
func contacts(r io.Reader) (all []contact, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		fields := strings.FieldsFunc(lines.Text(), func(r rune) bool { return r == ',' || r == '\t' || r == ' ' })
		if n == 1 || len(fields) == 0 {
			continue
		}
		if len(fields) != 5 {
			return nil, fmt.Errorf("line %d: %d fields: give a time, two ids and two groups", n, len(fields))
		}
		var numbers [3]int64
		for i := range numbers {
			if numbers[i], err = strconv.ParseInt(fields[i], 10, 64); err != nil {
				return nil, fmt.Errorf("line %d: %q is not a whole number", n, fields[i])
			}
		}
		c := contact{numbers[0], min(numbers[1], numbers[2]), max(numbers[1], numbers[2]), min(fields[3], fields[4]) +
			" " + max(fields[3], fields[4])}
		if c.until < slot || c.until > 1<<31 || c.a == c.b {
			return nil, fmt.Errorf("line %d: a contact of %d and %d at second %d: give two persons and a time of %d or more",
				n, c.a, c.b, c.until, slot)
		}
		all = append(all, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("after line %d: %w", len(all), err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("line 1: there are no contacts")
	}
	slices.SortStableFunc(all, func(a, b contact) int { return int(a.until - b.until) })
	return all, nil
}

// meetings makes visits from contacts in the order of time.
func meetings(all []contact, people []int64, groups map[string]uint32) (visits []Planned) {
	type pair struct{ a, b int64 }
	places, last := map[pair]uint32{}, map[pair]int{}
	for _, c := range all {
		p := pair{c.a, c.b}
		place, met := places[p]
		if !met {
			place = uint32(len(places))
			places[p] = place
		}
		day := (c.until - slot) / scenario.Day
		from, to := int32(c.until-slot-day*scenario.Day), int32(min(c.until-day*scenario.Day, scenario.Day))
		if before := last[p]; met && visits[before].Depart == from && int64(visits[before].Day) == day {
			visits[before].Depart, visits[before+1].Depart = to, to
			continue
		}
		last[p] = len(visits)
		for _, id := range []int64{c.a, c.b} {
			person, _ := slices.BinarySearch(people, id)
			visits = append(visits, Planned{uint32(person), uint32(day), Visit{groups[c.groups], place, from, to}})
		}
	}
	return visits
}
