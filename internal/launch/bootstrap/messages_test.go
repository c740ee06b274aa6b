package bootstrap

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/handshake"
)

func TestBadEntries(t *testing.T) {
	good := entry{address: "h:1"}
	got, err := parseEntry(good.String())
	require.NoError(t, err)
	require.Equal(t, good, got)
	require.LessOrEqual(t, len(entry{address: strings.Repeat("h", textBytesMax)}.String()), 512, "fits a value of PMI")
	for _, text := range []string{
		"", "pebbles-1", "pebbles-2," + good.String()[10:], "pebbles-1,AAAA,h:1", "pebbles-1,!,h:1", "pebbles-1,,",
	} {
		_, err := parseEntry(text)
		require.Error(t, err, text)
	}
}

func TestTree(t *testing.T) {
	for _, fanout := range []int{1, 2, 8} {
		for processes := 1; processes < 100; processes++ {
			tr := tree{processes, fanout}
			parents := make(map[int]int)
			for p := range processes {
				first, last := tr.children(p)
				for c := first; c < last; c++ {
					parents[c]++
					require.Equal(t, p, tr.parent(c))
					require.True(t, tr.isChild(c, p))
				}
				n := 0
				for q := range processes {
					if tr.below(q, p) {
						n++
					}
				}
				require.Equal(t, n, tr.size(p), "below %d of %d", p, processes)
			}
			require.Len(t, parents, processes-1)
			for _, n := range parents {
				require.Equal(t, 1, n)
			}
		}
	}
}

func TestBadReports(t *testing.T) {
	tr := tree{20, 8}
	m := func(numbers ...int) (members []member) {
		for _, n := range numbers {
			members = append(members, member{n, self(max(0, n))})
		}
		return members
	}
	long := strings.Repeat("h", 257)
	require.NoError(t, tr.checkSubtree(2, m(2, 17, 18, 19)))
	for says, members := range map[string][]member{
		"process 1 is not below process 2":         m(2, 17, 18, 1),
		"process 20 is not below process 2":        m(2, 17, 18, 20),
		"process -1 is not below process 2":        m(2, 17, 18, -1),
		"two processes have number 17":             m(2, 17, 17, 18),
		"it tells of 3 processes, not of 4":        m(2, 17, 18),
		"process 17: address \"h:\" is not of the": {{2, self(2)}, {17, Process{Address: "h:", Cores: 1}}},
		"process 17: 0 cores":                      {{2, self(2)}, {17, Process{Address: "h:1"}}},
		"process 17: a text of 257 bytes":          {{2, self(2)}, {17, Process{Address: "h:1", Cores: 1, Host: long}}},
	} {
		require.ErrorContains(t, tr.checkSubtree(2, members), says)
	}
	two := []string{"h:1", "h:2"}
	for says, job := range map[string]Job{
		"it has 0 processes, this process was started as one of 2": {ID: "j", Secret: secret},
		"it has 1 ranks for 2 processes":                           {ID: "j", Secret: secret, Addresses: two, Ranks: 1},
		"it has no id or no secret":                                {ID: "j"},
	} {
		require.ErrorContains(t, job.check(2), says)
	}
}

// A child that reports its subtree twice is counted once.
func TestReportsCountOnce(t *testing.T) {
	x := newExchange(Config{Processes: 3, Self: self(0)}, nil, nil)
	defer x.stop()
	for range 2 {
		job, err := x.handleReport(1, report{Number: 1, Subtree: []member{{1, self(1)}}}, nil)
		require.NoError(t, err)
		require.Nil(t, job, "process 2 has told of nothing")
		require.Len(t, x.members, 2)
	}
}

// TestLargestMessagesFit uses texts of maximum length.
func TestLargestMessagesFit(t *testing.T) {
	job := NewJob(nil)
	var all []member
	for range 300 {
		text := strings.Repeat("h", textBytesMax)
		p := Process{text[6:] + ":65535", text, text, coresMax}
		require.NoError(t, p.check())
		job.Addresses = append(job.Addresses, p.Address)
		all = append(all, member{1 << 20, p})
	}
	job.Ranks = 1 << 20
	require.NoError(t, job.check(300))
	for _, c := range []struct {
		message   any
		processes int
	}{
		{job.verdict(), 300},
		{report{Number: 1 << 20, Subtree: all}, 300},
		{report{Failed: failure(errors.New(strings.Repeat("\x00", 1<<20)))}, 0},
	} {
		var b bytes.Buffer
		require.NoError(t, handshake.WriteMessage(&b, c.message))
		require.Less(t, b.Len(), messageBytesMax(c.processes))
	}
}

// FuzzEntry reads entries that other users may have published: a valid one is written the same way again.
func FuzzEntry(f *testing.F) {
	f.Add(entry{address: "h:1"}.String())
	f.Add("pebbles-1,AAAA,h:1")
	f.Add("pebbles-2,,")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseEntry(text)
		if err != nil {
			return
		}
		again, err := parseEntry(c.String())
		require.NoError(t, err)
		require.Equal(t, c, again)
	})
}

// FuzzReport reads a child's report of its subtree: a valid one has each process once, with an address.
func FuzzReport(f *testing.F) {
	subtree := []member{{2, self(2)}, {17, self(17)}, {18, self(18)}, {19, self(19)}}
	good, _ := json.Marshal(report{Number: 2, Subtree: subtree})
	f.Add(good)
	f.Add([]byte(`{"Subtree":[{"Number":-1}]}`))
	f.Add([]byte(`{"Subtree":[{"Number":9223372036854775807,"Address":"h:1","Cores":1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r report
		if json.Unmarshal(text, &r) != nil {
			return
		}
		tr := tree{20, fanoutDefault}
		_ = tr.isChild(r.Number, 2)
		if tr.checkSubtree(2, r.Subtree) != nil {
			return
		}
		seen := map[int]bool{}
		for _, m := range r.Subtree {
			require.True(t, tr.below(m.Number, 2))
			require.False(t, seen[m.Number])
			seen[m.Number] = true
			require.NoError(t, CheckAddress(m.Address))
		}
	})
}

// FuzzVerdict reads a parent's message about the job.
func FuzzVerdict(f *testing.F) {
	good, _ := json.Marshal((&Job{ID: "j", Secret: secret, Ranks: 2, Addresses: []string{"h:1", "h:2"}}).verdict())
	f.Add(good)
	f.Add([]byte(`{"Failed":"no"}`))
	f.Add([]byte(`{"ID":"j","Secret":"AA==","Ranks":-1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var v verdict
		if json.Unmarshal(text, &v) != nil {
			return
		}
		if j := v.job(); j.check(2) == nil {
			require.Len(t, j.Addresses, 2)
			require.Len(t, j.Secret, SecretBytes)
			require.GreaterOrEqual(t, j.Ranks, 2)
		}
	})
}
