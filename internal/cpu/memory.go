package cpu

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unsafe"
)

// memoryUnknown is the result of MemoryAvailable if the system does not report it.
const memoryUnknown = 2 << 30

// MemoryAvailable returns the bytes of memory that this process may still use without swapping: Linux's estimate, or
// the limit of the process's control group if that is lower; 2 GiB if neither can be read.
func MemoryAvailable() int64 {
	available := int64(memoryUnknown)
	if info, err := os.ReadFile("/proc/meminfo"); err == nil {
		if n, ok := kibibytes(info, "MemAvailable:"); ok {
			available = n
		}
	}
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			available = min(available, n)
		}
	}
	return available
}

// ResidentPeak returns the largest resident memory of this process so far, in bytes, or 0 if the system does not report
// it.
func ResidentPeak() int64 { return resident("VmHWM:") }

// Resident returns the resident memory of this process, in bytes, or 0 if the system does not report it.
func Resident() int64 { return resident("VmRSS:") }

// Private returns the memory of this process that it shares with no other, in bytes, or 0 if the system does not report
// it.
func Private() (bytes int64) {
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return 0
	}
	for _, name := range []string{"Private_Clean:", "Private_Dirty:"} {
		n, _ := kibibytes(text, name)
		bytes += n
	}
	return bytes
}

func resident(name string) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	n, _ := kibibytes(status, name)
	return n
}

// kibibytes finds the value of a name in a file of Linux with lines of name, number and "kB". It returns bytes.
func kibibytes(text []byte, name string) (int64, bool) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == name {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}

// CheckMemory returns an error if n things of at least each bytes do not fit into the available bytes. what names the
// things, in the plural. Nothing is allocated. n and each may be as large as an int64 holds.
func CheckMemory(n int, what string, each, available int64) error {
	need := float64(n) * float64(each)
	if need <= float64(available) {
		return nil
	}
	return fmt.Errorf("%d %s need at least %s of memory, and %s are available", n, what, bytesText(need),
		bytesText(float64(available)))
}

// bytesText formats a number of bytes with three digits.
func bytesText(n float64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for ; n >= 1000 && i < len(units)-1; i++ {
		n /= 1 << 10
	}
	return fmt.Sprintf("%.3g %s", n, units[i])
}

// CacheLine is the size of a cache line, in bytes.
const CacheLine = 64

// AlignedBytes allocates n bytes that start on a cache line.
func AlignedBytes(n int) []byte {
	raw := make([]byte, n+CacheLine-1)
	skip := int(-uintptr(unsafe.Pointer(&raw[0])) & (CacheLine - 1))
	return raw[skip : skip+n : skip+n]
}
