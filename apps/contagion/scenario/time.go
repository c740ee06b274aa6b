package scenario

// Day is the length of a day in seconds.
const Day = 24 * 3600

// textTime is a time in a file: the sum of its parts, which are numbers of 32 bits.
type textTime struct {
	Days    float32 `text:"days"`
	Hours   float32 `text:"hours"`
	Minutes float32 `text:"minutes"`
}

// seconds is the time in whole seconds, rounded towards 0, as Loimos rounds it.
func (t textTime) seconds() int32 {
	return int32(float32(t.Days*Day) + float32(t.Hours*3600) + float32(t.Minutes*60))
}
