package lab

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/activepebbles/pebbles/internal/machine"
)

// text formats the median with its spread.
func (s Summary) text() string {
	if s.Median == 0 {
		return ""
	}
	return fmt.Sprintf("%s ±%.0f%%", Digits(s.Median), 100*s.Spread/s.Median)
}

// Digits formats a number in three digits or, if it is large, as a whole number. NaN becomes "".
func Digits(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case math.Abs(v) >= 1000:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// Grouped formats a whole number with commas.
func Grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Grouped(n/1000), n%1000)
}

// ratio formats the median of the ratios, or returns "".
func (g GroupResult) ratio(r *Result) string {
	if ratios := g.Ratios(r); ratios != nil {
		return fmt.Sprintf("%.2f", median(ratios))
	}
	return ""
}

// Table writes the results for display.
func (r Results) Table(w io.Writer) error {
	var t Table
	for i, g := range r.Groups {
		if i > 0 {
			t.Row("", "", "", "", "", "", "")
		}
		t.Row(strings.ToUpper(g.Name), "median", "lowest", "highest", "unit", "ratio", "state")
		for _, one := range g.Results {
			s := one.Summary()
			t.Row(one.Name, s.text(), s.Min, s.Max, one.Unit, g.ratio(one), one.State())
		}
	}
	return t.Text(w)
}

// Markdown returns the results as a part of a page: the description of the measurement, and under a heading a table for
// each group, with the group's pictures, linked from the page.
func (r Results) Markdown(pictures map[string][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `Made by %s on %s: %v.

Each figure is the median of %d runs (after %d to warm up) that alternated with those of the other rows of its table,
beside the lowest and the highest; "spread" is the median distance of a run to the median. Every run verified its work.
"Ratio" is the speed of a row as a part of that of the row in the next column, the median of pairs of runs that stood
next to each other: 0.5 is half as fast. "State" is the distance of the two cores before and after the runs: near, far,
or mixed.
`, "`"+r.Command+"`", r.Date.Format("2006-01-02"), r.Machine, r.Repeats, r.WarmUp)
	for _, g := range r.Groups {
		g.markdown(&b, pictures)
	}
	return b.String()
}

func (g GroupResult) markdown(b *strings.Builder, pictures map[string][]string) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", g.Name, g.About)
	t := NewTable("what", "median", "lowest", "highest", "spread", "unit", "ratio", "of", "state", "command")
	for _, r := range g.Results {
		s := r.Summary()
		t.Row(r.Name, s.Median, s.Min, s.Max, s.Spread, r.Unit, g.ratio(r), r.Against, r.State(), "`"+r.Line+"`")
	}
	b.WriteString(t.String())
	b.WriteString(g.choices())
	b.WriteString(g.Images(pictures))
}

// choices returns a list of the arguments that were tried, with the median of each.
func (g GroupResult) choices() (list string) {
	for _, r := range g.Results {
		var all []string
		for _, one := range r.Tried {
			all = append(all, fmt.Sprintf("`%s` %s", one.Arguments, Digits(one.Value)))
		}
		if all != nil {
			list += fmt.Sprintf("\n- Tried for %s: %s.", strings.TrimPrefix(r.Name, g.Name+": "), strings.Join(all, ", "))
		}
	}
	return list + strings.Repeat("\n", min(1, len(list)))
}

// Images returns the pictures of a group in Markdown, by their links.
func (g GroupResult) Images(links map[string][]string) (text string) {
	for _, link := range links[g.Name] {
		text += fmt.Sprintf("\n![%s](%s)\n", g.Heading(), link)
	}
	return text
}

// marks returns the comments around a section of a page.
func marks(name string) (begin, end string) {
	return fmt.Sprintf("<!-- begin %s -->\n", name), fmt.Sprintf("<!-- end %s -->\n", name)
}

// Section puts text into a page, between the comments <!-- begin NAME --> and <!-- end NAME -->. It replaces the text
// between them, and keeps the rest. A page without the comments gets them at its end.
func Section(page, name, text string) (string, error) {
	begin, end := marks(name)
	text = begin + "\n" + strings.Trim(text, "\n") + "\n\n" + end
	before, rest, begun := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	switch {
	case begun && ended:
		return before + text + after, nil
	case begun || strings.Contains(page, end):
		return "", fmt.Errorf("section %q of the page has only one of its two comments: repair the page", name)
	}
	return strings.TrimRight(page, "\n") + "\n\n" + text, nil
}

// WriteSection puts text into a section of the page in a file, which need not exist. See Section and WriteFile.
func WriteSection(file, name, text string) error {
	page, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		page, err = []byte("# Measurements\n"), nil
	}
	if err != nil {
		return err
	}
	whole, err := Section(string(page), name, text)
	if err != nil {
		return err
	}
	if err := machine.WriteFile(file, []byte(whole)); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
