package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func inline(t *testing.T, l Line) string {
	t.Helper()
	var b strings.Builder
	if err := l.Inline(&b, "c1"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// An inline chart is well-formed, says what it shows, and draws each series under its own class with its band and points.
func TestInline(t *testing.T) {
	l := sample()
	l.Series = slices.Insert(l.Series, 1, Series{Name: "empty"})
	text := inline(t, l)
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for what, n := range map[string]int{
		`<title id="c1-t">Learning &amp; forgetting</title>`:                        1,
		`score over games. search: 0.5 at 0 to 0.9 at 200. policy: 0.5 at 0 to 0.7`: 1,
		`class="band"`: 1, `class="line"`: 2, `class="mark"`: 6, `<g class="s0">`: 1, `<g class="s1">`: 0, `<g class="s2">`: 1,
		`>200</text>`: 1, `>0.4</text>`: 1,
	} {
		if got := strings.Count(text, what); got != n {
			t.Errorf("%s is there %d times, want %d\n%s", what, got, n, text)
		}
	}
	if text != inline(t, l) {
		t.Error("the same chart gives other bytes")
	}
}

// The ends of the data are where the axes say: the first point at the left end, the highest band below the top.
func TestInlinePlaces(t *testing.T) {
	a := sample().area(sample().Series)
	if a.x.low != 0 || a.x.high != 200 || math.Abs(a.y.low-0.4) > 1e-9 || math.Abs(a.y.high-1) > 1e-9 {
		t.Errorf("axes %+v", a)
	}
	if a.left(0) != plotLeft || a.left(200) != inlineWidth-plotRight || math.Abs(a.top(1)-plotTop) > 1e-9 || a.top(0.4) <= a.top(1) {
		t.Errorf("places %v, %v, %v, %v", a.left(0), a.left(200), a.top(1), a.top(0.4))
	}
}

// A line of one point, or of equal values, has a place, and the horizontal axis no ticks beyond the data.
func TestInlineAxes(t *testing.T) {
	one := inline(t, Line{Series: []Series{{X: []float64{3}, Y: []float64{7}}}})
	if strings.Contains(one, "NaN") || !strings.Contains(one, ">7.0<") {
		t.Error(one)
	}
	text := inline(t, Line{Series: []Series{{X: []float64{600, 36000}, Y: []float64{0, 1}}}})
	if !strings.Contains(text, ">10,000<") || !strings.Contains(text, ">0</text>") || strings.Contains(text, ">40,000<") {
		t.Error(text)
	}
}

func TestGrouped(t *testing.T) {
	for number, want := range map[string]string{
		"0": "0", "999": "999", "1000": "1,000", "-1234567": "-1,234,567", "-200": "-200", "12345.678": "12,345.678", "0.0005": "0.0005",
	} {
		if got := Grouped(number); got != want {
			t.Errorf("%s: %s, want %s", number, got, want)
		}
	}
}

func TestInlineRefuses(t *testing.T) {
	for _, l := range []Line{
		{}, {Series: []Series{{Name: "empty"}}}, {Series: []Series{{X: []float64{1}, Y: []float64{math.NaN()}}}},
	} {
		if err := l.Inline(io.Discard, "c"); err == nil {
			t.Errorf("%+v is drawn", l)
		}
	}
}
