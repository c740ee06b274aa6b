package cpu

// OwnCache and OutOfReach tell of which tables elements are prefetched.
var (
	OwnCache   = func() uintptr { return ownCache() }
	OutOfReach = outOfReach
)
