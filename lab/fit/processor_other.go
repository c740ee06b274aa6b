//go:build !unix

package fit

import "time"

// processor is wall time where the system reports no processor time.
func processor(now func() time.Duration) time.Duration { return now() }
