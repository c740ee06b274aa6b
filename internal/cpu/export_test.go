package cpu

// OwnCache and OutOfReach determine the tables whose elements are prefetched.
var (
	OwnCache   = func() uintptr { return ownCache() }
	OutOfReach = outOfReach
)
