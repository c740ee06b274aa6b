package netio

import "fmt"

// RankBytes is what a rank takes in memory at the least: its goroutine, its end of a transport, and its part of an epoch.
const RankBytes = 20 << 10

// Weigh refuses n things of at least so many bytes each when there is no room for all of them. what names several of them. Nothing is
// allocated; n and each may be as large as an int64 holds.
func Weigh(n int, what string, each, available int64) error {
	need := float64(n) * float64(each)
	if need <= float64(available) {
		return nil
	}
	return fmt.Errorf("%d %s need at least %s of memory, and %s are available", n, what, bytesText(need), bytesText(float64(available)))
}

// bytesText writes a number of bytes with three digits.
func bytesText(n float64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for ; n >= 1000 && i < len(units)-1; i++ {
		n /= 1 << 10
	}
	return fmt.Sprintf("%.3g %s", n, units[i])
}
