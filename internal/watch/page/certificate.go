package page

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"strings"
	"time"
)

// fingerprintName is the part of a page's address that names the certificate. Browsers do not send the part after #.
const fingerprintName = "certificate="

// certificateLife is the validity of a job's certificate, before and after its creation. A job may run for weeks.
const certificateLife = 366 * 24 * time.Hour

// encrypt gives the server its own certificate. No browser trusts its issuer, so viewers compare the fingerprint.
func (s *Server) encrypt() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader) // browsers do not take Ed25519
	if err != nil {
		return fmt.Errorf("make the key of the page: %w", err)
	}
	now := time.Now()
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Active Pebbles job"},
		NotBefore: now.Add(-certificateLife), NotAfter: now.Add(certificateLife),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, key.Public(), key)
	if err != nil {
		return fmt.Errorf("make the certificate of the page: %w", err)
	}
	s.http.TLSConfig = &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS13,
	}
	sum := sha256.Sum256(der)
	s.url = "https" + strings.TrimPrefix(s.url, "http") + "#" + fingerprintName + hex.EncodeToString(sum[:])
	return nil
}

// TLSOf returns the TLS configuration for the page at an address that a job has printed: it trusts only the certificate
// that the address names. Without a fingerprint it returns nil, for the usual rules.
func TLSOf(address *url.URL) *tls.Config {
	want, ok := strings.CutPrefix(address.Fragment, fingerprintName)
	if !ok {
		return nil
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, // self-signed: the address has its fingerprint
		VerifyConnection: func(s tls.ConnectionState) error {
			sum := sha256.Sum256(s.PeerCertificates[0].Raw)
			if hex.EncodeToString(sum[:]) != want {
				return errors.New("the certificate is another one: give the whole address that the job has printed")
			}
			return nil
		},
	}
}
