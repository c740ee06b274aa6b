package netio

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// Held is how many bytes the pool holds, lent or kept for the next Get, without a look at what has come back since.
func (p *Pool) Held() int64 { return p.lent + p.idle }

// WaitEnd waits for ended, or, once failed is closed, for at most grace longer. It tells whether ended came.
func WaitEnd(ended, failed <-chan struct{}, grace time.Duration) bool {
	select {
	case <-ended:
		return true
	case <-failed:
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}

// memoryUnknown is what MemoryAvailable assumes where it can't find out.
const memoryUnknown = 2 << 30

// MemoryAvailable is how many bytes of memory new work in this process may use without swapping: what Linux estimates, or
// the limit of the process's control group when that is lower; 2 GiB where neither can be read.
func MemoryAvailable() int64 {
	available := int64(memoryUnknown)
	if info, err := os.ReadFile("/proc/meminfo"); err == nil {
		if n, ok := meminfoAvailable(info); ok {
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

func meminfoAvailable(info []byte) (int64, bool) {
	lines := bufio.NewScanner(bytes.NewReader(info))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == "MemAvailable:" {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}

// Cost is what the frame adds to [Pool.Lent]: the bytes of its memory.
func (f *Frame) Cost() int64 { return int64(len(f.mem)) }

// ResidentPeak is the most bytes of memory that this process has had resident, or 0 where the system does not tell.
func ResidentPeak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	lines := bufio.NewScanner(bytes.NewReader(status))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == "VmHWM:" {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			return n << 10
		}
	}
	return 0
}
