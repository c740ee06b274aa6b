package population

import (
	"compress/gzip"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/contagion/scenario"
	"github.com/activepebbles/pebbles/internal/seeds"
)

// requireSound requires the promises of Population, for some persons.
func requireSound(t *testing.T, p Population) {
	t.Helper()
	for person := 0; person < p.People(); person += 1 + p.People()/1000 {
		require.Less(t, p.Home(person), p.Locations())
		for day := range p.Days() {
			visits := p.Visits(nil, person, day)
			require.Equal(t, visits, p.Visits(nil, person, day))
			for _, v := range visits {
				require.Less(t, int(v.Location), p.Locations())
				require.True(t, 0 <= v.Arrive && v.Arrive < v.Depart && v.Depart <= scenario.Day, v)
			}
		}
	}
}

func TestTowns(t *testing.T) {
	seed := seeds.Of(t)
	for _, c := range []TownConfig{{}, {People: 1}, {People: 1000, Locations: 7},
		{People: 5, Locations: 100, VisitsPerDay: 40, Days: 2}} {
		c.Seed = seed
		town := appstest.Must(NewTown(c))
		requireSound(t, town)
	}
	for want, c := range map[string]TownConfig{
		"-1 people":               {People: -1},
		"-2 locations":            {Locations: -2},
		"-1 visits a day":         {VisitsPerDay: -1},
		"NaN visits a day":        {VisitsPerDay: math.NaN()},
		"an exponent of -1":       {Zipf: -1},
		"-7 days of visits":       {Days: -7},
		"5000000000 people and 4": {People: 5e9, Locations: 4},
	} {
		_, err := NewTown(c)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "give")
	}
}

// The number of visits of a town is as configured, and so are their distances from home.
func TestVisitsOfATown(t *testing.T) {
	town := appstest.Must(NewTown(TownConfig{People: 100_000, Locations: 90_000, Seed: 3}))
	visits, distances := 0, map[int]int{}
	for person := range town.People() {
		home := town.Home(person)
		for _, v := range town.Visits(nil, person, 2) {
			visits++
			x, y := int(v.Location)%300-home%300, int(v.Location)/300-home/300
			distances[max(x, -x)+max(y, -y)]++
		}
	}
	require.InEpsilon(t, 500_000, visits, 0.01)
	sum := 0.0
	for i := 1; i <= 599; i++ {
		sum += math.Pow(float64(i), -1.5)
	}
	require.InEpsilon(t, 1/sum, float64(distances[0])/float64(visits), 0.02)
	require.Greater(t, distances[1], distances[2])
	require.Greater(t, distances[10], 100)
}

func TestGrids(t *testing.T) {
	seed := seeds.Of(t) % (1 << 31)
	for _, c := range []GridConfig{
		{10_000, 50, 50, 5, 5, 32, 5, 0}, {7, 2, 3, 1, 1, 7, 11.9, seed}, {1001, 20, 10, 2, 5, 3, 0.5, seed},
	} {
		g := appstest.Must(NewGrid(c))
		requireSound(t, g)
		seen := map[int]bool{}
		for y := range c.Height {
			for x := range c.Width {
				n := g.number(x, y)
				require.False(t, seen[n])
				seen[n] = true
				atX, atY, ok := g.Where(n)
				require.Equal(t, []any{float64(x), float64(y), true}, []any{atX, atY, ok})
			}
		}
		blocks := make([]int, c.Blocks)
		for person := range c.People {
			blocks[g.block(person)]++
		}
		for i, n := range blocks {
			require.InDelta(t, float64(c.People)/float64(c.Blocks), n, 1, i)
		}
	}
	good := GridConfig{100, 10, 10, 5, 5, 4, 5, 0}
	for want, change := range map[string]func(c *GridConfig){
		"a grid of 0x10 locations":       func(c *GridConfig) { c.Width = 0 },
		"0 people of a grid":             func(c *GridConfig) { c.People = 0 },
		"3x5 tiles of a grid of 10x10":   func(c *GridConfig) { c.TilesX = 3 },
		"10x10 tiles of a grid of 10x10": func(c *GridConfig) { c.TilesX, c.TilesY = 10, 10 },
		"101 blocks of 100 people":       func(c *GridConfig) { c.Blocks = 101 },
		"12 visits a day":                func(c *GridConfig) { c.VisitsPerDay = 12 },
	} {
		c := good
		change(&c)
		_, err := NewGrid(c)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "give")
	}
}

