package group

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// all returns all aggregates of columns.
func all(columns ...string) (list []Aggregate) {
	list = []Aggregate{{Function: Count}}
	for _, column := range columns {
		for _, f := range Functions[1:] {
			list = append(list, Aggregate{f, column})
		}
	}
	return list
}

// grouped returns the output of a run.
func grouped(t *testing.T, ranks int, c Config, name string) string {
	c.Output.Path = filepath.Join(t.TempDir(), name)
	for _, result := range appstest.All(t, appstest.Mem(ranks), Run, c) {
		require.Zero(t, result.Errors, result.Wrong)
	}
	text, err := os.ReadFile(c.Output.Path)
	require.NoError(t, err)
	return string(text)
}

// fares makes rows of trips: city, hour and fare. Some cities and hours are missing. Some fares differ by many orders
// of magnitude.
func fares(random *rand.Rand, n int) string {
	text := "city,hour,fare,tip\n"
	for range n {
		city, hour := []string{"Bonn", "Köln", "\"a,b\"", ""}[random.IntN(4)], random.IntN(12)
		fare := strconv.FormatFloat(math.Ldexp(random.Float64()-0.25, random.IntN(60)), 'g', -1, 64)
		if random.IntN(5) == 0 {
			fare = ""
		}
		text += fmt.Sprintf("%s,%d,%s,%d\n", city, hour, fare, random.IntN(3))
	}
	return text
}

// Sums equal those of math/big, in the order of keys, with the same bytes on all transports.
func TestEverywhere(t *testing.T) {
	text := fares(rand.New(rand.NewPCG(seeds.Of(t), 0)), 1200)
	c := Config{Input: apps.Input{Files: []string{appstest.Write(t, "a.csv", text)}}, By: []string{"city", "hour"},
		Aggregates: all("fare")}
	c.Output = apps.Output{Path: filepath.Join(t.TempDir(), "out.csv"), Replace: true}
	want := twin(text)
	appstest.AllEverywhere(t, Run, c, func(t *testing.T, _ int, got Result) {
		require.Zero(t, got.Errors, got.Wrong)
		require.EqualValues(t, 1200, got.Count)
		require.EqualValues(t, strings.Count(want, "\n")-1, got.Groups)
		require.NotNil(t, got.Output, "the file is of this job")
		text, err := os.ReadFile(c.Output.Path)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	})
}

// twin groups fares by math/big.
func twin(text string) string {
	type sums struct {
		rows, count int
		sum         *big.Float
		min, max    float64
	}
	groups := map[[2]string]*sums{}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
		fields := strings.Split(strings.ReplaceAll(line, `"a,b"`, "a;b"), ",")
		key := [2]string{strings.ReplaceAll(fields[0], "a;b", `"a,b"`), fields[1]}
		g := groups[key]
		if g == nil {
			g = &sums{sum: new(big.Float).SetPrec(300), min: math.Inf(1), max: math.Inf(-1)}
			groups[key] = g
		}
		g.rows++
		if x, err := strconv.ParseFloat(fields[2], 64); err == nil {
			g.count++
			g.sum.Add(g.sum, big.NewFloat(x))
			g.min, g.max = min(g.min, x), max(g.max, x)
		}
	}
	keys := make([][2]string, 0, len(groups))
	for key := range groups {
		keys = append(keys, key)
	}
	order := func(key [2]string) string {
		hour, _ := strconv.Atoi(key[1])
		city := strings.Trim(key[0], `"`)
		if city == "" {
			city = "\xff" // keys without a value come last
		}
		return fmt.Sprintf("%s %02d", city, hour)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return strings.Compare(order(a), order(b)) })
	out := "city,hour,count,sum_fare,mean_fare,min_fare,max_fare\n"
	for _, key := range keys {
		g := groups[key]
		sum, _ := g.sum.Float64()
		out += fmt.Sprintf("%s,%s,%d", key[0], key[1], g.rows)
		for _, x := range []float64{sum, sum / float64(g.count), g.min, g.max} {
			if out += ","; g.count > 0 {
				out += strconv.FormatFloat(x, 'g', -1, 64)
			}
		}
		out += "\n"
	}
	return out
}

