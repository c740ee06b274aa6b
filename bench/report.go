package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// report is the page.
func report(all []group, o options) string {
	var b strings.Builder
	part := ""
	if o.only != "" {
		part = fmt.Sprintf(" -only '%s'", o.only)
	}
	fmt.Fprintf(&b, `# Measurements

Made by `+"`go run ./bench -write -repeats %d -log2-words %d%s`"+` on %s: %s, %d cores, %s, %s/%s.

Every figure is the median of %d repeats, taken alternately with the others in one run; lowest and highest beside it. Every
run verified its work in every repeat. "Share" is the median over the median of the row that it is held against: the first
of its table, or the one that it names.
`, o.repeats, o.log2, part, time.Now().Format("2006-01-02"), cpu(), runtime.NumCPU(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH, o.repeats)
	for _, g := range all {
		g.write(&b)
	}
	return b.String()
}

func (g group) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", g.name, g.about)
	b.WriteString("| what | median | lowest | highest | unit | share | command |\n|---|---|---|---|---|---|---|\n")
	for _, s := range g.series {
		command := ""
		if s.command != "" {
			command = "`" + s.command + "`"
		}
		fmt.Fprintf(b, "| %s | %.3g | %.3g | %.3g | %s | %s | %s |\n",
			s.name, s.median(), slices.Min(s.values), slices.Max(s.values), s.unit, g.share(s), command)
	}
}

// share is a series over what it is held against, when that was measured.
func (g group) share(s *series) string {
	base := s.against
	if base == nil {
		base = g.series[0]
	}
	if len(base.values) == 0 || base.unit != s.unit {
		return ""
	}
	return fmt.Sprintf("%.2f", s.median()/base.median())
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
