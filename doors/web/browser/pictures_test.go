package browser

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"tengen/doors/web"
	"tengen/run/runtest"
)

// This command makes the pictures for the documentation:
//
//	go test -run Pictures -pictures ../../../docs/pictures -run-dir ../../../checkpoints/connect4
var (
	pictures = flag.String("pictures", "", "`folder` for the pictures of the pages (default: a folder that is thrown away)")
	runDir   = flag.String("run-dir", "", "`directory` of the run in the pictures (default: a tiny one)")
)

// maxBytes is a picture's maximum size.
const maxBytes = 150_000

// scenes are the pages to picture. height is the height of the wide screen in pixels; 0 means 800.
var scenes = []struct {
	name, hash, ready string
	height            int64
}{
	{"play", "#/play?game=connect4&moves=444432&first=person&second=connect4~400s", standing + `.includes('to move')`, 0},
	{"gomoku", "#/play?game=gomoku&moves=h8+i9+i8+g8+h9+h10+g7+j10&first=person&second=person", standing + `.includes('to move')`, 0},
	{"analyse", "#/analyse?game=connect4&moves=444432&by=connect4~400s", simulations + ` >= 400 && document.querySelector('.truth')`, 0},
	{"runs", "#/runs", drawn + ` && document.querySelector('.newest-game .board')`, 1100},
}

// The pictures show the pages on a wide screen and on a phone, in both themes, in files such as play-wide-light.png.
// Without -pictures, the test makes only half of them.
func TestPictures(t *testing.T) {
	folder := *pictures
	if folder == "" {
		folder = t.TempDir()
	}
	run := *runDir
	if run == "" {
		run = runtest.Run(t)
	}
	s := serve(t, func(o *web.Options) { o.Runs = []string{run} })
	for size, on := range map[string]screen{"wide": desk, "phone": phone} {
		for _, theme := range []string{"light", "dark"} {
			if *pictures == "" && (size == "wide") != (theme == "light") {
				continue
			}
			on.theme = theme
			for _, scene := range scenes {
				if size == "wide" {
					on.height = cmp.Or(scene.height, 800)
				}
				p := blank(t, s, on)
				p.visit(scene.hash)
				p.wait(scene.ready)
				name := scene.name + "-" + size + "-" + theme + ".png"
				picture := p.picture()
				if len(picture) > maxBytes {
					t.Errorf("%s has %d bytes, at most %d are allowed", name, len(picture), maxBytes)
				}
				if err := os.WriteFile(filepath.Join(folder, name), picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// picture returns a small PNG of the screen.
func (p *page) picture() []byte {
	p.t.Helper()
	p.frame()
	shot, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		p.t.Fatal(err)
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, paletted(img)); err != nil {
		p.t.Fatal(err)
	}
	return small.Bytes()
}

// paletted reduces a picture to 256 colours. It averages the colours that share the upper five bits of red, green
// and blue, and keeps the most frequent averages. Each pixel takes the colour nearest to its average.
func paletted(img image.Image) *image.Paletted {
	type sum struct{ n, r, g, b int }
	sums := map[[3]uint8]*sum{}
	bounds := img.Bounds()
	bucket := func(x, y int) ([3]uint8, color.NRGBA) {
		c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
		return [3]uint8{c.R >> 3, c.G >> 3, c.B >> 3}, c
	}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			k, c := bucket(x, y)
			if sums[k] == nil {
				sums[k] = new(sum)
			}
			s := sums[k]
			s.n, s.r, s.g, s.b = s.n+1, s.r+int(c.R), s.g+int(c.G), s.b+int(c.B)
		}
	}
	mean := func(s *sum) color.Color {
		return color.NRGBA{uint8(s.r / s.n), uint8(s.g / s.n), uint8(s.b / s.n), 255}
	}
	order := slices.SortedFunc(maps.Keys(sums), func(a, b [3]uint8) int {
		return cmp.Or(cmp.Compare(sums[b].n, sums[a].n), slices.Compare(a[:], b[:]))
	})
	var colours color.Palette
	for _, k := range order[:min(256, len(order))] {
		colours = append(colours, mean(sums[k]))
	}
	nearest := map[[3]uint8]uint8{}
	for k, s := range sums {
		nearest[k] = uint8(colours.Index(mean(s)))
	}
	flat := image.NewPaletted(bounds, colours)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			k, _ := bucket(x, y)
			flat.SetColorIndex(x, y, nearest[k])
		}
	}
	return flat
}