func TestPopulationsOfLoimos(t *testing.T) {
	folder := filepath.Dir(appstest.Data(t, "loimos/utopia_people.csv"))
	utopia := appstest.Must(Read(os.DirFS(folder), "utopia_", 1))
	requireSound(t, utopia)
	require.Equal(t, []int{19, 12, 1}, []int{utopia.People(), utopia.Locations(), utopia.Days()})
	require.Equal(t, []Visit{{Location: 0, Depart: 28800}, {Location: 0, Arrive: 57600, Depart: 86400},
		{Location: 8, Arrive: 28800, Depart: 43200}, {Location: 11, Arrive: 43200,
			Depart: 57600}}, utopia.Visits(nil, 0, 0))
	require.Equal(t, []int64{1, 12}, []int64{utopia.PersonID(0), utopia.LocationID(11)})
	require.Equal(t, []int{32, 8, 7}, []int{utopia.Age(0), utopia.Age(3), utopia.Crowd(10)})

	city := appstest.Must(Read(os.DirFS(folder), "small_city_", 0))
	requireSound(t, city)
	require.Equal(t, []int{100, 735, 7}, []int{city.People(), city.Locations(), city.Days()})
	require.Equal(t, []string{"home", "school"}, city.Kinds())
	x, y, ok := city.Where(0)
	require.Equal(t, []any{-78.60241999999991, 38.2387200000001, true}, []any{x, y, ok})
	schools, visits := 0, 0
	for location := range city.Locations() {
		if city.Is(location, "school") {
			schools++
		}
	}
	for person := range city.People() {
		for day := range city.Days() {
			visits += len(city.Visits(nil, person, day))
		}
	}
	require.Positive(t, schools)
	require.Greater(t, visits, 3241, "some are split at midnight")
}

const personFields = `fields { field_name: "pid" unique_id {} } fields { field_name: "age" int32 {} }`

// files returns a correct population of two people.
func files() fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range map[string]string{
		"people.textproto":    `num_rows: 2 ` + personFields,
		"people.csv":          "pid,age\n7,30\n9,40\n",
		"locations.textproto": `fields { field_name: "lid" unique_id {} } fields { field_name: "school" bool {} }`,
		"locations.csv":       "lid,school\n100,0\n200,1\n",
		"visits.textproto": `fields { field_name: "pid" foreign_id {} } fields { field_name: "lid" unique_id {} }
			fields { field_name: "from" start_time {} } fields { field_name: "for" duration {} }`,
		"visits.csv": "pid,lid,from,for\n7,200,0,3600\n9,100,82800,7200\n",
	} {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

func TestRead(t *testing.T) {
	s := appstest.Must(Read(files(), "", 0))
	require.Equal(t, 2, s.Days())
	require.Equal(t, []Visit{{Location: 1, Depart: 3600}}, s.Visits(nil, 0, 0))
	require.Equal(t, []Visit{{Arrive: 82800, Depart: 86400}}, s.Visits(nil, 1, 0))
	require.Equal(t, []Visit{{Depart: 3600}}, s.Visits(nil, 1, 1), "past midnight")
	require.True(t, s.Is(1, "school"))
	require.False(t, s.Is(0, "school") || s.Is(1, "shop"))
	s = appstest.Must(Read(files(), "", 1))
	require.Len(t, s.Visits(nil, 1, 0), 2, "the day after is the same day again")
}

// Each error is one sentence, with the file and the line.
func TestBadFiles(t *testing.T) {
	for _, x := range []struct{ file, good, bad, want string }{
		{"people.csv", "9,40", "9,old", `people.csv, line 3: the age is "old"`},
		{"people.csv", "9,40", "9,-4", "people.csv, line 3: an age of -4 years"},
		{"people.csv", "9,40", "7,40", "people.csv, line 3: person 7 is there twice"},
		{"people.csv", "9,40\n", "", "people.csv: there are 1 rows, and its textproto says 2"},
		{"people.csv", "9,40", "9", "people.csv, line 3: wrong number of fields"},
		{"people.csv", "pid", "id", `people.csv, line 1: column 1 is called "id", and the textproto calls it "pid"`},
		{"people.textproto", "unique_id", "ignore",
			"people.textproto: there is no field that is unique_id, the person"},
		{"people.textproto", "int32", "int33", "people.textproto: (line 1:82): unknown field: int33"},
		{"visits.csv", "9,100", "9,101", "visits.csv, line 3: a visit to location 101, which is not in locations.csv"},
		{"visits.csv", "9,100", "8,100", "visits.csv, line 3: a visit by person 8, who is not in people.csv"},
		{"visits.csv", "7200", "-7200", "visits.csv, line 3: a visit ends 7200 seconds before it begins"},
		{"visits.csv", "82800", "-1", "visits.csv, line 3: a visit begins at second -1"},
		{"visits.csv", "82800", "late", `visits.csv, line 3: the start is "late"`},
		{"visits.textproto", "start_time", "ignore", "visits.textproto: there is no field that is start_time"},
		{"locations.csv", "200,1", "200,1,5", "locations.csv, line 3: wrong number of fields"},
	} {
		all := files()
		text := strings.Replace(string(all[x.file].Data), x.good, x.bad, 1)
		require.NotEqual(t, string(all[x.file].Data), text)
		all[x.file] = &fstest.MapFile{Data: []byte(text)}
		_, err := Read(all, "", 0)
		require.ErrorContains(t, err, x.want)
		require.NotContains(t, err.Error(), "\n")
	}
	_, err := Read(fstest.MapFS{}, "here_", 0)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "here_people.textproto")
}

