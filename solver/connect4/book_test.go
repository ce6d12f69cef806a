package connect4

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/connect4"
	"tengen/game/gametest"
	"tengen/internal/frame"
	"tengen/solver"
)

func build(t *testing.T, g *connect4.Game, options BuildOptions) *Book {
	t.Helper()
	book, err := BuildBook(t.Context(), g, options)
	if err != nil {
		t.Fatal(err)
	}
	return book
}

var small = Options{TableMegabytes: 1, Threads: 2}

// TestNarrowestBooks writes and reads books of the smallest boards that there are.
func TestNarrowestBooks(t *testing.T) {
	for _, size := range [][2]int{{4, 1}, {5, 1}, {4, 2}} {
		g := board4(t, size[0], size[1])
		book := build(t, g, BuildOptions{Depth: 1, Solver: small})
		var file bytes.Buffer
		book.WriteTo(&file)
		read, err := ReadBook(&file)
		if err != nil || !reflect.DeepEqual(read, book) {
			t.Errorf("%s: a book is read as %+v, error %v", g.Name(), read, err)
		}
	}
}

// TestWidestBoard reads a book of the largest board that 64 bits have room for, each column with a bit above it.
func TestWidestBoard(t *testing.T) {
	b := newBoard(game.Size{Columns: 32, Rows: 1})
	book := &Book{board: b, layers: []layer{{keys: []uint64{b.position(0, 0).key()}, scores: []int8{0}}}}
	if read := reread(t, book); !reflect.DeepEqual(read, book) {
		t.Errorf("the book is read as %+v", read)
	}
	var file bytes.Buffer
	(&Book{board: &board{size: game.Size{Columns: 33, Rows: 1}}, layers: book.layers}).WriteTo(&file)
	if _, err := ReadBook(&file); err == nil || !strings.Contains(err.Error(), "33 columns") {
		t.Errorf("a book of 33 columns: error %v", err)
	}
}

// TestBook compares a book with searches, for each position it should have and for those one ply later, which it should not.
func TestBook(t *testing.T) {
	const depth = 5
	g := board4(t, 5, 4)
	calls := 0
	book := build(t, g, BuildOptions{Depth: depth, Solver: small, Progress: func(done, total int) {
		if calls++; done != calls || done > total {
			t.Errorf("call %d of progress: %d of %d done", calls, done, total)
		}
	}})
	if book.Depth() != depth || calls != len(book.layers[depth].keys) {
		t.Errorf("depth %d, %d calls; want %d, %d", book.Depth(), calls, depth, len(book.layers[depth].keys))
	}
	searching := solverOf(t, g)
	reading := solverWith(t, g, Options{TableMegabytes: 1, Threads: 1, Book: book})
	var visit func(s connect4.State)
	visit = func(s connect4.State) {
		want, _ := searching.Solve(t.Context(), s)
		_, over := s.Outcome()
		if got, ok := lookUp(book, s); !over && (ok != (s.Ply() <= depth) || ok && got != want) {
			t.Errorf("%v, ply %d: book says %d, %t; want %d", s.Key(), s.Ply(), got, ok, want)
		}
		if s.Ply() > depth {
			return
		}
		if got, err := reading.Solve(t.Context(), s); got != want || err != nil {
			t.Errorf("%v: score %d by the book, error %v; want %d", s.Key(), got, err, want)
		}
		for _, a := range s.Legal(nil) {
			visit(s.Play(a))
		}
	}
	visit(g.Start())
	if reading.Nodes() != 0 {
		t.Errorf("with the book, %d nodes were searched", reading.Nodes())
	}
}

func TestBookHasNoFinishedGames(t *testing.T) {
	g := board4(t, 4, 4)
	book := build(t, g, BuildOptions{Depth: 15, Solver: small})
	for _, moves := range []string{"1212121", "1122334"} {
		if score, ok := lookUp(book, gametest.Replay(t, g, moves)); ok {
			t.Errorf("%s: score %d; want none", moves, score)
		}
	}
	if score, ok := lookUp(book, g.Start()); score != 0 || !ok {
		t.Errorf("4x4: score %d, %t; want 0", score, ok)
	}
}

