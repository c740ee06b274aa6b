package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/internal/disk"
)

// ManifestName is the name of the file that lists the parts of a folder.
const ManifestName = "manifest.json"

// A Manifest lists the parts of a folder that Create has written. It is written last, so a folder with a manifest is
// whole.
type Manifest struct {
	Format string // "txt", "csv", "jsonl", "avro", "parquet", or the name of your own format
	Rows   int64  // of all parts in this folder
	Bytes  int64
	Parts  []Part          // by rank
	Note   json.RawMessage `json:",omitempty"` // see Sink.Note
}

// A Part is the file that one rank has written.
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
		return nil, fmt.Errorf("%s: %w: it is damaged, write the folder again", name, err)
	}
	names := map[string]bool{}
	for _, p := range m.Parts {
		switch {
		case !filepath.IsLocal(p.Name) || filepath.Base(p.Name) != p.Name || p.Name == ".":
			err = fmt.Errorf("the part %q is not in the folder", p.Name)
		case names[p.Name]:
			err = fmt.Errorf("the part %q is listed twice", p.Name)
		case p.Checksum != "" && !strings.HasPrefix(p.Checksum, checksumKind):
			err = fmt.Errorf("the part %q has the checksum %.80q, and only %s is known", p.Name, p.Checksum,
				checksumKind)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w: write the folder again", name, err)
		}
		names[p.Name] = true
	}
	return m, nil
}

// checksumKind is the prefix of a checksum.
const checksumKind = "crc32c:"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(sum uint32) string { return fmt.Sprintf("%s%08x", checksumKind, sum) }

// Check compares the part in a folder with its size and checksum, or with its size alone if it has no checksum. It
// reads the part once, with a buffer of 256 KiB. The error names the part, both sizes and both sums.
func (p Part) Check(folder string) error {
	name := filepath.Join(folder, p.Name)
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	h := crc32.New(castagnoli)
	n, err := io.CopyBuffer(h, struct{ io.Reader }{f}, make([]byte, bufferBytes))
	if err != nil {
		return err
	}
	sum := checksum(h.Sum32())
	if n == p.Bytes && (p.Checksum == "" || p.Checksum == sum) {
		return nil
	}
	return fmt.Errorf("%s: has %d bytes and the checksum %s, but %d and %s by the folder's manifest: it is damaged, "+
		"or another file: write the folder again", name, n, sum, p.Bytes, p.Checksum)
}

// write writes the manifest of a folder, and syncs it and the names in the folder.
func (m *Manifest) write(folder string) error {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	f, err := disk.OpenFile(filepath.Join(folder, ManifestName), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return syncFolder(folder)
}
