package handshake

import (
	"crypto/hmac"
	"crypto/sha256"
)

const macBytes = sha256.Size

// key authenticates the messages of one connection.
type key []byte

// sessionKey binds the secret to one connection of one job: both nonces have fixed sizes, so the parts can't be shifted
// against each other.
func sessionKey(secret, client, server []byte, job string) key {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("active pebbles session"))
	h.Write(client)
	h.Write(server)
	h.Write([]byte(job))
	return h.Sum(nil)
}

// sum is the HMAC of a message under a label, which says what the message is and which end sends it.
func (k key) sum(label string, message []byte) []byte {
	h := hmac.New(sha256.New, k)
	h.Write([]byte(label))
	h.Write([]byte{0})
	h.Write(message)
	return h.Sum(nil)
}
