package handshake

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// WriteMessage sends a message as its length in 4 bytes, little-endian, and its JSON.
func WriteMessage(w io.Writer, message any) error {
	body, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	if _, err := w.Write(append(b, body...)); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// ReadMessage receives a message of at most limit bytes. io.EOF is in the chain of its error only if the other end has
// left before the message began.
func ReadMessage(r io.Reader, limit int, message any) error {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return fmt.Errorf("read message: %w", err)
	}
	n := binary.LittleEndian.Uint32(length[:])
	if uint64(n) > uint64(limit) {
		return fmt.Errorf("read message: %d bytes, the most is %d", n, limit)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("read message: %w", err)
	}
	if err := json.Unmarshal(body, message); err != nil {
		return fmt.Errorf("decode message: %w", err)
	}
	return nil
}