// Keys keep their types, a table may be one group, and the numbers of many columns are summed together.
func TestColumns(t *testing.T) {
	text := `{"k":2,"x":1,"count":"a"}` + "\n" + `{"k":-1,"x":2.5,"count":"b"}` + "\n" + `{"x":null,"count":"a"}` + "\n" +
		`{"k":2,"x":"1e3","count":"a"}`
	c := Config{Input: apps.Input{Files: []string{appstest.Write(t, "a.jsonl", text)}}}
	for _, ranks := range []int{1, 2, 4, 7} {
		c.By, c.Aggregates = []string{"k"}, []Aggregate{{Sum, "x"}, {Function: Count}}
		require.Equal(t, `{"k":-1,"sum_x":2.5,"count":1}`+"\n"+`{"k":2,"sum_x":1001,"count":2}`+"\n"+
			`{"k":null,"sum_x":null,"count":1}`+"\n", grouped(t, ranks, c, "o.jsonl"))
		c.By, c.Aggregates = []string{"count"}, nil
		require.Equal(t, "count,count_group\na,3\nb,1\n", grouped(t, ranks, c, "o.csv"))
		c.By, c.Aggregates = nil, all("x")
		require.Equal(t, "count\tsum_x\tmean_x\tmin_x\tmax_x\n4\t1003.5\t334.5\t1\t1000\n", grouped(t, ranks, c, "o.tsv"))
	}
	var names []string
	for i := range 17 {
		names = append(names, fmt.Sprint("c", i))
	}
	table := strings.Join(names, ",") + "\n" + strings.Repeat("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n", 3)
	c.Files = []string{appstest.Write(t, "many.csv", table)}
	for _, n := range []int{2, 4, 5, 16} {
		c.Aggregates = nil
		want := ""
		for i, name := range names[:n] {
			c.Aggregates = append(c.Aggregates, Aggregate{Sum, name})
			want += fmt.Sprint(",", 3*(i+1))
		}
		got := grouped(t, 3, c, "o.csv")
		require.Equal(t, want[1:], strings.Split(got, "\n")[1])
	}
	c.Aggregates = all(names...)
	require.ErrorContains(t, c.Check(1), "numbers of 17 columns: give 16 at most")
}

// The highest groups are reported by the first aggregate.
func TestTop(t *testing.T) {
	path := appstest.Write(t, "a.csv", "k,x\na,1\nb,5\nc,3\nb,1\n")
	c := Config{Input: apps.Input{Files: []string{path}}, By: []string{"k"}, Aggregates: []Aggregate{{Max, "x"}}}
	c.Output.Top = 2
	for _, result := range appstest.All(t, appstest.Mem(3), Run, c) {
		require.Len(t, result.TopRows, 2)
		require.JSONEq(t, `{"k":"b","max_x":5}`, string(result.TopRows[0]))
		require.JSONEq(t, `{"k":"c","max_x":3}`, string(result.TopRows[1]))
	}
}

// mawk, whose sums have less precision, agrees on sums of integers.
func TestMawk(t *testing.T) {
	if _, err := exec.LookPath("mawk"); err != nil {
		t.Skip("needs mawk, which is not installed")
	}
	path := appstest.Write(t, "a.csv", fares(rand.New(rand.NewPCG(seeds.Of(t), 1)), 5000))
	program := `NR > 1 && $1 !~ /"/ { n[$2]++; s[$2] += $4; if (!($2 in m) || $4 > m[$2]) m[$2] = $4 }
		NR > 1 && $1 ~ /"/ { n[$3]++; s[$3] += $5; if (!($3 in m) || $5 > m[$3]) m[$3] = $5 }
		END { for (k in n) print k "," n[k] "," s[k] "," m[k] }`
	text, err := exec.Command("mawk", "-F,", program, path).Output()
	require.NoError(t, err)
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.SortFunc(want, func(a, b string) int {
		x, _ := strconv.Atoi(a[:strings.Index(a, ",")])
		y, _ := strconv.Atoi(b[:strings.Index(b, ",")])
		return x - y
	})
	c := Config{Input: apps.Input{Files: []string{path}}, By: []string{"hour"},
		Aggregates: []Aggregate{{Function: Count}, {Sum, "tip"}, {Max, "tip"}}}
	require.Equal(t, "hour,count,sum_tip,max_tip\n"+strings.Join(want, "\n")+"\n", grouped(t, 4, c, "o.csv"))
}

// one is the stat of a number.
func one(x float64) stat {
	s, _ := of(table.FloatOf(x))
	return s
}

// Integers of up to 64 bits are exact, and so are those of their sums that have no more. Sums on the way to a result
// overflow nothing, on any number of ranks.
func TestLargeNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"1700000000123456789\n1700000000123456788\n": "3400000000246913577,1.7000000001234568e+18," +
			"1700000000123456788,1700000000123456789",
		"9223372036854775807\n-9223372036854775808\n": "-1,-0.5,-9223372036854775808,9223372036854775807",
		"18446744073709551615\n0\n":                   "18446744073709551615,9.223372036854776e+18,0,18446744073709551615",
		"9007199254740993\n1\n":                       "9007199254740994,4.503599627370497e+15,1,9007199254740993",
		"18446744073709551615\n1\n":                   "1.8446744073709552e+19,9.223372036854776e+18,1,18446744073709551615",
		"1e308\n1e308\n-1e308\n-1e308\n3\n":           "3,0.6,-1e+308,1e+308",
		"1e308\n1e308\n":                              "+Inf,1e+308,1e+308,1e+308",
		"0.5\n9007199254740993\n": "9.007199254740994e+15,4.503599627370497e+15," +
			"0.5,9.007199254740992e+15",
	} {
		c := Config{Input: apps.Input{Files: []string{appstest.Write(t, "a.csv", "x\n"+text)}}, Aggregates: all("x")[1:]}
		for ranks := 1; ranks <= 4; ranks++ {
			require.Equal(t, "sum_x,mean_x,min_x,max_x\n"+want+"\n", grouped(t, ranks, c, "o.csv"), "%d ranks", ranks)
		}
	}
}

