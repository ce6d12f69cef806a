package files

import (
	"io"
	"testing"
	"testing/iotest"
)

// One mark at the start is dropped, however the bytes arrive, and nothing else.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"\ufeffSTART 15\n": "START 15\n", "START\ufeff": "START\ufeff", "\ufeff\ufeff1": "\ufeff1", "\ufeff": "", "": "", "4": "4",
		"\xef": "\xef", "\xef\xbb4\n": "\xef\xbb4\n",
	} {
		if got := Text([]byte(text)); string(got) != want {
			t.Errorf("Text: %q becomes %q, want %q", text, got, want)
		}
		in, writer := io.Pipe()
		go func() {
			for _, b := range []byte(text) {
				writer.Write([]byte{b})
			}
			writer.Close()
		}()
		if got, err := io.ReadAll(iotest.OneByteReader(TextReader(in))); string(got) != want || err != nil {
			t.Errorf("TextReader: %q becomes %q, want %q (%v)", text, got, want, err)
		}
	}
}

// The first byte of a text is read as soon as it is there.
func TestTextDoesNotWait(t *testing.T) {
	in, writer := io.Pipe()
	defer in.Close()
	go writer.Write([]byte("4"))
	if n, err := TextReader(in).Read(make([]byte, 10)); n != 1 || err != nil {
		t.Errorf("read %d bytes, %v", n, err)
	}
}

// An end of the input is the end, though a terminal has more after it.
func TestTextEndsOnce(t *testing.T) {
	reads := 0
	in := readerFunc(func([]byte) (int, error) { reads++; return 0, io.EOF })
	if _, err := TextReader(in).Read(make([]byte, 10)); err != io.EOF || reads != 1 {
		t.Errorf("%v after %d reads", err, reads)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
