package population

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/apps/contagion/scenario"
)

// slot is how long a line of contacts stands for, in seconds, until its time.
const slot = 20

// contact is a line of a file of contacts.
type contact struct {
	until  int64
	a, b   int64
	groups string
}

// ReadContacts reads contacts face to face as SocioPatterns publishes them: lines of a time in seconds, two ids, and
// the groups that they belong to, such as classes, behind a line of names. Each line is a contact of the 20 seconds
// until its time. The location of a contact are the two groups, and its place belongs to the two persons alone, so
// that nobody else meets them there; lines of one contact that follow each other are one visit of each.
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
				return nil, fmt.Errorf("line %d: %q is no whole number", n, fields[i])
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

// meetings makes visits of contacts in the order of time.
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
