package launch

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/launch/bootstrap"
)

// arrival is the message of a process to the launcher after their handshake.
type arrival struct {
	Address string // of its listener for the other processes
}

// departure is the message of the launcher to each process once all have arrived, or once the job has failed.
type departure struct {
	Addresses []string `json:",omitempty"` // by process
	Failed    string   `json:",omitempty"` // the cause, if the job has failed
}

// complaint is the message of a process to the launcher if it ends because it has lost others or has waited for them in
// vain. Messages about checkpoints, in any number, may come before it.
type complaint struct {
	Saved     bool   `json:",omitempty"` // a checkpoint, and no complaint
	Processes []int  // the lost ones, at most blamedMax
	Cause     string // of the loss
	by        int    // the sender
	near      bool   // the sender runs on the launcher's host
}

// The limits of messages, in bytes, and of the processes of a complaint.
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
	return bootstrap.CheckAddress(address)
}