func TestBadSchedules(t *testing.T) {
	at := func(person, day uint32, v Visit) []Planned { return []Planned{{person, day, v}} }
	for want, visits := range map[string][]Planned{
		"a visit by person 5: there are 5":   at(5, 0, Visit{Depart: 1}),
		"a visit to location 3: there are 3": at(0, 0, Visit{Location: 3, Depart: 1}),
		"a visit on day 2: there are 2":      at(0, 2, Visit{Depart: 1}),
		"from second 9 to second 9: it ends": at(0, 0, Visit{Arrive: 9, Depart: 9}),
		"from second 0 to second 86401: it":  at(0, 0, Visit{Depart: 86401}),
	} {
		_, err := NewSchedule("s", 5, 3, 2, visits)
		require.ErrorContains(t, err, want)
	}
	_, err := NewSchedule("s", 5, 0, 2, nil)
	require.ErrorContains(t, err, "5 people, 0 locations and 2 days")
}

func TestReadContacts(t *testing.T) {
	const text = "Time id1 id2 c1 c2\n40\t5\t3\tB\tA\n60,3,5,A,B\n100 3 5 A B\n86420 3 8 A A\n"
	s := appstest.Must(ReadContacts(strings.NewReader(text), "x"))
	require.Equal(t, []int{3, 2, 2}, []int{s.People(), s.Locations(), s.Days()})
	met := []Visit{{1, 0, 20, 60}, {1, 0, 80, 100}}
	require.Equal(t, met, s.Visits(nil, 0, 0))
	require.Equal(t, met, s.Visits(nil, 1, 0))
	require.Equal(t, []Visit{{0, 1, 0, 20}}, s.Visits(nil, 2, 1))
	for text, want := range map[string]string{
		"":                         "line 1: there are no contacts",
		"\n40 1 2 A":               "line 2: 4 fields",
		"\n40 1 2 A B\n4x 1 2 A B": `line 3: "4x" is not a whole number`,
		"\n40 1 1 A B":             "line 2: a contact of 1 and 1",
		"\n19 1 2 A B":             "line 2: a contact of 1 and 2 at second 19",
	} {
		_, err := ReadContacts(strings.NewReader(text), "x")
		require.ErrorContains(t, err, "x, "+want)
	}
}

// The contacts of a primary school are complete.
func TestPrimarySchool(t *testing.T) {
	f := appstest.Must(os.Open(appstest.Data(t, "primaryschool.csv.gz")))
	defer f.Close()
	z := appstest.Must(gzip.NewReader(f))
	s := appstest.Must(ReadContacts(z, "primary school"))
	require.Equal(t, []int{242, 2}, []int{s.People(), s.Days()})
	seconds, places := 0, map[uint32]bool{}
	for person := range s.People() {
		for day := range s.Days() {
			for _, v := range s.Visits(nil, person, day) {
				seconds += int(v.Depart - v.Arrive)
				places[v.Place] = true
			}
		}
	}
	require.Equal(t, 2*slot*125_773, seconds)
	require.Len(t, places, 8317)
}

