package page

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/internal/scenario"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// awaited is far longer than any machine needs.
const awaited = time.Minute

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve serves a source until the test ends.
func serve(t *testing.T, c Config) *Server {
	t.Helper()
	if c.Addr == "" {
		c.Addr = "0"
	}
	s, err := Listen(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// target returns the URL of a path of a server, without the token.
func target(t *testing.T, s *Server, path string) string {
	t.Helper()
	u, err := url.Parse(s.URL())
	require.NoError(t, err)
	return "http://" + u.Host + path
}

// ask makes one request on its own connection.
func ask(t *testing.T, method, at string, header http.Header) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, at, nil)
	require.NoError(t, err)
	for name := range header {
		r.Header.Set(name, header.Get(name))
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(body)
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

const secret = "a secret; with = odd & characters"

var allPaths = []string{"/", "/job.json", "/view.json", "/history.json", "/report", "/report.json", "/metrics",
	"/debug/pprof/", "/debug/pprof/heap", "/assets/main.js", "/assets/", "/nothing", "//", "/../x", "/debug/pprof"}

// TestTokenIsAskedForEverywhere requires that requests without the token reveal nothing.
func TestTokenIsAskedForEverywhere(t *testing.T) {
	source := newMadeUp(4, "running")
	s := serve(t, Config{Token: secret, Pprof: true, Source: source})
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"} {
		for _, path := range allPaths {
			for _, with := range []http.Header{nil, bearer("wrong"), bearer(""), {"Authorization": {"Basic " + secret}},
				{"Cookie": {newGuard("wrong", hosts{}, nil).cookie.String()}}, {"Host": {"evil.example"}}} {
				answer, _ := ask(t, method, target(t, s, path), with)
				require.Equal(t, http.StatusUnauthorized, answer.StatusCode, "%s %s %v", method, path, with)
				require.Empty(t, answer.Cookies())
			}
		}
		answer, _ := ask(t, method, target(t, s, "/?token=wrong"), nil)
		require.Equal(t, http.StatusUnauthorized, answer.StatusCode)
	}
	require.Zero(t, source.asked.Load()+source.reports.Load(), "strangers cost the job something")
}

func TestTokenIsAskedForOddRequests(t *testing.T) {
	s := serve(t, Config{Source: newMadeUp(1, "running")})
	host := strings.TrimPrefix(target(t, s, ""), "http://")
	for _, line := range []string{"OPTIONS *", "CONNECT evil.example:80", "GET http://evil.example/", "GET *"} {
		c, err := net.Dial("tcp", host)
		require.NoError(t, err)
		_, err = io.WriteString(c, line+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
		require.NoError(t, err)
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err, line)
		answer.Body.Close()
		require.Equal(t, http.StatusUnauthorized, answer.StatusCode, line)
		c.Close()
	}
}

func TestTokenLetsIn(t *testing.T) {
	s := serve(t, Config{Token: secret, Pprof: true, Source: newMadeUp(4, "running")})
	answer, _ := ask(t, "GET", s.URL(), nil)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Len(t, answer.Cookies(), 1)
	cookie := answer.Cookies()[0]
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, cookie.SameSite)
	require.NotContains(t, cookie.Value, secret)
	for _, path := range []string{"/", "/job.json", "/view.json", "/history.json", "/report", "/report.json", "/metrics",
		"/debug/pprof/", "/debug/pprof/heap", "/assets/main.js", "/assets/uplot/uPlot.iife.min.js", "/assets/uplot/LICENSE"} {
		for _, with := range []http.Header{bearer(secret), {"Cookie": {cookie.Name + "=" + cookie.Value}}} {
			answer, body := ask(t, "GET", target(t, s, path), with)
			require.Equal(t, http.StatusOK, answer.StatusCode, path)
			require.NotContains(t, body, secret)
			require.NotContains(t, body, url.QueryEscape(secret))
			require.Empty(t, answer.Cookies())
			headersAreSafe(t, answer.Header)
		}
	}
}

func headersAreSafe(t *testing.T, h http.Header) {
	t.Helper()
	require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
	require.Equal(t, "no-referrer", h.Get("Referrer-Policy"))
	require.Equal(t, "no-store", h.Get("Cache-Control"))
	policy := h.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'")
	require.Contains(t, policy, "frame-ancestors 'none'")
	require.NotContains(t, policy, "unsafe")
	require.NotContains(t, policy, "http")
}

