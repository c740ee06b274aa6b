package handshake

import (
	"crypto/tls"
	"time"
)

// SumOf is sumOf.
var SumOf = sumOf

// CertificateLife is certificateLife.
const CertificateLife = certificateLife

// TLSConfigAt is tlsConfig at another time.
func TLSConfigAt(secret []byte, job string, now time.Time) (*tls.Config, error) {
	a, err := newAuthority(secret, job)
	if err != nil {
		return nil, err
	}
	mine, err := a.issue(now)
	return a.config(mine), err
}
