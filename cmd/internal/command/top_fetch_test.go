package command

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/watch/page"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// served serves a made-up job until the test ends.
func served(t *testing.T, job *madeUpJob) *page.Server {
	t.Helper()
	s, err := page.Listen(page.Config{Addr: "0", Source: job})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func readerOf(t *testing.T, address string) *reader {
	t.Helper()
	r, err := newReader(address)
	require.NoError(t, err)
	t.Cleanup(r.close)
	return r
}

func TestSeesEncryptedJob(t *testing.T) {
	s, err := page.Listen(page.Config{Addr: "0", TLS: true, Source: newMadeUpJob(2, "running")})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	seen, err := readerOf(t, s.URL()).see(t.Context())
	require.NoError(t, err)
	require.Len(t, seen.ranks, 2)
	stranger := readerOf(t, strings.Replace(s.URL(), "#certificate=", "#certificate=00", 1))
	_, err = stranger.see(t.Context())
	require.ErrorContains(t, err, "the certificate is another one")
}

func TestSeesJobsOfAllSizes(t *testing.T) {
	for _, c := range []struct {
		ranks, rows, links int
		kind               string
	}{{1, 1, 0, "died"}, {4, 4, 8, "running"}, {64, 64, 384, "stalled"}, {65, 33, 10, "running"}, {1024, 64, 10,
		"running"}} {
		s, err := readerOf(t, served(t, newMadeUpJob(c.ranks, c.kind)).URL()).see(t.Context())
		require.NoError(t, err)
		require.Len(t, s.ranks, c.rows)
		require.Len(t, s.links, c.links)
		require.Contains(t, s.title, fmt.Sprintf("bfs 3f9c2a, %s in ", Plural(c.ranks, "rank", "ranks")))
		require.Equal(t, "rank 0 says: level 7, frontier 1,000,000", s.status)
		require.NotEmpty(t, s.verdict)
	}
}

func TestWholeJob(t *testing.T) {
	job := newMadeUpJob(4, "running")
	job.status = "\u009b2J\x1b[2J\u202e"
	text, err := readerOf(t, served(t, job).URL()).whole(t.Context())
	require.NoError(t, err)
	require.False(t, obeyed(strings.TrimSuffix(string(text), "\n")), "%q", text)
	var j state.Job
	require.NoError(t, json.Unmarshal(text, &j))
	require.Equal(t, job.at(1), &j)
}

func TestNoSuchAddress(t *testing.T) {
	for _, address := range []string{"", "127.0.0.1:8080", "ftp://host/", "http://", "http://host:x/?token=secret",
		"http://%zz/?token=secret", "http:///?token=secret", "file:///etc/passwd"} {
		_, err := newReader(address)
		require.ErrorContains(t, err, "give the address that the job has printed", address)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestTokenIsWrong(t *testing.T) {
	address := served(t, newMadeUpJob(1, "running")).URL()
	for _, wrong := range []string{address + "x", address[:strings.Index(address, "?")]} {
		_, err := readerOf(t, wrong).see(t.Context())
		require.ErrorContains(t, err, "the token is missing or wrong")
		require.True(t, final(err))
	}
}

func TestNothingToTellYet(t *testing.T) {
	job := newMadeUpJob(1, "running")
	job.none.Store(true)
	r := readerOf(t, served(t, job).URL())
	_, err := r.see(t.Context())
	require.ErrorIs(t, err, errNothingYet)
	require.False(t, final(err))
	job.none.Store(false)
	_, err = patient(t.Context(), r.see)
	require.NoError(t, err)
}

func TestNobodyThere(t *testing.T) {
	s := served(t, newMadeUpJob(1, "running"))
	require.NoError(t, s.Close())
	_, err := readerOf(t, s.URL()).see(t.Context())
	require.True(t, final(err))
	require.NotContains(t, err.Error(), "token")
}

// TestTokenGoesByHeader requires that the token goes only to the named server.
func TestTokenGoesByHeader(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		t.Error("a redirect was followed")
	}))
	defer other.Close()
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "Bearer a b", r.Header.Get("Authorization"))
		require.Equal(t, "/under/view.json", r.RequestURI)
		http.Redirect(w, r, other.URL, http.StatusFound)
	}))
	defer here.Close()
	t.Setenv("HTTP_PROXY", other.URL)
	_, err := readerOf(t, here.URL+"/under/?token=a+b&more=1").see(t.Context())
	require.ErrorContains(t, err, "status 302: the address points to another one, which is not followed")
}

// TestHostileServers uses servers whose answers no job's page would give.
func TestHostileServers(t *testing.T) {
	for text, want := range map[string]string{
		"": "no job's page, or that of another version", "[]": "no job's page, or that",
		"{}":           "the address serves no job's page",
		`{"ranks":-1}`: "the address serves no job's page", `{"ranks":"\u001b[2J"}`: "no job's page",
		`{"ranks":1e99}`: "no job's page",
		`{"verdict":"` + strings.Repeat("x", answerMost) + `"}`: "the answer is longer than 8 MiB",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }))
		_, err := readerOf(t, s.URL).see(t.Context())
		require.ErrorContains(t, err, want)
		require.True(t, final(err))
		require.False(t, obeyed(err.Error()), "%q", err)
		s.Close()
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "\x1b[2J", http.StatusTeapot)
	}))
	defer s.Close()
	_, err := readerOf(t, s.URL).see(t.Context())
	require.EqualError(t, err, "status 418: the address serves no job's page")
}
