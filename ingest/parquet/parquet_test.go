package parquet_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	lib "github.com/parquet-go/parquet-go"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/export"
	to "github.com/activepebbles/pebbles/export/parquet"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/ingest/parquet"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

// TestMain fails if a test leaves a goroutine or a file behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

// random is a source of random numbers with the seed that the test prints.
func random(t *testing.T) *rand.Rand {
	return rand.New(rand.NewPCG(seeds.Of(t), 1))
}

type reading struct {
	Station string    `parquet:"station"`
	N       int64     `parquet:"n"`
	Values  []float64 `parquet:"values,list"`
	Note    *string   `parquet:"note,optional"`
}

func readingOf(i int64) reading {
	v := reading{Station: fmt.Sprint("station ", i%7), N: i, Values: []float64{}}
	for j := range i % 3 {
		v.Values = append(v.Values, float64(j)/2)
	}
	if i%2 == 0 {
		note := fmt.Sprint("note ", i)
		v.Note = &note
	}
	return v
}

// read reads files by ranks, and returns the rows.
func read[T any](ranks int, name string, opts ...ingest.Option) (all []T, err error) {
	var lock sync.Mutex
	err = pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		in, err := ingest.Open(r, []string{name}, parquet.Rows[T](), opts...)
		if err != nil {
			return err
		}
		for v := range in.All() {
			lock.Lock()
			all = append(all, v)
			lock.Unlock()
		}
		_, err = in.Report()
		return err
	})
	return all, err
}

// sorted sorts rows by their numbers.
func sorted(rows []reading) []reading {
	slices.SortFunc(rows, func(a, b reading) int { return int(a.N - b.N) })
	return rows
}

// Other ranks and the library read the rows that ranks write.
func TestThereAndBack(t *testing.T) {
	for _, ranks := range []int{1, 2, 4, 7} {
		for _, n := range []int64{0, 1, 300} {
			out := filepath.Join(t.TempDir(), "out")
			var want []reading
			for i := range int64(ranks) * n {
				want = append(want, readingOf(i))
			}
			var parts []export.Part
			require.NoError(t, pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
				sink := appstest.Must(export.Create(r, out, to.Rows[reading]()))
				defer sink.Abort()
				for i := range n {
					appstest.OK(sink.Write(readingOf(int64(r.ID())*n + i)))
				}
				if m := appstest.Must(sink.Close()); r.ID() == 0 {
					parts = m.Parts
				}
				return nil
			}))
			for _, readers := range []int{1, 3} {
				got, err := read[reading](readers, out)
				require.NoError(t, err)
				require.Equal(t, want, sorted(got))
			}
			var plain []reading
			for _, p := range parts {
				rows, err := lib.ReadFile[reading](filepath.Join(out, p.Name))
				require.NoError(t, err)
				plain = append(plain, rows...)
			}
			require.Equal(t, want, sorted(plain))
		}
	}
}

// groups writes a file of row groups by the library alone.
func groups(t testing.TB, rows, perGroup int64) string {
	var b bytes.Buffer
	w := lib.NewGenericWriter[reading](&b, lib.MaxRowsPerRowGroup(perGroup))
	for i := range rows {
		_, err := w.Write([]reading{readingOf(i)})
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "a.parquet")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	return path
}

// Ranks share row groups. A type with fewer columns reads only those.
func TestRowGroups(t *testing.T) {
	path := groups(t, 100, 7)
	for _, ranks := range []int{1, 2, 4, 7, 40} {
		got, err := read[reading](ranks, path)
		require.NoError(t, err)
		require.Len(t, got, 100)
		for i, v := range sorted(got) {
			require.Equal(t, readingOf(int64(i)), v)
		}
	}
	type number struct {
		N     int64   `parquet:"n"`
		Other *string `parquet:"other,optional"`
	}
	few, err := read[number](3, path)
	require.NoError(t, err)
	require.Len(t, few, 100)
}

