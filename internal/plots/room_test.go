package plots

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// textBox is the largest area of a text, with letters of any font.
type textBox struct {
	words                    string
	left, top, right, bottom float64
}

func (b textBox) overlaps(o textBox) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// read returns the size of a picture, which must be valid XML, and the boxes of its texts. A text has no transformation
// and inherits no size.
func read(t *testing.T, picture []byte) (width, height float64, boxes []textBox) {
	d := xml.NewDecoder(bytes.NewReader(picture))
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return v
	}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return width, height, boxes
		}
		require.NoError(t, err)
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		a := map[string]string{}
		for _, attribute := range element.Attr {
			a[attribute.Name.Local] = attribute.Value
		}
		require.NotContains(t, a, "transform")
		switch element.Name.Local {
		case "svg":
			require.Equal(t, "sans-serif", a["font-family"], "any font")
			require.NotContains(t, a, "width", "it fits what shows it")
			shape := strings.Fields(a["viewBox"])
			width, height = number(shape[2]), number(shape[3])
		case "text":
			var words string
			require.NoError(t, d.DecodeElement(&words, &element))
			size := number(a["font-size"])
			x, wide := number(a["x"]), span(words, size)
			left := x - map[string]float64{start: 0, middle: wide / 2, end: wide}[a["text-anchor"]]
			y := number(a["y"])
			boxes = append(boxes, textBox{words, left, y - 0.8*size, left + wide, y + 0.25*size})
		}
	}
}

// roomy requires that no text of a picture leaves it or overlaps another.
func roomy(t *testing.T, picture []byte) {
	width, height, boxes := read(t, picture)
	require.NotEmpty(t, boxes)
	for i, b := range boxes {
		require.True(t, b.left >= 0 && b.top >= 0 && b.right <= width && b.bottom <= height,
			"%+v leaves the picture of %v by %v", b, width, height)
		for _, other := range boxes[:i] {
			require.False(t, b.overlaps(other), "%+v lies over %+v", b, other)
		}
	}
}

// TestCommitted requires that texts of the pictures of lab/results have room.
func TestCommitted(t *testing.T) {
	pictures := 0
	require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", "lab", "results", "plots"), func(path string,
		entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			pictures++
			picture, err := os.ReadFile(path)
			require.NoError(t, err)
			t.Run(entry.Name(), func(t *testing.T) { roomy(t, picture) })
		}
		return err
	}))
	require.Greater(t, pictures, 10)
}

// Texts have room for all names and figures.
func TestRoom(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("RandomAccess over two processes, ", 8))
	var curves, bars []*Result
	for _, factor := range []float64{1, 1e3, 1e6} {
		for _, at := range []float64{1, 2, 3, 4, 1 << 20, 1<<20 + 1} {
			curves = append(curves, point(strings.Repeat("w", int(at)%40+1), at, factor*at, 2*factor*at, 3*factor))
		}
		bars = append(bars, made(long, "M/s", factor, 2*factor), made("limit-a", "M/s", 3*factor))
	}
	for _, results := range [][]*Result{curves, bars, curves[:6], bars[:2], curves[:1], bars[:1]} {
		roomy(t, Draw(Group{Name: long, Heading: long, About: long, Results: results}))
	}
}

func TestRoomBites(t *testing.T) {
	for _, picture := range []func(*page){
		func(p *page) { p.text(700, 50, textSize, start, "out to the right") },
		func(p *page) { p.text(20, 50, textSize, middle, "out to the left") },
		func(p *page) { p.text(100, 5, textSize, start, "above") },
		func(p *page) { p.text(100, 200, textSize, start, "below") },
	} {
		p := &page{y: 100}
		picture(p)
		width, height, boxes := read(t, p.svg("t"))
		b := boxes[0]
		require.False(t, b.left >= 0 && b.top >= 0 && b.right <= width && b.bottom <= height, b.words)
	}
	p := &page{y: 100}
	p.text(100, 50, textSize, start, "one")
	p.text(130, 55, textSize, end, "other")
	_, _, boxes := read(t, p.svg("t"))
	require.True(t, boxes[0].overlaps(boxes[1]))
}
