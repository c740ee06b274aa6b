package coalesce

// What a link may have under way when nobody asks for a number of frames: enough to keep a connection busy while word of
// what was handled comes back, for small frames and large ones (docs/measurements.md has rates by credit).
const (
	windowBytes = 512 << 10
	creditsMin  = 8
	creditsMax  = 128
)

// Credits is how many frames of so many bytes a link may have under way by default.
func Credits(frameBytes int) int {
	return min(max(windowBytes/max(frameBytes, 1), creditsMin), creditsMax)
}
