package launch

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
)

// arrival is what a process tells the launcher after their handshake.
type arrival struct {
	Address string // where it listens for the other processes
}

// departure is what the launcher tells each process once all have arrived, or when that will not happen.
type departure struct {
	Addresses []string `json:",omitempty"` // by process
	Failed    string   `json:",omitempty"` // why the job has failed, when it has
}

// complaint is what a process tells the launcher when it ends because it has lost others, or has waited for them in vain.
type complaint struct {
	Processes []int  // those, at most blamedMax
	Cause     string // what was wrong with them
	by        int    // who complains
}

// The limits of messages, in bytes, and of what a complaint has.
const (
	complaintBytesMax = 16 << 10
	complaintCauseMax = 1 << 10
	blamedMax         = 1 << 10
	arrivalBytesMax   = 1 << 10
	addressBytesMax   = 256
	failedBytesMax    = 4 << 10
)

func departureBytesMax(processes int) int { return 64<<10 + processes*(addressBytesMax+3) }

func (a arrival) check() error { return checkAddress(a.Address) }

func (d departure) check(processes int) error {
	if d.Failed != "" {
		return nil
	}
	if len(d.Addresses) != processes {
		return fmt.Errorf("there are %d addresses for %d processes", len(d.Addresses), processes)
	}
	for i, a := range d.Addresses {
		if err := checkAddress(a); err != nil {
			return fmt.Errorf("process %d: %w", i, err)
		}
	}
	return nil
}

func checkAddress(address string) error {
	if len(address) > addressBytesMax {
		return fmt.Errorf("an address of %d bytes, the most is %d", len(address), addressBytesMax)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || host == "" {
		return fmt.Errorf("address %q is not of the form host:port", address)
	}
	return nil
}

// writeMessage sends a message as its length in 4 bytes, little-endian, and its JSON.
func writeMessage(w io.Writer, message any) error {
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

// readMessage receives a message of at most limit bytes. io.EOF is in the chain of its error only when the other end has
// left before the message began.
func readMessage(r io.Reader, limit int, message any) error {
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
