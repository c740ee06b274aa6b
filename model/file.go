package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// FileFormat is the version of parameter files. It grows when an older reader would misread a file.
const FileFormat = 1

// File is the stored form of parameters, with their origin.
type File struct {
	Format     int        `json:"format"`
	Machine    string     `json:"machine"` // for display: processor, cores, system
	Date       time.Time  `json:"date"`
	Parameters Parameters `json:"parameters"`
	// Measured describes the measurement of each class of link, and its distance from the line. Classes without a
	// measurement are missing, and have the parameters of the next class.
	Measured map[string]Measured `json:"measured"`
	// Applications has the costs of pebbles of applications, by the application and the flags that make its work.
	Applications map[string]Application `json:"applications,omitempty"`
}

// Measured describes the measurement of a link.
type Measured struct {
	Transport string `json:"transport"`
	Spread    Link   `json:"spread"` // half of the repeats are nearer to the median
	// of the lines through times of streams and ping-pongs: the median, as a fraction of the time
	Residual float64 `json:"residual"`
	Frames   uint64  `json:"frames"` // frames sent
}

// Encode writes a file as JSON.
func (f File) Encode() ([]byte, error) {
	f.Format = FileFormat
	if err := f.check(); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(f, "", "\t")
	return append(text, '\n'), err
}

// DecodeFile reads the output of Encode. For a file of another kind or version, or a damaged one, the error has a
// remedy.
func DecodeFile(text []byte) (File, error) {
	var version struct{ Format int }
	if err := json.Unmarshal(text, &version); err != nil || version.Format == 0 {
		return File{}, fmt.Errorf("model: this is not a file of parameters: give one that pebbles-lab fit has written")
	}
	if version.Format != FileFormat {
		return File{}, fmt.Errorf("model: this file of parameters is of format %d, and this program reads format %d: "+
			"run pebbles-lab fit again",
			version.Format, FileFormat)
	}
	var f File
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.DisallowUnknownFields()
	if err := reader.Decode(&f); err != nil {
		return File{}, fmt.Errorf("model: this file of parameters is damaged: %w: run pebbles-lab fit again", err)
	}
	if err := f.check(); err != nil {
		return File{}, fmt.Errorf("%w: this file of parameters is damaged: run pebbles-lab fit again", err)
	}
	if f.Parameters.Process == (Link{}) {
		return File{}, fmt.Errorf("model: this file has no parameters: give one that pebbles-lab fit has written")
	}
	return f, nil
}

func (f File) check() error {
	for name, a := range f.Applications {
		if err := checkSeconds(a); err != nil {
			return fmt.Errorf("model: application %q: %w", name, err)
		}
	}
	return f.Parameters.Check()
}
