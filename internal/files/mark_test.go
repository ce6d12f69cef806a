package files

import "testing"

// One mark at the start is dropped, and nothing else.
func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"\ufeffSTART 15\n": "START 15\n", "START\ufeff": "START\ufeff", "\ufeff\ufeff1": "\ufeff1", "\ufeff": "", "": "", "4": "4",
		"\xef": "\xef", "\xef\xbb4\n": "\xef\xbb4\n",
	} {
		if got := Text([]byte(text)); string(got) != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