// Neighbours in the town are on one rank, and all ranks have the same number.
func TestCurve(t *testing.T) {
	town := appstest.Must(NewTown(TownConfig{People: 4096, Locations: 1024}))
	people, locations, err := Curve(town, 4)
	require.NoError(t, err)
	for rank := range 4 {
		require.Equal(t, 1024, people.LocalLen(rank))
		require.Equal(t, 256, locations.LocalLen(rank))
	}
	apart := 0
	for location := range 1024 {
		x, y, _ := town.Where(location)
		x0, y0, _ := town.Where(int(locations.Key(locations.Owner(uint64(location)), 0)))
		require.Equal(t, []bool{x < 16, y < 16}, []bool{x0 < 16, y0 < 16}, "a rank has a quarter of the town")
	}
	for person := range 4096 {
		if people.Owner(uint64(person)) != locations.Owner(uint64(town.Home(person))) {
			apart++
		}
	}
	require.Zero(t, apart)
	camps := appstest.Must(Camps(2, 3))
	_, _, err = Curve(camps, 4)
	require.ErrorContains(t, err, "its locations have no places on a map")
}

// Each step along the curve goes to a neighbour.
func TestHilbert(t *testing.T) {
	const side = 64
	at := map[uint32][2]int{}
	for x := range side {
		for y := range side {
			at[hilbert(uint32(x), uint32(y))] = [2]int{x, y}
		}
	}
	require.Len(t, at, side*side)
	for d := range uint32(side*side - 1) {
		a, b := at[d], at[d+1]
		require.Equal(t, 1, max(a[0]-b[0], b[0]-a[0])+max(a[1]-b[1], b[1]-a[1]), d)
	}
}

func TestCamps(t *testing.T) {
	camps := appstest.Must(Camps(3, 2))
	requireSound(t, camps)
	require.Equal(t, []int{AgeRisky, AgeSafe, 3}, []int{camps.Age(2), camps.Age(3), camps.Locations()})
	require.EqualValues(t, 2, camps.Visits(nil, 4, 0)[0].Location)
}

func FuzzRead(f *testing.F) {
	all := files()
	f.Add(all["people.csv"].Data, all["locations.csv"].Data, all["visits.csv"].Data)
	f.Add([]byte("\"d"), all["locations.csv"].Data, all["visits.csv"].Data) // an unterminated quote
	f.Fuzz(func(t *testing.T, people, locations, visits []byte) {
		all := files()
		all["people.textproto"].Data = []byte(personFields)
		all["people.csv"].Data, all["locations.csv"].Data, all["visits.csv"].Data = people, locations, visits
		if s, err := Read(all, "", 3); err == nil {
			requireSound(t, s)
		}
	})
}

func FuzzReadContacts(f *testing.F) {
	f.Add("Time id1 id2 c1 c2\n40\t5\t3\tB\tA\n")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ReadContacts(strings.NewReader(text), "x"); err == nil && s.Days() < 100 {
			requireSound(t, s)
		}
	})
}

func BenchmarkVisits(b *testing.B) {
	town := appstest.Must(NewTown(TownConfig{People: 1 << 20}))
	grid := appstest.Must(NewGrid(GridConfig{1 << 20, 512, 512, 4, 4, 64, 5, 0}))
	for name, p := range map[string]Population{"town": town, "grid": grid} {
		b.Run(name, func(b *testing.B) {
			var visits []Visit
			n, person := 0, 0
			for b.Loop() {
				visits = p.Visits(visits[:0], person%(1<<20), 0)
				n += len(visits)
				person += 7919
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/visit")
		})
	}
}

// Times are ordered as by slices.Sort.
func TestOrder(t *testing.T) {
	seed := seeds.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for n := 0; n <= 70; n += 2 {
		for range 100 {
			times := make([]int32, n)
			for i := range times {
				times[i] = random.Int32N(int32(n))
			}
			want := slices.Sorted(slices.Values(times))
			order(times)
			require.True(t, slices.Equal(want, times))
		}
	}
}
