package values

import "fmt"

// AddressCacheMax is the largest number of addresses in a process's cache.
const AddressCacheMax = 1000

// CheckAddressCache returns an error if an address cache can't have the given number of entries.
func CheckAddressCache(entries int) error {
	if entries > AddressCacheMax {
		return fmt.Errorf("an address cache of %d: at most 1,000", entries)
	}
	return nil
}