func TestMistakes(t *testing.T) {
	path := groups(t, 100, 7)
	_, err := read[struct {
		M int64 `parquet:"m"`
	}](2, path)
	require.ErrorContains(t, err, `no column "m"; the file has "station", "n", "values.list.element", "note"`)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, c := range []struct {
		content []byte
		want    string
	}{
		{[]byte("PAR1"), "a.parquet"}, {[]byte("no Parquet, but long enough"), "a.parquet"},
		{whole[:len(whole)-1], "a.parquet"}, {whole[:len(whole)/2], "a.parquet"},
		{append([]byte("PAR1\xff\xff"), whole[6:]...), ""},
		{[]byte("\x28\xb5\x2f\xfd and so on"), "the file is compressed as a whole"},
	} {
		require.NoError(t, os.WriteFile(path, c.content, 0o600))
		_, err := read[reading](2, path)
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
		}
	}
}

// A damaged row group is skipped from its first unreadable row on, and counted. The others are read. The footer must be
// whole.
func TestSkip(t *testing.T) {
	path := groups(t, 100, 7)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := lib.OpenFile(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	const damaged = 3
	group := file.Metadata().RowGroups[damaged].Columns
	for name, harm := range map[string]func(content []byte){
		"a page": func(content []byte) {
			content[group[1].MetaData.DataPageOffset+group[1].MetaData.TotalCompressedSize-1]++
		},
		"a page header": func(content []byte) { content[group[1].MetaData.DataPageOffset]++ },
		"all of it": func(content []byte) {
			last := group[len(group)-1].MetaData
			clear(content[group[0].MetaData.DataPageOffset : last.DataPageOffset+last.TotalCompressedSize])
		},
	} {
		t.Run(name, func(t *testing.T) {
			changed := bytes.Clone(content)
			harm(changed)
			require.NoError(t, os.WriteFile(path, changed, 0o600))
			for _, ranks := range []int{1, 2, 5} {
				_, err = read[reading](ranks, path)
				require.ErrorContains(t, err, fmt.Sprintf("a.parquet: the block at byte %d: row group %d: ",
					group[0].MetaData.DataPageOffset, damaged+1))
				got, err := read[reading](ranks, path, ingest.Skip(1))
				require.NoError(t, err)
				require.Len(t, got, 93)
				for i, v := range sorted(got) {
					if i >= damaged*7 {
						i += 7
					}
					require.Equal(t, readingOf(int64(i)), v)
				}
			}
		})
	}
	require.NoError(t, os.WriteFile(path, append(content[:len(content)-20], content[len(content)-8:]...), 0o600))
	_, err = read[reading](2, path, ingest.Skip(9))
	require.ErrorContains(t, err, "a.parquet")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = read[reading](2, path, ingest.Skip(9))
	require.ErrorContains(t, err, "a.parquet: the file is too short to be a Parquet file")
}

func FuzzRead(f *testing.F) {
	content, err := os.ReadFile(groups(f, 20, 7))
	require.NoError(f, err)
	f.Add(content)
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "a.parquet")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		_, _ = read[reading](1, path) // terminates, with an error or not
	})
}

func BenchmarkRead(b *testing.B) {
	path := groups(b, 200_000, 50_000)
	info, err := os.Stat(path)
	require.NoError(b, err)
	b.SetBytes(info.Size())
	for b.Loop() {
		_, err := read[reading](1, path)
		require.NoError(b, err)
	}
}

// Rows, skipped records, errors, and positions do not depend on the number of ranks, even with damaged row groups.
func TestSharesAreInvisible(t *testing.T) {
	r := random(t)
	for _, damages := range []int{0, 1, 3} {
		var file bytes.Buffer
		w := lib.NewGenericWriter[reading](&file, lib.MaxRowsPerRowGroup(7))
		for i := range int64(100) {
			_, err := w.Write([]reading{readingOf(i)})
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		content := file.Bytes()
		for range damages {
			content[4+r.IntN(len(content)/2)] ^= 0x55 // before the footer
		}
		path := filepath.Join(t.TempDir(), "data")
		require.NoError(t, os.WriteFile(path, content, 0o600))
		for _, skip := range []int64{0, 1, 100} {
			want := told(t, 1, path, skip)
			for _, ranks := range []int{2, 5, 40} {
				require.Equal(t, want, told(t, ranks, path, skip), "%d ranks, %d damages", ranks, damages)
			}
		}
	}
}

// told returns the view that ranks have of a file: rows with their positions, and the report; or the error.
func told(t *testing.T, ranks int, path string, skip int64) []string {
	by, said := make([][]string, ranks), ""
	require.NoError(t, pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		in, err := ingest.Open(r, []string{path}, ingest.Positions(parquet.Rows[reading]()), ingest.Skip(skip))
		if err != nil {
			return err
		}
		for v := range in.All() {
			by[r.ID()] = append(by[r.ID()], fmt.Sprint(v.Position, " ", v.Record.N))
		}
		report, err := in.Report()
		if r.ID() == 0 {
			said = fmt.Sprint(report.Skipped, report.First, err)
		}
		if err != nil {
			by[r.ID()] = nil
			if r.ID() == 0 {
				said = err.Error()
			}
		}
		return nil
	}))
	return append(slices.Concat(by...), said)
}

