package bootstrap

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// entryVersion begins each entry. It changes with the format of entries.
const entryVersion = "pebbles-1"

// entry is the value that a process publishes in the store.
type entry struct {
	fingerprint [sha256.Size]byte // of its certificate
	address     string            // listening address for its children
}

func (e entry) String() string {
	return entryVersion + "," + base64.RawURLEncoding.EncodeToString(e.fingerprint[:]) + "," + e.address
}

func parseEntry(text string) (e entry, err error) {
	parts := strings.SplitN(text, ",", 3)
	if len(parts) != 3 || parts[0] != entryVersion || parts[2] == "" {
		return e, errors.New("its entry is not that of a process of this program's version")
	}
	b, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || len(b) != len(e.fingerprint) {
		return e, errors.New("its entry has no fingerprint")
	}
	copy(e.fingerprint[:], b)
	e.address = parts[2]
	return e, nil
}

// byCertificate authenticates processes by certificates whose fingerprints are in a store.
type byCertificate struct {
	number      int
	tree        tree
	store       Store
	certificate tls.Certificate
	limit       time.Duration // until a child has proven its identity
}

// publish makes a certificate, and publishes this process's entry.
func publish(ctx context.Context, c Config, store Store) (*byCertificate, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, form, form, public, private)
	if err != nil {
		return nil, fmt.Errorf("make certificate: %w", err)
	}
	b := &byCertificate{
		number: c.Number, tree: c.tree(), store: store, limit: c.Limit,
		certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private},
	}
	return b, store.Publish(ctx, c.Number, entry{sha256.Sum256(der), c.Listener.Addr().String()}.String())
}

func (b *byCertificate) lookup(ctx context.Context, process int) (entry, error) {
	text, err := b.store.Lookup(ctx, process)
	if err != nil {
		return entry{}, err
	}
	e, err := parseEntry(text)
	if err != nil {
		return e, fmt.Errorf("process %d: %w", process, err)
	}
	return e, nil
}

// prove identifies this child to the parent. It returns when the parent has answered: one that has given up meanwhile
// is dialled again.
func (b *byCertificate) prove(ctx context.Context, conn net.Conn, parent entry) (net.Conn, error) {
	t := tls.Client(conn, &tls.Config{
		Certificates: []tls.Certificate{b.certificate}, MinVersion: tls.VersionTLS13,
		InsecureSkipVerify: true, // unsigned: the entry has its fingerprint
		VerifyConnection:   parent.verify,
	})
	if err := t.HandshakeContext(ctx); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { t.SetDeadline(time.Unix(1, 0)) })()
	if err := handshake.WriteMessage(t, report{Number: b.number}); err != nil {
		return nil, err
	}
	var answer report
	return t, handshake.ReadMessage(t, messageBytesMax(0), &answer)
}

// verify compares the certificate of the other end of a connection with its entry.
func (e entry) verify(s tls.ConnectionState) error {
	if len(s.PeerCertificates) != 1 || sha256.Sum256(s.PeerCertificates[0].Raw) != e.fingerprint {
		return handshake.ErrSecret
	}
	return nil
}

func (b *byCertificate) guard(ctx context.Context, g *handshake.Gate) {
	g.Prove = func(conn net.Conn, begun func()) (net.Conn, handshake.Hello, error) {
		ctx, cancel := context.WithTimeout(ctx, b.limit)
		defer cancel()
		t := tls.Server(conn, &tls.Config{
			Certificates: []tls.Certificate{b.certificate}, MinVersion: tls.VersionTLS13, ClientAuth: tls.RequireAnyClientCert,
			SessionTicketsDisabled: true,
			GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
				begun()
				return nil, nil // this configuration stays
			},
		})
		child, err := b.identify(ctx, t)
		if err != nil {
			return nil, handshake.Hello{}, fmt.Errorf("greet %v: %w", conn.RemoteAddr(), err)
		}
		return t, handshake.Hello{Process: child}, nil
	}
}

// identify identifies the child that has dialled, and answers it.
func (b *byCertificate) identify(ctx context.Context, t *tls.Conn) (child int, err error) {
	if err := t.HandshakeContext(ctx); err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, func() { t.SetDeadline(time.Unix(1, 0)) })()
	var r report
	if err := handshake.ReadMessage(t, messageBytesMax(0), &r); err != nil {
		return 0, err
	}
	if !b.tree.isChild(r.Number, b.number) {
		return 0, fmt.Errorf("it says that it is process %d", r.Number)
	}
	e, err := b.lookup(ctx, r.Number)
	if err == nil {
		err = e.verify(t.ConnectionState())
	}
	if err == nil {
		err = handshake.WriteMessage(t, report{Number: b.number})
	}
	return r.Number, err
}
