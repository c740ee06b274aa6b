package page

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// render returns the page of a job as Chromium shows it after about two seconds of the page's time, which stops while
// an answer is awaited, and Chromium's messages.
func render(t *testing.T, source Source) (dom, said string) {
	t.Helper()
	s, err := Listen(Config{Addr: "0", Source: source})
	require.NoError(t, err)
	defer s.Close()
	return browse(t, s.URL())
}

func browse(t *testing.T, url string) (dom, said string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds to start")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not on PATH: the page is not looked at in a browser")
	}
	c, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out, errors strings.Builder
	command := exec.CommandContext(c, chromium, "--headless", "--no-sandbox", "--disable-gpu",
		"--user-data-dir="+t.TempDir(), "--enable-logging=stderr", "--v=0", "--virtual-time-budget=2500", "--dump-dom", url)
	command.Stdout, command.Stderr = &out, &errors
	command.WaitDelay = 10 * time.Second // helpers of the browser may keep its output open
	require.NoError(t, command.Run(), "%s", errors.String())
	return out.String(), errors.String()
}

func TestPageInBrowser(t *testing.T) {
	for kind, word := range map[string]string{"running": "RUNS", "stalled": "STALLED", "died": "DIED"} {
		t.Run(kind, func(t *testing.T) {
			source := newMadeUp(100, kind)
			dom, said := render(t, source)
			require.Contains(t, dom, `<span id="grade">`+word+`</span>`)
			verdict, _, _ := strings.Cut(source.Job().Verdict, " for ") // the seconds increase
			require.Contains(t, dom, verdict)
			require.Contains(t, dom, source.status)
			require.Contains(t, dom, "ranks 98–99", "ranks are shown in ranges")
			require.Equal(t, 3, strings.Count(dom, `class="uplot`), "plots")
			require.NotContains(t, said, "CONSOLE", "the page has errors")
			require.NotContains(t, dom, "token=")
		})
	}
}

// TestPageEscapes requires that the page treats no text of the application as HTML.
func TestPageEscapes(t *testing.T) {
	const hostile = `<script>document.title="taken"</script><img src=x onerror="document.title='taken'">`
	source := newMadeUp(4, "stalled")
	source.status = hostile
	dom, said := render(t, hostileSource{source, hostile})
	require.Contains(t, dom, `&lt;script&gt;document.title="taken"&lt;/script&gt;&lt;img`)
	require.NotContains(t, dom, "<script>document")
	require.NotContains(t, dom, "<img")
	require.Contains(t, dom, "<title>STALLED · &lt;script")
	require.NotContains(t, said, "CONSOLE")
}

func TestJSONHoldsNoHTML(t *testing.T) {
	source := hostileSource{newMadeUp(4, "stalled"), "</script><b>"}
	for _, of := range []any{source.Job(), ViewOf(source.Job()), source.Report()} {
		require.NotContains(t, string(encode(of)), "<")
		require.True(t, json.Valid(encode(of)))
	}
}

// TestPageSaysThatTheJobIsGone requires that the page shows a failed answer immediately, and keeps earlier data.
func TestPageSaysThatTheJobIsGone(t *testing.T) {
	source := newMadeUp(4, "running")
	paths := newPaths(Config{Source: source})
	var asked atomic.Int64
	ends := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/view.json" && asked.Add(1) > 1 {
			panic(http.ErrAbortHandler) // breaks the connection
		}
		paths.ServeHTTP(w, r)
	})
	s := httptest.NewServer(newGuard("known", hosts{names: map[string]bool{"127.0.0.1": true}}, ends))
	defer s.Close()
	dom, _ := browse(t, s.URL+"/?token=known")
	require.Regexp(t, `<p id="gone" role="alert">The job has ended or is unreachable since \d\d:\d\d:\d\d\.`, dom)
	require.Contains(t, dom, source.status, "the last state stays")
	require.Contains(t, dom, "<title>GONE · bfs")
}