// TestTokenIsNotPassedOn requires that a path that redirects does not forward the token.
func TestTokenIsNotPassedOn(t *testing.T) {
	s := serve(t, Config{Token: "abcdef", Pprof: true, Source: newMadeUp(1, "running")})
	answer, body := ask(t, "GET", target(t, s, "/debug/pprof?token=abcdef&debug=1"), nil)
	require.Contains(t, answer.Header.Get("Location"), "debug=1")
	require.NotContains(t, answer.Header.Get("Location")+body, "abcdef")
}

func TestTokenIsDrawn(t *testing.T) {
	a, b := serve(t, Config{Source: newMadeUp(1, "running")}), serve(t, Config{Source: newMadeUp(1, "running")})
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{64}$`, a.URL())
	require.NotEqual(t, a.URL()[len(a.URL())-64:], b.URL()[len(b.URL())-64:])
}

// TestViewersShare requires that many viewers cost as much as one.
func TestViewersShare(t *testing.T) {
	source := newMadeUp(64, "running")
	s := serve(t, Config{Token: secret, Source: source})
	begun := time.Now()
	var viewers sync.WaitGroup
	for range 10 {
		viewers.Go(func() {
			for range 10 {
				ask(t, "GET", target(t, s, "/view.json"), bearer(secret))
			}
		})
	}
	viewers.Wait()
	require.LessOrEqual(t, source.asked.Load(), 1+int64(time.Since(begun)/once))
}

// knowsNothing is a source without any state.
type knowsNothing struct{}

func (knowsNothing) Job() *state.Job       { return nil }
func (knowsNothing) Report() *state.Report { return nil }

// TestScenarios runs the files of testdata. They contain addresses to listen at, and answers to requests with the
// token. $OWN is the server's address, and $LOOPBACK an interface.
func TestScenarios(t *testing.T) {
	scenario.Run(t, func(t *testing.T, l *scenario.Log) scenario.Verbs {
		var s *Server
		loopback := "lo"
		if _, err := net.InterfaceByName(loopback); err != nil {
			loopback = "lo0" // on other systems
		}
		request := func(c *scenario.Command) {
			own := strings.TrimPrefix(target(t, s, ""), "http://")
			header := bearer(secret)
			for name, key := range map[string]string{"Host": "host", "Origin": "origin"} {
				if text := strings.ReplaceAll(c.Text(key, ""), "$OWN", own); text != "" {
					header.Set(name, text)
				}
			}
			answer, body := ask(t, c.Name, target(t, s, c.Word("path")), header)
			require.True(t, body == "" || c.Name != "HEAD")
			if allow := answer.Header.Get("Allow"); allow != "" {
				answer.Status += ", only " + allow
			}
			if strings.Contains(body, "ask again in a moment") || body == "[]" {
				answer.Status += ": " + strings.TrimSpace(body)
			}
			l.Say("%s", answer.Status)
		}
		verbs := scenario.Verbs{
			"address": func(c *scenario.Command) {
				at, err := parse(strings.Replace(strings.Trim(c.Word("text"), `"`), "$LOOPBACK", loopback, 1))
				if err != nil {
					l.Say("%v", err)
				} else {
					l.Say("%s", at.listen())
				}
			},
			"serve": func(c *scenario.Command) {
				config := Config{Token: secret, Pprof: c.Has("pprof"), Source: newMadeUp(1, "running")}
				if c.Has("nothing") {
					config.Source = knowsNothing{}
				}
				s = serve(t, config)
			},
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"} {
			verbs[method] = request
		}
		return verbs
	})
}

// TestEncryptedPage requires that a page over TLS opens for viewers with the fingerprint of its certificate, which is
// in the page's address.
func TestEncryptedPage(t *testing.T) {
	s := serve(t, Config{TLS: true, Source: newMadeUp(1, "running")})
	u, err := url.Parse(s.URL())
	require.NoError(t, err)
	require.Equal(t, "https", u.Scheme)
	get := func(fragment string) error {
		u.Fragment = fragment
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: TLSOf(u)}}
		answer, err := client.Get(u.String())
		if err == nil {
			err = answer.Body.Close()
		}
		return err
	}
	fingerprint := u.Fragment
	require.NoError(t, get(fingerprint))
	require.ErrorContains(t, get(fingerprintName+"00"), "certificate is another one")
	require.ErrorContains(t, get(""), "certificate", "the usual rules do not trust it")
	answer, _ := ask(t, http.MethodGet, "http://"+u.Host+"/", nil)
	require.Equal(t, http.StatusBadRequest, answer.StatusCode, "nothing is served without TLS")
}