// A field that cannot hold all values of its column is an error of Open. The other types are read.
func TestTypesOfFields(t *testing.T) {
	type row struct {
		Small  int32   `parquet:"small"`
		Count  uint32  `parquet:"count"`
		Large  int64   `parquet:"large"`
		Single float32 `parquet:"single"`
		Text   string  `parquet:"text"`
		Known  *int32  `parquet:"known,optional"`
		Key    [4]byte `parquet:"key"`
	}
	path := filepath.Join(t.TempDir(), "data")
	rows := []row{{-1, math.MaxUint32, math.MinInt64, 0.5, "one", nil, [4]byte{1}}}
	require.NoError(t, lib.WriteFile(path, rows))
	reads[struct {
		Small  int64   `parquet:"small"`
		Count  uint32  `parquet:"count"`
		Large  int64   `parquet:"large"`
		Single float64 `parquet:"single"`
		Text   []byte  `parquet:"text"`
		Known  int64   `parquet:"known"`
		Key    [4]byte `parquet:"key"`
	}](t, path, "[{-1 4294967295 -9223372036854775808 0.5 [111 110 101] 0 [1 0 0 0]}]")
	reads[struct {
		Small float64 `parquet:"small"`
	}](t, path, "[{-1}]")
	const other = ", which does not hold all of its values: give the field the type of the column"
	refuses[struct {
		Small int8 `parquet:"small"`
	}](t, path, `the column "small" has INT(32,true) in the file, and the field has INT(8,true)`+other)
	refuses[struct {
		Small uint64 `parquet:"small"`
	}](t, path, other)
	refuses[struct {
		Count int32 `parquet:"count"`
	}](t, path, other)
	refuses[struct {
		Count int64 `parquet:"count"`
	}](t, path, other)
	refuses[struct {
		Large int32 `parquet:"large"`
	}](t, path, other)
	refuses[struct {
		Large float64 `parquet:"large"`
	}](t, path, other)
	refuses[struct {
		Large string `parquet:"large"`
	}](t, path, other)
	refuses[struct {
		Large bool `parquet:"large"`
	}](t, path, other)
	refuses[struct {
		Single int64 `parquet:"single"`
	}](t, path, other)
	refuses[struct {
		Text int64 `parquet:"text"`
	}](t, path, other)
	refuses[struct {
		Key [5]byte `parquet:"key"`
	}](t, path, other)
	refuses[struct {
		Small chan int `parquet:"small"`
	}](t, path, "are not supported: cannot create parquet node from go value of type chan int")
	refuses[struct {
		Small int32 `parquet:"small,compact"`
	}](t, path, "are not supported: ")
}

// reads compares the rows as text.
func reads[T any](t *testing.T, path, want string) {
	t.Helper()
	got, err := read[T](1, path)
	require.NoError(t, err)
	require.Equal(t, want, fmt.Sprint(got))
}

// refuses requires an error.
func refuses[T any](t *testing.T, path, want string) {
	t.Helper()
	_, err := read[T](1, path)
	require.ErrorContains(t, err, want)
}

// A type that is not a struct has no columns.
func TestRowsOfWhatIsNoStruct(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	require.NoError(t, lib.WriteFile(path, []reading{readingOf(1)}))
	_, err := read[any](2, path)
	require.ErrorContains(t, err, "data: rows of type interface {} are not supported; expected a struct")
	_, err = read[*reading](1, path)
	require.ErrorContains(t, err, "rows of type *parquet_test.reading are not supported")
	_, err = read[struct {
		Other *string `parquet:"other,optional"`
	}](2, path)
	require.ErrorContains(t, err, "no field of the type")
	require.ErrorContains(t, err, `is a column; the file has "station"`)
}
