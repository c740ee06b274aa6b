package handshake

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// ThisBuild returns the identity of the running program, without a registry: the SHA-256 of its executable, the version
// of Go, the system and the byte order. The first call reads the executable (at worst about 5 ms per MiB), unless a
// launcher has passed its sum (see [BuildVariable]); later calls are free. Any goroutine may call it.
func ThisBuild() (Identity, error) { return thisBuild() }

var thisBuild = sync.OnceValues(func() (Identity, error) {
	sum, err := sumExecutable()
	if err != nil {
		return Identity{}, fmt.Errorf("identify this build: %w", err)
	}
	return Identity{
		Protocol:  Protocol,
		Build:     fmt.Sprintf("sha256:%s %s %s/%s", sum, runtime.Version(), runtime.GOOS, runtime.GOARCH),
		ByteOrder: byteOrder(),
	}, nil
})

// BuildVariable is the environment variable through which a launcher passes the state and the sum of an executable to
// the processes on its host. A process whose executable has that state need not read it.
const BuildVariable = "PEBBLES_BUILD"

// known is the state of a file and its sum: passed by a launcher, and read before the variable is removed, or of the
// file that was read last. A launcher that runs its own executable reads it once.
var known atomic.Pointer[string]

func init() {
	inherited := os.Getenv(BuildVariable)
	known.Store(&inherited)
}

// BuildSetting returns the setting of [BuildVariable] for processes that run a file, NAME=value. It reads the file
// unless it read the same file last.
func BuildSetting(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	before := stateOf(f)
	sum, err := sumOf(f, *known.Load())
	if err == nil && stateOf(f) != before {
		err = fmt.Errorf("%s has changed meanwhile", name)
	}
	if err != nil {
		return "", err
	}
	value := before + " " + sum
	known.Store(&value)
	return BuildVariable + "=" + value, nil
}

// stateOf identifies a file and its version.
func stateOf(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d:%d:%d", s.Dev, s.Ino, info.Size(), info.ModTime().UnixNano())
}

func sumExecutable() (string, error) {
	f, err := openExecutable()
	if err != nil {
		return "", err
	}
	defer f.Close()
	return sumOf(f, *known.Load())
}

// sumOf returns the sum of a file. It reads the file only if known has no sum of its present state.
func sumOf(f *os.File, known string) (string, error) {
	state, sum, _ := strings.Cut(known, " ")
	if len(sum) == 2*sha256.Size && state != "" && state == stateOf(f) {
		return sum, nil
	}
	return sumFile(f)
}

func sumFile(f *os.File) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read executable: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// openExecutable prefers the running file to the file that now has its name, which may be a later build.
func openExecutable() (*os.File, error) {
	if f, err := os.Open("/proc/self/exe"); err == nil {
		return f, nil
	}
	name, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find executable: %w", err)
	}
	return os.Open(name)
}

func byteOrder() string {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return "little"
	}
	return "big"
}
