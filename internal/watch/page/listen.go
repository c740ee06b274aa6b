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

// Source is where a server takes a job from. Any goroutine may call it.
type Source interface {
	// Job is the state of the whole job, at most a second old; it is not changed afterwards. It is nil before anything
	// is known. It is called at most once a second.
	Job() *state.Job
	// Report is made now, which takes up to 2 s; it is nil when none can be made. One is made at a time.
	Report() *state.Report
}

// Config says what a server serves, and to whom.
type Config struct {
	// Addr is a port, or host:port. Without a host it is 127.0.0.1. The host may be an address, a name, or an interface
	// of this host, such as "eth0:8080". Port 0 is any that is free.
	Addr   string
	Token  string // what a viewer must know; empty: 32 random bytes in hex are drawn
	TLS    bool   // by a certificate that is made for the page; the address has its fingerprint
	Pprof  bool   // serve /debug/pprof/
	Source Source
	Log    *slog.Logger // gets what the HTTP server has to say, on level debug; nil: nobody

	headerWait, bodyWait time.Duration // how long a request may take to come; 0 is headerWait
}

// The limits hold for each connection. A stranger keeps one for headerWait at the most, whoever knows the token for
// idleWait between requests.
const (
	connectionsMost = 256
	headerMost      = 8 << 10 // bytes; net/http adds 4 KiB
	headerWait      = 5 * time.Second
	idleWait        = 30 * time.Second
	writeWait       = 30 * time.Second // the pprof handlers add the time of a profile
)

// Server is a page that is being served.
type Server struct {
	http  *http.Server
	gate  *gate
	url   string
	ended chan struct{} // closed when Serve has returned
}

// Listen binds the address and serves it until Close. An address that cannot be had is an error in words.
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
		DisableGeneralOptionsHandler: true, // OPTIONS * needs the token too
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

// URL is the address of the page, with the token. Show it to whoever runs the job, and nobody else. Any goroutine may
// call it.
func (s *Server) URL() string { return s.url }

// Close ends all connections. It waits until all that runs for them has returned, so for up to 2 s while a report is
// made. Any goroutine may call it, also again.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.ended
	s.gate.drain()
	return err
}
