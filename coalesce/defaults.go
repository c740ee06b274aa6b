package coalesce

// FactorDefault is the default coalescing factor, in pebbles per buffer. The paper used 4,096 for BFS and Permutation,
// and 1,024 where the benchmark's rules bound it (Active Pebbles, section 5.1).
const FactorDefault = 1024

// bufferBytes bounds the default size of a buffer: larger frames drop out of processor caches on their way.
const bufferBytes = 128 << 10

// FactorFor returns the default coalescing factor for pebbles of the given size in bytes: FactorDefault, or the number
// that fits in 128 KiB.
func FactorFor(bytes int) int { return max(1, min(FactorDefault, bufferBytes/max(bytes, 1))) }

// Bounds of the default credit of a link: enough frames in flight to keep a connection busy until credit returns, for
// small frames and large ones (lab/results/suite.json has rates by credit).
const (
	windowBytes = 512 << 10
	creditsMin  = 8
	creditsMax  = 128
)

// CreditsDefault returns the default number of frames of the given size that a link may have in flight.
func CreditsDefault(frameBytes int) int {
	return min(max(windowBytes/max(frameBytes, 1), creditsMin), creditsMax)
}

const (
	growth     = 8   // factor by which a lane's frame grows and shrinks
	heldFactor = 100 // limit of the wait in a cache, where pebbles can merge, over the limit in a buffer
	firstBytes = 192 // pebbles of a lane's first frame: 256 bytes with its header
)

// MinUnits returns the number of units of the given size in a lane's first frame, when a full one holds maxUnits.
func MinUnits(maxUnits, unit int) int { return min(maxUnits, max(1, firstBytes/max(unit, 1))) }
