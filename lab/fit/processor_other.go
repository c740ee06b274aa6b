//go:build !unix

package fit

import "time"

// processor is wall time where the system does not tell better.
func processor(now func() time.Duration) time.Duration { return now() }
