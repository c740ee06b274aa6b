package coalesce

// FactorDefault is the coalescing factor, in pebbles a buffer, when nobody asks for another. The paper used 4,096 for
// BFS and Permutation and 1,024 where the benchmark's rules bound it (Active Pebbles, section 5.1).
const FactorDefault = 1024

// bufferBytes are the most of a buffer then: larger frames leave the caches on their way.
const bufferBytes = 128 << 10

// FactorFor is the coalescing factor of pebbles of so many bytes when nobody asks for another: FactorDefault, or as
// many as 128 KiB hold.
func FactorFor(bytes int) int { return max(1, min(FactorDefault, bufferBytes/max(bytes, 1))) }

// What a link may have in flight when nobody asks for a number of frames: enough to keep a connection busy while word
// of what was handled comes back, for small frames and large ones (lab/results/suite.json has rates by credit).
const (
	windowBytes = 512 << 10
	creditsMin  = 8
	creditsMax  = 128
)

// CreditsDefault is how many frames of so many bytes a link may have in flight when nobody asks for another number.
func CreditsDefault(frameBytes int) int {
	return min(max(windowBytes/max(frameBytes, 1), creditsMin), creditsMax)
}

const (
	growth     = 8   // a lane's frame grows and shrinks by this factor
	heldFactor = 100 // times as long as in a buffer a pebble may wait in a cache, where the next may meet it
	firstBytes = 192 // of a lane's first frame: with its header, 256
)

// MinUnits is how many units of so many bytes a lane's first frame holds, when a full one holds maxUnits.
func MinUnits(maxUnits, unit int) int { return min(maxUnits, max(1, firstBytes/max(unit, 1))) }
