package record

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead requires that reading and reporting end in order for any files, with memory in proportion to the files.
func FuzzRead(f *testing.F) {
	name, text := small(f)
	f.Add(text)
	f.Add([]byte(`{"rank":{"rank":1048575,"counters":{"bytes_sent":18446744073709551615},` +
		`"events":[{"at":-1e300,"kind":"epoch"}]}}`))
	f.Add([]byte("{\"job\":{\"ranks\":1000000000,\"first\":-5,\"last\":7}}\n" +
		"{\"second\":{\"at\":\"9999-12-31T23:59:59Z\"}}"))
	f.Add([]byte("{\"failed\":{\"of\":-7,\"cause\":\"<script>\"}}\n{\"end\":{\"how\":\"\u001b\"}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
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
		require.Equal(t, 2, bytes.Count(page.Bytes(), []byte("<script")))
	})
}
