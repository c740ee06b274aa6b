package values

import "fmt"

// AddressCacheMax is how many addresses a process may keep.
const AddressCacheMax = 1000

// CheckAddressCache returns an error when an address cache can't have so many entries.
func CheckAddressCache(entries int) error {
	if entries > AddressCacheMax {
		return fmt.Errorf("an address cache of %d: at most 1,000", entries)
	}
	return nil
}
