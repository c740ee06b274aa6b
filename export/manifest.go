package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ManifestName is the file of a folder that lists its parts.
const ManifestName = "manifest.json"

// A Manifest lists the parts of a folder that Create has written. It is written last: a folder that has one is whole.
type Manifest struct {
	Format string // "txt", "csv", "jsonl", "avro", "parquet", or the name of a format of your own
	Rows   int64  // of all parts in this folder
	Bytes  int64
	Parts  []Part // by rank
}

// A Part is one file, which one rank has written.
type Part struct {
	Name     string // within the folder
	Rank     int
	Rows     int64
	Bytes    int64
	Checksum string // of its bytes: "crc32c:" and 8 hexadecimal digits
}

// ReadManifest reads the manifest of a folder. The error of a folder without one wraps fs.ErrNotExist.
func ReadManifest(folder string) (*Manifest, error) {
	name := filepath.Join(folder, ManifestName)
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("read %s: %w: it is damaged, write the folder again", name, err)
	}
	for _, p := range m.Parts {
		if !filepath.IsLocal(p.Name) {
			return nil, fmt.Errorf("read %s: the part %q is not in the folder: write the folder again", name, p.Name)
		}
	}
	return m, nil
}

// write writes the manifest of a folder, whose names reach the disk with it.
func (m *Manifest) write(folder string) error {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(folder, ManifestName))
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return syncFolder(folder)
}
