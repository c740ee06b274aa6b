package handshake

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
)

const macBytes = sha256.Size

// nonce is the contribution of an end to the key of a connection. Zeros are a refusal.
type nonce [2 * halfBytes]byte

const halfBytes = 16

// random returns a server's nonce.
func random() (n nonce) {
	rand.Read(n[:]) // never fails: the program crashes instead
	return n
}

// sign makes a client's nonce: its second half is an HMAC of the first.
func sign(n nonce, secret []byte, job string) nonce {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("active pebbles opening"))
	h.Write(n[:halfBytes])
	h.Write([]byte(job))
	copy(n[halfBytes:], h.Sum(nil))
	return n
}

func (n nonce) signed(secret []byte, job string) bool {
	good := sign(n, secret, job)
	return hmac.Equal(n[:], good[:])
}

// key authenticates the messages of one connection.
type key []byte

// sessionKey binds the secret to one connection of one job: both nonces have fixed sizes, so the parts can't be shifted
// against each other.
func sessionKey(secret []byte, client, server nonce, job string) key {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("active pebbles session"))
	h.Write(client[:])
	h.Write(server[:])
	h.Write([]byte(job))
	return h.Sum(nil)
}

// sum returns the HMAC of a message under a label, which identifies the message and the end that sends it.
func (k key) sum(label string, message []byte) []byte {
	h := hmac.New(sha256.New, k)
	h.Write([]byte(label))
	h.Write([]byte{0})
	h.Write(message)
	return h.Sum(nil)
}
