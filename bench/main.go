package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	repeats := flag.Int("repeats", 7, "how often each figure is measured")
	log2 := flag.Int("log2-words", 22, "table words a rank of RandomAccess, as a power of two")
	write := flag.Bool("write", false, "write docs/measurements.md")
	flag.Parse()
	if err := measure(*repeats, *log2, *write); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(repeats, log2 int, write bool) error {
	dir, err := os.MkdirTemp("", "pebbles-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "pebbles")
	build := exec.Command("go", "build", "-o", binary, "./cmd/pebbles")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build the command (run this from the repository's root): %w", err)
	}
	all := figures(binary, log2)
	if err := run(all, repeats); err != nil {
		return err
	}
	page := report(all, repeats, log2)
	fmt.Print(page)
	if write {
		return os.WriteFile(filepath.Join("docs", "measurements.md"), []byte(page), 0o644)
	}
	return nil
}

// figures lists what is measured. The first is the limit that RandomAccess is held against.
func figures(binary string, log2 int) []*series {
	words := fmt.Sprint(log2)
	const millions, micro = 1e-6, 1e6
	randomAccess := func(name string, args ...string) *series {
		return app(binary, name, "M updates/s", "updates_per_second", millions,
			append([]string{"randomaccess", "--updates-per-word", "8", "--log2-words"}, args...)...)
	}
	few := fmt.Sprint(max(4, log2-3))
	return []*series{
		{name: "the same updates by 2 goroutines, no messages", unit: "M updates/s",
			measure: func() (float64, error) { return limitUpdates(log2, 2, 8) * millions, nil }},
		randomAccess("RandomAccess, 2 ranks, HPCC's rule", words, "--ranks", "2"),
		randomAccess("RandomAccess, 2 ranks, 4,096 a buffer", words, "--ranks", "2", "--coalesce", "4096"),
		randomAccess("RandomAccess, 16 ranks, HPCC's rule", few, "--ranks", "16"),
		randomAccess("RandomAccess, 16 ranks, 1,024 a buffer", few, "--ranks", "16", "--coalesce", "1024"),
		randomAccess("RandomAccess, 16 ranks, hypercube, 1,024 a buffer", few, "--ranks", "16", "--coalesce", "1024", "--topology", "hypercube"),
		randomAccess("RandomAccess, 2 processes over TCP, HPCC's rule", words, "--procs", "2"),
		randomAccess("RandomAccess, 2 processes over TCP, 4,096 a buffer", words, "--procs", "2", "--coalesce", "4096"),
		app(binary, "Permutation, 2 ranks", "M elements/s", "elements_per_second", millions, "permutation", "--log2-elements", "20", "--ranks", "2"),
		app(binary, "PointerChase, 2 ranks", "µs a hop", "seconds_per_hop", micro, "pointerchase", "--rounds", "100000", "--ranks", "2"),
		app(binary, "PointerChase, 2 processes over TCP", "µs a hop", "seconds_per_hop", micro, "pointerchase", "--rounds", "5000", "--procs", "2"),
		app(binary, "BFS, Kronecker 16, level by level, 2 ranks", "M edges/s", "harmonic_mean_teps", millions, "bfs", "--kronecker", "16", "--roots", "8", "--ranks", "2"),
		app(binary, "BFS, Kronecker 16, asynchronous, 2 ranks", "M edges/s", "harmonic_mean_teps", millions, "bfs", "--kronecker", "16", "--roots", "8", "--mode", "async", "--ranks", "2"),
	}
}

func report(all []*series, repeats, log2 int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Measurements

Made by `+"`go run ./bench -write -repeats %d -log2-words %d`"+` on %s: %s, %d cores, %s, %s/%s.

Every figure is the median of %d repeats, taken alternately with the others in one run; lowest and highest beside it. Every
application verified its work in every repeat. "Share" is the median over the median of the first row.

| what | median | lowest | highest | unit | share | command |
|---|---|---|---|---|---|---|
`, repeats, log2, time.Now().Format("2006-01-02"), cpu(), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, repeats)
	limit := all[0].median()
	for _, s := range all {
		share := ""
		if s.unit == all[0].unit {
			share = fmt.Sprintf("%.2f", s.median()/limit)
		}
		command := ""
		if s.command != "" {
			command = "`" + s.command + "`"
		}
		fmt.Fprintf(&b, "| %s | %.3g | %.3g | %.3g | %s | %s | %s |\n",
			s.name, s.median(), slices.Min(s.values), slices.Max(s.values), s.unit, share, command)
	}
	return b.String()
}

// cpu is the processor's name, as Linux tells it.
func cpu() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	return runtime.GOARCH
}
