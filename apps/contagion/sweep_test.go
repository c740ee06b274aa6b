package contagion

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/contagion/population"
	"github.com/activepebbles/pebbles/internal/seeds"
)

// pairs finds exposures by checking each pair of visits.
func pairs(s *sweeper, visits []visit) (all []exposure, meetings uint64) {
	s.out = func(x exposure) { all = append(all, x) }
	for i := range visits {
		for j := range visits {
			v, by := &visits[i], &visits[j]
			if v.Place != by.Place || max(v.Arrive, by.Arrive) >= min(v.Depart, by.Depart) || i == j {
				continue
			}
			if i < j {
				meetings++
			}
			if s.carries[v.State]&susceptible != 0 && s.carries[by.State]&infectious != 0 {
				s.meet(v, by, min(v.Depart, by.Depart))
			}
		}
	}
	return all, meetings
}

func sorted(all []exposure) []exposure {
	slices.SortFunc(all, func(a, b exposure) int {
		return cmp.Or(cmp.Compare(a.Person, b.Person), cmp.Compare(a.By, b.By), cmp.Compare(a.Start, b.Start),
			cmp.Compare(a.Race, b.Race))
	})
	return all
}

// A sweep finds the same as a check of each pair of visits, for any order of the visits.
func TestSweepFindsAllMeetings(t *testing.T) {
	seed := seeds.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	c := little(t, seed).withDefaults()
	c.Meetings = true
	for range 500 {
		s := sweeper{rules: newRules(c, 1), location: 7, day: 3}
		visits := make([]visit, random.IntN(40))
		for i := range visits {
			arrive := random.Int32N(50)
			visits[i] = visit{
				Person: uint32(random.IntN(20)), Number: uint32(i), Place: uint32(random.IntN(2)), State: uint32(random.IntN(4)),
				Modifier: 1,
				Arrive:   arrive * 1000, Depart: (arrive + 1 + random.Int32N(30)) * 1000,
			}
		}
		var got []exposure
		s.out = func(x exposure) { got = append(got, x) }
		s.visits = visits
		s.sweep(7, 3, nil)
		require.Empty(t, s.susceptible)
		require.Empty(t, s.infectious)
		want, meetings := pairs(&s, visits)
		require.Equal(t, sorted(want), sorted(got))
		require.Equal(t, meetings, s.meetings)

		random.Shuffle(len(visits), func(i, j int) { visits[i], visits[j] = visits[j], visits[i] })
		var again []exposure
		s.out = func(x exposure) { again = append(again, x) }
		s.sweep(7, 3, nil)
		require.Equal(t, got, sorted(again))
	}
}

// The result of merging exposures does not depend on the order.
func TestMergingHasNoOrder(t *testing.T) {
	seed := seeds.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 1000 {
		all, isTooMuch := make([]exposure, 1+random.IntN(8)), false
		for i := range all {
			all[i] = exposure{
				Propensity: whole(random.ExpFloat64() * 100), Race: float64(random.IntN(3)), Count: 1,
				By:    uint32(random.IntN(3)),
				Start: random.Int32N(3), Location: uint32(random.IntN(3)),
			}
			if random.IntN(10) == 0 {
				all[i].Propensity, isTooMuch = 1<<64-1, true
			}
		}
		fold := func() exposure {
			at := random.IntN(len(all))
			left, right := all[0], all[at]
			for _, x := range all[1:max(at, 1)] {
				left = merge(left, x)
			}
			if at == 0 {
				for _, x := range all[1:] {
					left = merge(left, x)
				}
				return left
			}
			for _, x := range all[at+1:] {
				right = merge(right, x)
			}
			return merge(left, right)
		}
		want := fold()
		require.Equal(t, isTooMuch, want.Propensity == 1<<64-1)
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		require.Equal(t, want, fold())
	}
}

// A person who meets infectious ones is infected with the probability of the propensities, in proportion to each.
func TestInfectionsHaveTheirChances(t *testing.T) {
	const trials = 1000
	seed := seeds.Of(t)
	disease := diseaseOf(t, flu)
	disease.Transmissibility = 1
	s, err := population.NewSchedule("three", 3, 1, 1, []population.Planned{
		{Person: 0, Visit: population.Visit{Arrive: 0, Depart: 43200}},
		{Person: 1, Visit: population.Visit{Arrive: 0, Depart: 43200}},
		{Person: 2, Visit: population.Visit{Arrive: 32400, Depart: 86400}},
	})
	require.NoError(t, err)
	by := map[int64]int{}
	for i := range uint64(trials) {
		c := Config{Disease: disease, Population: s, Days: 1, Common: apps.Common{Seed: seed + i}, Contact: Certain,
			PerDay: -1}
		p := newPart(newRules(c.withDefaults(), 1), 0)
		p.people[1].state, p.people[2].state = 2, 2
		p.open()
		p.visit(0, func(vs []visit) { p.take(vs) })
		p.meet(0, func(xs []exposure) { p.expose(xs) })
		p.decide(0)
		for _, x := range p.infections {
			by[x.By]++
		}
	}
	infected := by[1] + by[2]
	t.Log(by)
	require.InDelta(t, trials*0.464738571, infected, 6*15.8) // 1 - exp(-(1/2 + 1/8)), six standard deviations
	require.InDelta(t, float64(infected)*4/5, by[1], 6*8.7)
}

// A bundle is unchanged after encoding and decoding, and invalid bytes are an error.
func TestBundles(t *testing.T) {
	x := bundle{To: 7, Visits: []visit{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {Person: 1 << 31, Arrive: -1, Modifier: 0.5}}}
	text, err := bundleCodec{}.Append([]byte("before"), x)
	require.NoError(t, err)
	require.Len(t, text, len("before")+4+2*36)
	back, err := bundleCodec{}.Decode(text[len("before"):])
	require.NoError(t, err)
	require.Equal(t, x, back)
	for _, n := range []int{0, 3, 5, 4 + 35} {
		_, err := bundleCodec{}.Decode(make([]byte, n))
		require.ErrorContains(t, err, "no whole number of visits")
	}
}