// A maker makes solvers that know the book of their options, and no solver without it.
func TestMaker(t *testing.T) {
	g := board4(t, 4, 4)
	file := filepath.Join(t.TempDir(), "4x4.book")
	if err := os.WriteFile(file, written(t, g, 1), 0o644); err != nil {
		t.Fatal(err)
	}
	for book, known := range map[string]bool{file: true, "": false} {
		s, err := Maker(g).New(solver.Options{TableMegabytes: 1, Threads: 1, Book: book})
		if err != nil {
			t.Fatal(err)
		}
		if score, err := s.Solve(t.Context(), g.Start()); score != 0 || err != nil || (s.Nodes() == 0) != known {
			t.Errorf("book %q: score %d in %d nodes, error %v", book, score, s.Nodes(), err)
		}
	}
	if _, err := Maker(g).New(solver.Options{TableMegabytes: 1, Threads: 1, Book: file + "-missing"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without its book: error %v", err)
	}
	if small, standard := Maker(g).Quick, Maker(connect4.Standard()).Quick; small != 0 || standard != 12 {
		t.Errorf("quick from ply %d of 16 and %d of 42 on, want 0 and 12", small, standard)
	}
}

// TestContinue stops the building of a book again and again; the book becomes the same as without that.
func TestContinue(t *testing.T) {
	g := board4(t, 4, 4)
	want := build(t, g, BuildOptions{Depth: 4, Solver: small})
	var book *Book
	for searches := 0; book == nil || len(book.layers[0].keys) == 0; {
		ctx, cancel := context.WithCancel(t.Context())
		before := searches
		progress := func(done, total int) {
			if searches++; searches == before+10 {
				cancel()
			}
		}
		var err error
		book, err = BuildBook(ctx, g, BuildOptions{Depth: 4, Solver: small, From: book, Progress: progress})
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		book = reread(t, book)
		end := -1
		if err == nil {
			end = 4
		}
		if got := solverWith(t, g, Options{TableMegabytes: 1, Threads: 1, Book: book}).BookEnd(); got != end {
			t.Fatalf("after error %v, the book ends at ply %d, want %d", err, got, end)
		}
		if got := len(book.layers[4].keys); got != searches {
			t.Fatalf("%d positions after %d searches", got, searches)
		}
	}
	if !reflect.DeepEqual(book, want) {
		t.Error("the continued book differs from one that was built at once")
	}
}

func TestBadBuilds(t *testing.T) {
	other := build(t, board4(t, 4, 4), BuildOptions{Depth: 2, Solver: small})
	for _, test := range []struct {
		options BuildOptions
		message string
	}{
		{BuildOptions{Depth: -1, Solver: small}, "depth is -1, but must be 0 to 41"},
		{BuildOptions{Depth: 42, Solver: small}, "depth is 42, but must be 0 to 41"},
		{BuildOptions{Depth: 2, Solver: small, From: other}, "4 columns, 4 rows and depth 2; start a new one"},
	} {
		if _, err := BuildBook(t.Context(), connect4.Standard(), test.options); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%+v: error %v; want one with %q", test.options, err, test.message)
		}
	}
}

// written is a small book as a file.
func written(t testing.TB, g *connect4.Game, depth int) []byte {
	t.Helper()
	book, err := BuildBook(context.Background(), g, BuildOptions{Depth: depth, Solver: small})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if n, err := book.WriteTo(&file); n != int64(file.Len()) || err != nil {
		t.Fatalf("%d bytes written, error %v; want %d", n, err, file.Len())
	}
	return file.Bytes()
}

func reread(t *testing.T, book *Book) *Book {
	t.Helper()
	var file bytes.Buffer
	book.WriteTo(&file)
	again, err := ReadBook(&file)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// A score that no game ends with is refused, although the checksum agrees.
func TestWrongScores(t *testing.T) {
	g := board4(t, 4, 4)
	book := build(t, g, BuildOptions{Depth: 1, Solver: small})
	for score, allowed := range map[int8]bool{8: true, -8: true, 9: false, -9: false} {
		book.layers[1].scores[0] = score
		var file bytes.Buffer
		book.WriteTo(&file)
		if _, err := ReadBook(&file); (err == nil) != allowed {
			t.Errorf("a book with the score %d: error %v; allowed %t", score, err, allowed)
		}
	}
}

// TestDamagedBook changes each byte, and cuts after each.
func TestDamagedBook(t *testing.T) {
	data := written(t, board4(t, 4, 4), 3)
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x10
		if _, err := ReadBook(bytes.NewReader(damaged)); err == nil {
			t.Errorf("byte %d is damaged, but the book was read", i)
		}
		if _, err := ReadBook(bytes.NewReader(data[:i])); err == nil {
			t.Errorf("the book was read from its first %d bytes", i)
		}
	}
}

// FuzzReadBook mends the checksum, so that what comes after it is reached.
func FuzzReadBook(f *testing.F) {
	f.Add(written(f, board4(f, 4, 4), 2))
	f.Add(written(f, board4(f, 5, 4), 4))
	f.Add([]byte(bookMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		ReadBook(bytes.NewReader(data))
		if len(data) < 4 {
			return
		}
		book, err := ReadBook(bytes.NewReader(frame.Seal(data[: len(data)-4 : len(data)-4])))
		if err != nil {
			return
		}
		if again := reread(t, book); !reflect.DeepEqual(again, book) {
			t.Error("the book changes when it is written and read")
		}
	})
}
