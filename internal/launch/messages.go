package launch

import (
	"fmt"
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