// Sums do not depend on the order of the numbers.
func TestMergeInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Float64Range(-1e15, 1e15), 1, 100).Draw(t, "numbers")
		exact := new(big.Float).SetPrec(2000)
		for _, x := range numbers {
			exact.Add(exact, big.NewFloat(x))
		}
		want, _ := exact.Float64()
		for range 3 {
			numbers = rapid.Permutation(numbers).Draw(t, "order")
			cut := rapid.IntRange(0, len(numbers)).Draw(t, "cut")
			var a, b stat
			for i, x := range numbers {
				if i < cut {
					a = a.merge(one(x))
				} else {
					b = b.merge(one(x))
				}
			}
			got := b.merge(a)
			require.InDelta(t, want, got.Sum.over(1).High, 1e-9*math.Max(math.Abs(want), 1e-9))
			require.Equal(t, slices.Min(numbers), got.Min.High)
			require.Equal(t, slices.Max(numbers), got.Max.High)
		}
	})
}

// Infinities and NaN follow IEEE 754.
func TestOddNumbers(t *testing.T) {
	text := "k,x\na,inf\na,1\nb,inf\nb,-inf\nc,nan\nc,1\nd,1e308\nd,1e308\n"
	c := Config{Input: apps.Input{Files: []string{appstest.Write(t, "a.csv", text)}}, By: []string{"k"},
		Aggregates: all("x")[1:]}
	for _, ranks := range []int{1, 3} {
		require.Equal(t, "k,sum_x,mean_x,min_x,max_x\na,+Inf,+Inf,1,+Inf\nb,NaN,NaN,-Inf,+Inf\nc,NaN,NaN,NaN,NaN\n"+
			"d,+Inf,1e+308,1e+308,1e+308\n", grouped(t, ranks, c, "o.csv"))
	}
}

// Mistakes are errors, with file and line for a value; a lenient run skips such rows.
func TestMistakes(t *testing.T) {
	path := appstest.Write(t, "a.csv", "k,x\na,1\na,one\n")
	for says, c := range map[string]Config{
		"no table is given":                         {},
		`no function "median": use one of count, `:  {Aggregates: []Aggregate{{"median", "x"}}},
		"the function count of the column":          {Aggregates: []Aggregate{{Count, "x"}}},
		`the function sum of the column ""`:         {Aggregates: []Aggregate{{Function: Sum}}},
		"sum_x is named twice":                      {Aggregates: []Aggregate{{Sum, "x"}, {Sum, "x"}}},
		`column "k" is in the key twice`:            {By: []string{"k", "k"}},
		`no column "y"; the table has ["k" "x"]`:    {By: []string{"y"}},
		`line 3: column "x": "one" is not a number`: {Aggregates: []Aggregate{{Sum, "x"}}},
	} {
		if says != "no table is given" {
			c.Files = []string{path}
		}
		_, err := appstest.Results(t, pebble.Config{Ranks: 2}, Run, c)
		require.ErrorContains(t, err, says)
	}
	c := Config{Input: apps.Input{Files: []string{path}, Lenient: true}, Aggregates: all("x")}
	require.Equal(t, "count,sum_x,mean_x,min_x,max_x\n1,1,1,1,1\n", grouped(t, 2, c, "o.csv"))
}

// A lost row, or one in another group, is found.
func TestEachRule(t *testing.T) {
	for says, spoil := range map[string]func(w *weighed){
		"":                        func(*weighed) {},
		"1 sums went wrong":       func(w *weighed) { w.Hashes++ },
		"in number 1":             func(w *weighed) { w.Columns[0].Numbers.Count++ },
		"sums over groups differ": func(w *weighed) { w.Columns[1].Weighted.Rest.High += 1e-3 },
	} {
		require.NoError(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
			var rows, groups weighed
			both := total[[4]stat]{Rows: 1, Columns: [4]stat{one(1), one(2)}}
			note(&rows, "a", both)
			note(&groups, "a", both)
			spoil(&groups)
			var p apps.Report
			err := rows.judge(&p, r, groups)
			require.Equal(t, says != "", p.Errors > 0)
			require.Contains(t, fmt.Sprint(p.Wrong), says)
			return err
		}))
	}
}
