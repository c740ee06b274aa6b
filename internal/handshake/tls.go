package handshake

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"time"
)

// certificateLife is the time that a certificate is valid, before and after its issue. It must cover the difference
// between the clocks of two hosts: certificates are checked once, at the start of a connection.
const certificateLife = 24 * time.Hour

// authority is a job's certificate authority. Its key follows from the job's secret, so every process with the secret
// can issue a certificate to itself, and a launcher distributes only the secret. Traffic keys do not follow from the
// secret: TLS 1.3 agrees on new ones for each connection.
type authority struct {
	job  string
	key  ed25519.PrivateKey
	root *x509.Certificate
}

func newAuthority(secret []byte, job string) (*authority, error) {
	const purpose = "active pebbles certificate authority, job "
	seed, err := hkdf.Key(sha256.New, secret, nil, purpose+job, ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("derive the key of the certificate authority of the job: %w", err)
	}
	a := &authority{job: job, key: ed25519.NewKeyFromSeed(seed)}
	form := a.form(time.Now())
	form.IsCA, form.BasicConstraintsValid, form.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, form, form, a.key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("make the certificate authority of the job: %w", err)
	}
	a.root, err = x509.ParseCertificate(der)
	return a, err
}

// form has the fields that all certificates of a job share.
func (a *authority) form(now time.Time) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "active pebbles job " + a.job},
		NotBefore: now.Add(-certificateLife), NotAfter: now.Add(certificateLife),
	}
}

// issue makes a certificate with a new key, for either end of a connection.
func (a *authority) issue(now time.Time) (tls.Certificate, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("make a key: %w", err)
	}
	form := a.form(now)
	form.KeyUsage, form.DNSNames = x509.KeyUsageDigitalSignature, []string{memberName}
	form.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, form, a.root, public, a.key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("issue a certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, nil
}

// memberName stands for any process of a job in certificates. A Hello identifies the process.
const memberName = "member.pebbles.invalid"

// tlsConfig returns the configuration of either end of a connection between members of a job: TLS 1.3 alone, and a
// certificate of the job's authority at both ends. It costs two signatures.
func tlsConfig(secret []byte, job string) (*tls.Config, error) {
	a, err := newAuthority(secret, job)
	if err != nil {
		return nil, err
	}
	mine, err := a.issue(time.Now())
	if err != nil {
		return nil, err
	}
	return a.config(mine), nil
}

func (a *authority) config(mine tls.Certificate) *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(a.root)
	return &tls.Config{
		Certificates: []tls.Certificate{mine}, MinVersion: tls.VersionTLS13, ServerName: memberName,
		RootCAs: pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, SessionTicketsDisabled: true,
		DynamicRecordSizingDisabled: true, // frames are large
	}
}

// Socket returns the connection under TLS, or conn itself if it is not encrypted.
func Socket(conn net.Conn) net.Conn {
	if encrypted, ok := conn.(*tls.Conn); ok {
		return encrypted.NetConn()
	}
	return conn
}

// encrypt continues a greeting over TLS, once both ends have proven the secret: strangers cost no signature.
func (g *greeting) encrypt(end func(net.Conn, *tls.Config) *tls.Conn) error {
	if !g.mine.Encrypted {
		return nil
	}
	config, err := tlsConfig(g.secret, g.mine.Job)
	if err != nil {
		return err
	}
	encrypted := end(g.conn, config)
	if err := encrypted.Handshake(); err != nil {
		return fmt.Errorf("begin TLS: %w", err)
	}
	g.conn = encrypted
	return nil
}
