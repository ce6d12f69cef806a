package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What is no terminal gets no status line: a pipe, a buffer, a file.
func TestStatusLineIsSilentOffTerminals(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var buffer bytes.Buffer
	for _, l := range []*statusLine{newStatusLine(file), newStatusLine(&buffer)} {
		l.Set("iteration 1/2")
		l.Clear()
	}
	if written := readFile(t, file.Name()); len(written) > 0 || buffer.Len() > 0 {
		t.Errorf("the file holds %q, the buffer %q", written, &buffer)
	}
	if useColour(file) || useColour(&buffer) {
		t.Error("there is colour without a terminal")
	}
}

func TestStatusLine(t *testing.T) {
	var out bytes.Buffer
	l := &statusLine{w: &out}
	expect := func(what, want string) {
		t.Helper()
		if got := out.String(); got != want {
			t.Errorf("%s writes %q, want %q", what, got, want)
		}
		out.Reset()
	}
	long := time.Now().Add(-time.Hour) // no write is too soon after this one

	l.Clear()
	expect("clearing a ^C", "\r\x1b[K")
	l.Set("short")
	expect("a short line", "\rshort\x1b[K")
	l.last = time.Now().Add(time.Hour)
	l.Set("too soon")
	expect("a write that comes too soon", "")
	l.last = long
	most := strings.Repeat("ä", 79) // of 80 columns
	l.Set(most)
	expect("a line that just fits", "\r"+most+"\x1b[K")
	l.last = long
	l.Set(most + "öü")
	expect("a longer line", "\r"+most+"\x1b[K")
	l.Clear()
	expect("clearing", "\r\x1b[K")
}
