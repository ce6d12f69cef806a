package files

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Lines end with the input, with the first error, when they are no longer wanted, and with the context.
func TestLines(t *testing.T) {
	broken := errors.New("broken")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	silent, _ := io.Pipe()
	long := strings.Repeat("x", maxLine+1)
	for name, c := range map[string]struct {
		ctx  context.Context
		in   io.Reader
		want string
	}{
		"two lines":   {t.Context(), strings.NewReader("a\nb"), "a|b|"},
		"a mark":      {t.Context(), iotest.OneByteReader(strings.NewReader("\ufeffa\n\nb")), "a||b|"},
		"a long line": {t.Context(), strings.NewReader("a\n" + long + "\nb\n"), "a|it has 1048576 bytes or more|"},
		"an error":    {t.Context(), io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(broken)), "a|broken|"},
		"cancelled":   {ctx, silent, "context canceled|"},
	} {
		got := ""
		for text, err := range Lines(c.ctx, c.in) {
			if got += string(text); err != nil {
				got += err.Error()
			}
			got += "|"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for text := range Lines(t.Context(), strings.NewReader("a\nb\n")) {
		if string(text) != "a" {
			t.Errorf("after a: %q", text)
		}
		break
	}
}

func TestDecodeLine(t *testing.T) {
	for line, want := range map[string]string{
		`{"name":"a","count":2}`:  "",
		` {} `:                    "",
		``:                        "there is no JSON object",
		`nonsense`:                "invalid character 'o' in literal null (expecting 'u')",
		`{"name":"a"`:             "the JSON ends too early",
		`[]`:                      "a request cannot be a JSON array",
		`{"count":1.5}`:           "count cannot be a JSON number 1.5",
		`{"inner":{"list":"x"}}`:  "inner.list cannot be a JSON string",
		`{"name":"a","number":2}`: `unknown field "number"`,
		`{"name":"a"} {}`:         "there is more than one JSON object",
		`{"name":"a"}}`:           "there is more than one JSON object",
	} {
		var request struct {
			Name  string `json:"name"`
			Count int    `json:"count"`
			Inner struct {
				List []int `json:"list"`
			} `json:"inner"`
		}
		got := ""
		if err := DecodeLine([]byte(line), &request); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: error %q, want %q", line, got, want)
		}
	}
}
