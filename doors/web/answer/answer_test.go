package answer

import (
	"compress/gzip"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// An answer comes packed to those who can unpack it, and not at all to those who have it.
func TestJSONIsPackedAndKept(t *testing.T) {
	value := map[string]string{"long": strings.Repeat("a", 1000)}
	ask := func(header, content string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set(header, content)
		if err := JSON(w, r, value); err != nil {
			t.Fatal(err)
		}
		return w
	}
	plain, packed := ask("Accept", "*/*"), ask("Accept-Encoding", "gzip, br")
	if plain.Header().Get("Content-Encoding") != "" || packed.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("encodings %q and %q", plain.Header().Get("Content-Encoding"), packed.Header().Get("Content-Encoding"))
	}
	if packed.Body.Len()*5 > plain.Body.Len() {
		t.Errorf("packed to %d bytes of %d", packed.Body.Len(), plain.Body.Len())
	}
	unpacked, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]string
	if err := json.NewDecoder(unpacked).Decode(&got); err != nil || got["long"] != value["long"] {
		t.Errorf("unpacked: %v, %v", got, err)
	}
	if again := ask("If-None-Match", plain.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("the second time: status %d, %d bytes", again.Code, again.Body.Len())
	}
	value["more"] = "b"
	if changed := ask("If-None-Match", plain.Header().Get("ETag")); changed.Code != http.StatusOK {
		t.Errorf("after a change: status %d", changed.Code)
	}
}
