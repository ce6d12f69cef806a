package jsonline

import "testing"

func TestDecode(t *testing.T) {
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
		if err := Decode([]byte(line), &request); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: error %q, want %q", line, got, want)
		}
	}
}
