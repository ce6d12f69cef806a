package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sample has two lines, one of them with a band.
func sample() Line {
	return Line{
		Title: "Learning & forgetting", XLabel: "games", YLabel: "score",
		Series: []Series{
			{Name: "search", X: []float64{0, 100, 200}, Y: []float64{0.5, 0.8, 0.9}, Low: []float64{0.4, 0.7, 0.8}, High: []float64{0.6, 0.9, 1}},
			{Name: "policy", X: []float64{0, 100, 200}, Y: []float64{0.5, 0.6, 0.7}},
		},
	}
}

// save returns the file that a chart is saved to.
func save(t *testing.T, l Line, name string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := l.Save(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A PNG has the promised size, a white border, and both lines in their colours.
func TestPNG(t *testing.T) {
	img, err := png.Decode(bytes.NewReader(save(t, sample(), "a.png")))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != Width || b.Dy() != Height {
		t.Errorf("the picture is %d x %d, want %d x %d", b.Dx(), b.Dy(), Width, Height)
	}
	count := map[color.NRGBA]int{}
	for y := range Height {
		for x := range Width {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			count[c]++
			if border := x == 0 || y == 0 || x == Width-1 || y == Height-1; border && c != (color.NRGBA{255, 255, 255, 255}) {
				t.Fatalf("pixel %d, %d of the border is %v", x, y, c)
			}
		}
	}
	for i, s := range sample().Series {
		if n := count[colour(i)]; n < 500 {
			t.Errorf("%d pixels have the colour of %s", n, s.Name)
		}
	}
}

// An SVG file is well-formed XML of the promised size, with all texts in it.
func TestSVG(t *testing.T) {
	data := save(t, sample(), "a.SVG")
	var texts []string
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok && len(bytes.TrimSpace(text)) > 0 {
			texts = append(texts, string(text))
		}
	}
	all := strings.Join(texts, "|") + "|"
	for _, want := range []string{"Learning & forgetting|", "games|", "score|", "search|", "policy|", "0.8|", "200|"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not among the texts %q", want, all)
		}
	}
	if !bytes.Contains(data, []byte(`width="675pt" height="390pt"`)) { // 900 x 520 pixels of 1/96 inch
		t.Errorf("the file begins with %.200s", data)
	}
}

func TestSameChartSameBytes(t *testing.T) {
	for _, name := range []string{"a.png", "a.svg"} {
		if !bytes.Equal(save(t, sample(), name), save(t, sample(), name)) {
			t.Errorf("%s differs from one time to the next", name)
		}
	}
}

// A line by itself needs no legend.
func TestLegendIsForSeveral(t *testing.T) {
	l := sample()
	l.Series = l.Series[:1]
	if data := save(t, l, "a.svg"); bytes.Contains(data, []byte("search")) {
		t.Error("there is a legend for one line")
	}
}

func TestFromZero(t *testing.T) {
	l := sample()
	for _, fromZero := range []bool{false, true} {
		l.FromZero = fromZero
		if got := bytes.Contains(save(t, l, "a.svg"), []byte(">0.0<")); got != fromZero {
			t.Errorf("FromZero %v: zero on the axis is %v", fromZero, got)
		}
	}
}

// A line of one point, or of equal values, has no range of its own.
func TestOnePoint(t *testing.T) {
	one := Line{Series: []Series{{X: []float64{3}, Y: []float64{7}}}}
	if data := save(t, one, "a.svg"); !bytes.Contains(data, []byte(">7.0<")) {
		t.Error("the point's value is not on the axis")
	}
}

// What cannot be drawn is an error that names the file and the fault, and leaves no file.
func TestSaveRefuses(t *testing.T) {
	two := []float64{1, 2}
	one := func(s Series) Line { s.Name = "s"; return Line{Series: []Series{s}} }
	for _, c := range []struct {
		name, want string
		line       Line
	}{
		{"a.pdf", `unknown extension ".pdf", write .png or .svg`, sample()},
		{"a", `unknown extension "", write .png or .svg`, sample()},
		{"a.png", "no series to draw", Line{}},
		{"a.png", `series "s": no points to draw`, one(Series{})},
		{"a.png", `series "s": 2 values of X but 1 of Y`, one(Series{X: two, Y: two[:1]})},
		{"a.png", `series "s": 2 points with a band of 2 low and 0 high values`, one(Series{X: two, Y: two, Low: two})},
		{"a.png", `series "s": 2 points with a band of 1 low and 1 high values`, one(Series{X: two, Y: two, Low: two[:1], High: two[:1]})},
		{"a.svg", `series "s": point 2 has the value NaN`, one(Series{X: two, Y: []float64{1, math.NaN()}})},
		{"a.svg", `series "s": point 1 has the value +Inf`, one(Series{X: two, Y: two, Low: two, High: []float64{math.Inf(1), 2}})},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		err := c.line.Save(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want one with %s and %s", err, c.want, path)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there after an error", path)
		}
	}
	if err := sample().Save(filepath.Join(t.TempDir(), "no", "a.png")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v for a folder that does not exist", err)
	}
}
