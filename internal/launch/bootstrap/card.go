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

// cardWord begins each card. It changes with what follows.
const cardWord = "pebbles-1"

// card is what a process leaves on the board.
type card struct {
	print   [sha256.Size]byte // of its certificate
	address string            // where it listens for its children
}

func (c card) String() string {
	return cardWord + "," + base64.RawURLEncoding.EncodeToString(c.print[:]) + "," + c.address
}

func parseCard(text string) (c card, err error) {
	parts := strings.SplitN(text, ",", 3)
	if len(parts) != 3 || parts[0] != cardWord || parts[2] == "" {
		return c, errors.New("it is not the card of a process of this program's version")
	}
	b, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || len(b) != len(c.print) {
		return c, errors.New("its card has no fingerprint")
	}
	copy(c.print[:], b)
	c.address = parts[2]
	return c, nil
}

// cards proves who a process is by its card.
type cards struct {
	number      int
	tree        tree
	board       Board
	certificate tls.Certificate
	limit       time.Duration // until a child has said who it is
}

// newCards makes a certificate, and leaves this process's card on the board.
func newCards(ctx context.Context, c Config, board Board) (*cards, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, form, form, public, private)
	if err != nil {
		return nil, fmt.Errorf("make certificate: %w", err)
	}
	p := &cards{
		number: c.Number, tree: c.tree(), board: board, limit: c.Limit,
		certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private},
	}
	return p, board.Post(ctx, c.Number, card{sha256.Sum256(der), c.Listener.Addr().String()}.String())
}

func (p *cards) read(ctx context.Context, process int) (card, error) {
	text, err := p.board.Read(ctx, process)
	if err != nil {
		return card{}, err
	}
	c, err := parseCard(text)
	if err != nil {
		return c, fmt.Errorf("process %d: %w", process, err)
	}
	return c, nil
}

func (p *cards) find(ctx context.Context, parent int) (string, func(context.Context, net.Conn) (net.Conn, error), error) {
	c, err := p.read(ctx, parent)
	return c.address, func(ctx context.Context, conn net.Conn) (net.Conn, error) {
		t := tls.Client(conn, &tls.Config{
			Certificates: []tls.Certificate{p.certificate}, MinVersion: tls.VersionTLS13,
			InsecureSkipVerify: true, // nobody has signed it: the card says which it is
			VerifyConnection:   func(s tls.ConnectionState) error { return c.verify(s) },
		})
		return t, p.introduce(ctx, t)
	}, err
}

// introduce tells the parent which of its children this is. It returns when the parent has taken it in: one that has given up in the
// meantime is dialled again.
func (p *cards) introduce(ctx context.Context, t *tls.Conn) error {
	if err := t.HandshakeContext(ctx); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { t.SetDeadline(time.Unix(1, 0)) })()
	if err := handshake.WriteMessage(t, report{Number: p.number}); err != nil {
		return err
	}
	var taken report
	return handshake.ReadMessage(t, messageBytesMax(0), &taken)
}

// verify holds the other end of a connection to its card.
func (c card) verify(s tls.ConnectionState) error {
	if len(s.PeerCertificates) != 1 || sha256.Sum256(s.PeerCertificates[0].Raw) != c.print {
		return handshake.ErrSecret
	}
	return nil
}

func (p *cards) guard(ctx context.Context, g *handshake.Gate) {
	g.Prove = func(conn net.Conn, begun func()) (net.Conn, handshake.Hello, error) {
		return p.welcome(ctx, conn, begun)
	}
}

// welcome finds out which child has dialled. It calls begun when that has begun to speak TLS.
func (p *cards) welcome(ctx context.Context, conn net.Conn, begun func()) (net.Conn, handshake.Hello, error) {
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	t := tls.Server(conn, &tls.Config{
		Certificates: []tls.Certificate{p.certificate}, MinVersion: tls.VersionTLS13, ClientAuth: tls.RequireAnyClientCert,
		SessionTicketsDisabled: true,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			begun()
			return nil, nil // goes on with this one
		},
	})
	child, err := p.greet(ctx, t)
	if err != nil {
		return nil, handshake.Hello{}, fmt.Errorf("greet %v: %w", conn.RemoteAddr(), err)
	}
	return t, handshake.Hello{Process: child}, nil
}

func (p *cards) greet(ctx context.Context, t *tls.Conn) (child int, err error) {
	if err := t.HandshakeContext(ctx); err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, func() { t.SetDeadline(time.Unix(1, 0)) })()
	var r report
	if err := handshake.ReadMessage(t, messageBytesMax(0), &r); err != nil {
		return 0, err
	}
	if !p.tree.isChild(r.Number, p.number) {
		return 0, fmt.Errorf("it says that it is process %d", r.Number)
	}
	c, err := p.read(ctx, r.Number)
	if err == nil {
		err = c.verify(t.ConnectionState())
	}
	if err == nil {
		err = handshake.WriteMessage(t, report{Number: p.number})
	}
	return r.Number, err
}
