// Package machine has the common parts of programs that measure: a description of the machine, its stored parameters,
// programs that run with a limit and print results, and files that are whole.
package machine

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Machine describes the origin of results. Properties that the system does not report are empty or 0.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`  // that this process may use
	Memory int64  `json:"memory"` // bytes
	Kernel string `json:"kernel"`
	Go     string `json:"go"`
	System string `json:"system"` // such as linux/amd64
}

// This describes the current machine. It reads /proc.
func This() Machine {
	kibibytes, _, _ := strings.Cut(procLine("/proc/meminfo", "MemTotal"), " ")
	memory, _ := strconv.ParseInt(kibibytes, 10, 64)
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return Machine{
		CPU: procLine("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(), Memory: memory << 10,
		Kernel: strings.TrimSpace(string(release)), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
	}
}

// procLine returns the value of the first line of a file that begins with a name and a colon.
func procLine(file, name string) string {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func (m Machine) String() string {
	var parts []string
	if m.CPU != "" {
		parts = append(parts, m.CPU)
	}
	parts = append(parts, fmt.Sprintf("%d cores", m.Cores))
	if m.Memory > 0 {
		parts = append(parts, fmt.Sprintf("%.3g GiB", float64(m.Memory)/(1<<30)))
	}
	if m.Kernel != "" {
		parts = append(parts, "kernel "+m.Kernel)
	}
	return strings.Join(append(parts, m.Go, m.System), ", ")
}
