package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// ProfileFormat is the version of profile files. It grows when an older reader would misread a file.
const ProfileFormat = 1

// For is the purpose of a profile. A good setting for one purpose may be bad for another.
type For struct {
	App       string `json:"app"` // with the arguments that make its work
	Ranks     int    `json:"ranks"`
	Processes int    `json:"procs"`
	Transport string `json:"transport"`
	Machine   string `json:"machine"`
}

// Profile is a tuner's result, for later runs to begin with.
type Profile struct {
	Format    int        `json:"format"`
	For       For        `json:"for"`
	Date      time.Time  `json:"date"`
	Setting   Setting    `json:"setting"`
	Start     Setting    `json:"start"` // where the tuner began
	Gain      float64    `json:"gain"`  // speed relative to the start
	Rate      float64    `json:"rate"`  // work per second
	Decisions []Decision `json:"decisions"`
}

// Encode writes a profile as JSON.
func (p Profile) Encode() ([]byte, error) {
	p.Format = ProfileFormat
	if err := p.Setting.check(); err != nil {
		return nil, fmt.Errorf("tune: profile: %w", err)
	}
	text, err := json.MarshalIndent(p, "", "\t")
	return append(text, '\n'), err
}

// DecodeProfile reads the output of Encode. For a file of another kind or version, or a damaged one, the error has a
// remedy.
func DecodeProfile(text []byte) (Profile, error) {
	var version struct{ Format int }
	if err := json.Unmarshal(text, &version); err != nil || version.Format == 0 {
		return Profile{}, fmt.Errorf("tune: this is not a profile: give a file that pebbles tune has written")
	}
	if version.Format != ProfileFormat {
		return Profile{}, fmt.Errorf("tune: this profile is of format %d, and this program reads format %d: run "+
			"pebbles tune again",
			version.Format, ProfileFormat)
	}
	var p Profile
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.DisallowUnknownFields()
	if err := reader.Decode(&p); err != nil {
		return Profile{}, fmt.Errorf("tune: this profile is damaged: %w: run pebbles tune again", err)
	}
	if err := p.Setting.check(); err != nil {
		return Profile{}, fmt.Errorf("tune: this profile is damaged: %w: run pebbles tune again", err)
	}
	return p, nil
}

// Fits returns an error if a profile was made for another job. The error names the first difference.
func (p Profile) Fits(now For) error {
	for _, d := range []struct {
		what     string
		was, now any
	}{
		{"app", p.For.App, now.App}, {"ranks", p.For.Ranks, now.Ranks}, {"procs", p.For.Processes, now.Processes},
		{"transport", p.For.Transport, now.Transport}, {"machine", p.For.Machine, now.Machine},
	} {
		if d.was != d.now {
			return fmt.Errorf("tune: this profile is for %s %v, and the job has %v: run pebbles tune for this job, "+
				"or leave the profile out",
				d.what, d.was, d.now)
		}
	}
	return nil
}
