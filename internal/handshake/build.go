package handshake

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// ThisBuild is the identity of the running program, without a registry: the SHA-256 of its executable, the version of
// Go, the system and the byte order. The first call reads the executable (about 5 ms a MiB at worst); later ones are
// free. Any goroutine may call it.
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

func sumExecutable() (string, error) {
	f, err := openExecutable()
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read executable: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// openExecutable prefers the file that runs over the file that now has its name: it may have been built again since.
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
