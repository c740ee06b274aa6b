//go:build !unix

package fit

import "time"

// processor returns wall time, since the system reports no processor time.
func processor(now func() time.Duration) time.Duration { return now() }
