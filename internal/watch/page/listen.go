package page

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// Source provides the state of a job to a server. Any goroutine may call it.
type Source interface {
	// Job returns the state of the whole job, at most a second old, which does not change afterwards. It returns nil
	// before anything is known. It is called at most once a second.
	Job() *state.Job
	// Report makes a report, which takes up to 2 s. It returns nil if that is impossible. One report is made at a time.
	Report() *state.Report
}

// Config configures a server.
type Config struct {
	// Addr is a port, or host:port. The default host is 127.0.0.1. The host may be an address, a name, or an interface
	// of this host, such as "eth0:8080". Port 0 selects a free port.
	Addr   string
	Token  string // secret for viewers; empty: 32 random bytes in hex
	TLS    bool   // use a certificate made for the page; the address has its fingerprint
	Pprof  bool   // serve /debug/pprof/
	Source Source
	Log    *slog.Logger // for messages of the HTTP server, at level debug; nil: none

	headerWait, bodyWait time.Duration // time limits of a request's arrival; 0 is headerWait
}

// These limits apply to each connection. A stranger keeps one for headerWait at most, and a viewer with the token for
// idleWait between requests.
const (
	connectionsMost = 256
	headerMost      = 8 << 10 // bytes; net/http adds 4 KiB
	headerWait      = 5 * time.Second
	idleWait        = 30 * time.Second
	writeWait       = 30 * time.Second // pprof handlers add the time of a profile
)

// Server serves the page.
type Server struct {
	http  *http.Server
	gate  *gate
	url   string
	ended chan struct{} // closed when Serve has returned
}

// Listen binds the address and serves it until Close. An error about an unavailable address names the remedy.
func Listen(c Config) (*Server, error) {
	if c.Token == "" {
		c.Token = draw()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	at, err := parse(c.Addr)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", at.listen())
	if err != nil {
		return nil, inWords(at.listen(), err)
	}
	bound := listener.Addr().(*net.TCPAddr)
	guard := newGuard(c.Token, at.hosts(bound), newPaths(c))
	guard.bodyWait = cmp.Or(c.bodyWait, headerWait)
	s := &Server{
		gate:  newGate(listener, connectionsMost),
		url:   fmt.Sprintf("http://%s/?token=%s", at.seen(bound), url.QueryEscape(c.Token)),
		ended: make(chan struct{}),
	}
	s.http = &http.Server{
		Handler:                      guard,
		DisableGeneralOptionsHandler: true, // OPTIONS * also needs the token
		ReadHeaderTimeout:            cmp.Or(c.headerWait, headerWait),
		WriteTimeout:                 writeWait,
		IdleTimeout:                  idleWait,
		MaxHeaderBytes:               headerMost,
		ConnState:                    s.gate.state,
		ErrorLog:                     slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
	}
	if c.TLS {
		if err := s.encrypt(); err != nil {
			listener.Close()
			return nil, err
		}
	}
	go s.serve(c.Log)
	return s, nil
}

// draw draws a token.
func draw() string {
	var random [32]byte
	rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

func (s *Server) serve(log *slog.Logger) {
	defer close(s.ended)
	serve := s.http.Serve
	if s.http.TLSConfig != nil {
		serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
	}
	if err := serve(s.gate); !errors.Is(err, http.ErrServerClosed) {
		log.Warn("the page of the job is no longer served", "error", err)
	}
}

// URL returns the address of the page with the token. Show it only to the owner of the job. Any goroutine may call it.
func (s *Server) URL() string { return s.url }

// Close ends all connections. It waits until all handlers have returned, so for up to 2 s while a report is made. Any
// goroutine may call it, repeatedly.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.ended
	s.gate.drain()
	return err
}
