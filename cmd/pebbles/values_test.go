package main

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "65536": 65536, "64KiB": 64 << 10, "64kib": 64 << 10, "64k": 64 << 10, "64kB": 64000, "64 MiB": 64 << 20,
		"1.5GiB": 3 << 29, "2G": 2 << 30, "1T": 1 << 40, "1TB": 1e12, "0.5KiB": 512, "7B": 7,
	} {
		var s size
		require.NoError(t, s.Set(text), text)
		require.EqualValues(t, want, s, text)
	}
	for _, text := range []string{"", "0", "-1", "MiB", "1XiB", "1e30", "NaN", "Inf", "1 2", "0.1", "9999999999T", "0x10"} {
		var s size
		require.Error(t, s.Set(text), text)
	}
}

func TestCount(t *testing.T) {
	n := 0
	c := count(&n, 1, "some")
	require.Equal(t, "some", c.String())
	require.NoError(t, c.Set("12"))
	require.Equal(t, 12, n)
	require.Equal(t, "12", c.String())
	for _, text := range []string{"0", "-1", "x", "", "1.5", "99999999999999999999"} {
		require.Error(t, c.Set(text), text)
	}
}

func TestWait(t *testing.T) {
	var w wait
	require.NoError(t, w.Set("500us"))
	require.EqualValues(t, 500_000, w)
	require.NoError(t, w.Set("never"))
	require.Negative(t, int64(w))
	require.Equal(t, "never", w.String())
	for _, text := range []string{"", "0", "0s", "-1ms", "5", "soon"} {
		require.Error(t, w.Set(text), text)
	}
}

func TestTexts(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", 1<<64 - 1: "18,446,744,073,709,551,615"} {
		require.Equal(t, want, grouped(n))
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 64 << 20: "64 MiB", 1 << 52: "4 PiB"} {
		require.Equal(t, want, bytesText(n))
	}
}

func TestMarked(t *testing.T) {
	var out bytes.Buffer
	m := &prefixWriter{to: &out}
	write := func(text string) {
		n, err := m.Write([]byte(text))
		require.NoError(t, err)
		require.Equal(t, len(text), n)
	}
	write("before\n")
	m.setPlace(netio.PlaceOf(6, 3, 0))
	write("first\n")
	m.setPlace(netio.PlaceOf(6, 3, 1))
	write("one\ntwo\n")
	m.setPlace(netio.PlaceOf(3, 3, 2))
	write("alone\n")
	require.Equal(t, "before\nfirst\n[2-3] one\n[2-3] two\n[2] alone\n", out.String())
}

func TestDiary(t *testing.T) {
	for _, c := range []struct {
		logFlags
		want string
	}{
		{logFlags{}, "level=WARN msg=odd\n"},
		{logFlags{quiet: true}, ""},
		{logFlags{verbose: true}, "level=DEBUG msg=detail\nlevel=WARN msg=odd\n"},
		{logFlags{format: word{text: "json"}}, `"level":"WARN","msg":"odd"}` + "\n"},
	} {
		var out bytes.Buffer
		l := c.logger(&out)
		l.Debug("detail")
		l.Warn("odd")
		got := beginnings.ReplaceAllString(out.String(), "")
		require.Equal(t, c.want, got)
	}
}

// beginnings are the times that the lines of a log begin with.
var beginnings = regexp.MustCompile(`(?m)^(time=\S+ |\{"time":"[^"]*",)`)
