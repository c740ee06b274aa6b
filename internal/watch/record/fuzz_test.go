package record

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// sealed makes each line of a text one that its CRC vouches for: what hostile hands can write.
func sealed(text []byte) (all []byte) {
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(line) > 0 {
			all = fmt.Appendf(all, "%08x %d %s\n", crc32.Checksum(line, castagnoli), len(line), line)
		}
	}
	return all
}

// Whatever a record has, reading it and telling of it ends in order, and takes no more memory than the record warrants.
func FuzzRead(f *testing.F) {
	name, text, _ := small(f)
	whole, _ := lines(f, text)
	f.Add(false, text)
	f.Add(true, bytes.Join(whole, []byte("\n")))
	f.Add(true, []byte(`rank {"rank":1048575,"counters":[-1,99999999999,-3],"events":[{"at":-1e300,"kind":"epoch"}]}`))
	f.Add(true, []byte("job {\"ranks\":1000000000,\"first\":-5,\"last\":7}\n"+
		"second {\"n\":1,\"at\":\"9999-12-31T23:59:59Z\"}"))
	f.Add(true, []byte("failed {\"of\":-7,\"cause\":\"<script>\"}\nend {\"how\":\"\\u001b\"}"))
	f.Fuzz(func(t *testing.T, seal bool, text []byte) {
		if seal {
			text = sealed(text)
		}
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, launcherName("j1")), text, 0o600))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		record, err := Read(dir)
		runtime.ReadMemStats(&after)
		require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(128<<20+1000*len(text)))
		if err != nil {
			return
		}
		require.NoError(t, record.Text(io.Discard))
		var page bytes.Buffer
		require.NoError(t, record.HTML(&page))
		require.Less(t, page.Len(), 4<<20)
		require.NotContains(t, page.String(), "<script>")
	})
}
