package page

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// guard passes requests that have the token and only read.
type guard struct {
	token  [sha256.Size]byte // its hash: constant length, for comparison in constant time
	cookie http.Cookie
	value  [sha256.Size]byte // hash of the cookie's value
	hosts  hosts
	next   http.Handler

	bodyWait time.Duration
}

const tokenName = "token"

// newGuard derives the cookie from the token. The cookie's value does not reveal the token. Its name differs between
// two jobs that a browser sees under one host.
func newGuard(token string, h hosts, next http.Handler) *guard {
	value := derive(token, "value")
	return &guard{
		token: sha256.Sum256([]byte(token)),
		cookie: http.Cookie{Name: "pebbles_" + derive(token, "name")[:16], Value: value, Path: "/",
			HttpOnly: true, SameSite: http.SameSiteStrictMode},
		value: sha256.Sum256([]byte(value)),
		hosts: h, next: next, bodyWait: headerWait,
	}
}

// derive derives one of several secrets from a token.
func derive(token, what string) string {
	m := hmac.New(sha256.New, []byte(token))
	m.Write([]byte(what))
	return hex.EncodeToString(m.Sum(nil))
}

// policy lets the page load only resources of this server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// secure sets the headers that let browsers exclude other pages.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
}

// ServeHTTP checks the token first, so that a stranger discovers nothing, not even the existing paths.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	if r.ContentLength != 0 { // no handler reads a body, but net/http reads some of it while it may arrive
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(g.bodyWait))
	}
	query := r.URL.Query()
	byQuery := same(query.Get(tokenName), g.token)
	switch {
	case !byQuery && !g.known(r):
		w.Header().Set("Connection", "close")
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "the token is missing or wrong: open the address that the job has printed", http.StatusUnauthorized)
	case !g.hosts.has(r.Host):
		http.Error(w, "this server has another name: use the address that the job has printed", http.StatusMisdirectedRequest)
	case foreign(r):
		http.Error(w, "pages of other servers may not ask", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "this server only tells: use GET or HEAD", http.StatusMethodNotAllowed)
	default:
		if byQuery {
			http.SetCookie(w, &g.cookie)
		}
		g.next.ServeHTTP(w, without(r, query))
	}
}

// known reports whether a request has the token in a header, or the cookie.
func (g *guard) known(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") && same(strings.TrimSpace(token), g.token) {
		return true
	}
	c, err := r.Cookie(g.cookie.Name)
	return err == nil && same(c.Value, g.value)
}

// same compares in a time that does not depend on the position of a difference.
func same(text string, sum [sha256.Size]byte) bool {
	got := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(got[:], sum[:]) == 1
}

// foreign reports whether a page of another server makes the request.
func foreign(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || !strings.EqualFold(u.Host, r.Host)
}

// without returns the request without the token, which no handler may forward.
func without(r *http.Request, query url.Values) *http.Request {
	if !query.Has(tokenName) {
		return r
	}
	query.Del(tokenName)
	clean := r.Clone(r.Context())
	clean.URL.RawQuery = query.Encode()
	clean.RequestURI = clean.URL.RequestURI()
	return clean
}
