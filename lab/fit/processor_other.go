//go:build !unix

package fit

import "time"

// Processor returns wall time, since the system reports no processor time.
func Processor(now func() time.Duration) time.Duration { return now() }
