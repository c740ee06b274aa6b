// Package handshake lets two processes of an Active Pebbles job greet each other on a fresh connection: each proves the
// job's secret before the other parses any of its messages, then both identify themselves.
//
//	client                                  server
//	  magic, nonce C   ─────────────────►              40 bytes; C signs itself
//	                   ◄─────────────────   magic, nonce S
//	  HMAC("client proof") ─────────────►              32 bytes
//	                   ◄─────────────────   HMAC("server proof")
//	  Hello, HMAC("client hello") ──────►              at most 4 KiB each
//	                   ◄─────────────────   Hello, HMAC("server hello")
//
// The key of the HMACs (SHA-256) is itself an HMAC of the job's secret over both nonces and the job's id. So a proof is
// valid for one connection of one job; the labels make it valid for one direction, so that no message of an end can be
// replayed to it. Up to the second proof, all messages have fixed sizes: no byte of a stranger is parsed, and a
// stranger receives only a magic number. The greeting authenticates the ends; it does not encrypt.
//
// The second half of nonce C is an HMAC of the first under the secret and the job's id. So the server recognises a
// possible member by the first message, and a crowd of strangers takes no place from it. The HMAC proves nothing, since
// an observer can replay it. A server refuses an unsigned nonce by 32 zeros instead of S. A server without room ends
// the connection without an answer.
package handshake
