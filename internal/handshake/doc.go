// Package handshake is how two processes of an Active Pebbles job greet each other on a fresh connection: each proves
// that it knows the job's secret before anything else that it sends is looked at, then both say who they are.
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
// good for one connection of one job; the labels make it good for one direction, so that nothing that an end has sent
// can be played back to it. Up to the second proof all messages have fixed sizes: a stranger gets no byte parsed, and
// learns no more than a magic number. The greeting authenticates the ends; it does not encrypt.
//
// The second half of nonce C is an HMAC of the first under the secret and the job's id. So the server knows by the
// first message who may be a member, and a crowd of strangers takes no place from one. It proves nothing: who has
// seen it can send it again. A server refuses a nonce that is not signed by 32 zeros in place of S. One that ends the
// connection without a word had no room.
package handshake
