package web

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tengen/engine"
)

// newSite returns the files of a page with the given models, or the built-in ones.
func newSite(t *testing.T, names ...string) map[string][]byte {
	t.Helper()
	m, err := ReadSiteModels(names)
	if err != nil {
		t.Fatal(err)
	}
	var games []string
	if len(names) > 0 {
		games = []string{m[0].Game}
	}
	files, err := Site(m, games, SiteEngine{Program: []byte("program"), Glue: []byte("glue")})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// inside returns what a page says of itself.
func inside(t *testing.T, files map[string][]byte) (page struct {
	Answers map[string]json.RawMessage
	Engine  struct {
		Cache, Program, Worker, Glue string
		Bytes                        int
		Models, Files                map[string]string
	}
}) {
	t.Helper()
	script := regexp.MustCompile(`(?s)<script type="application/json" id="inside">(.*?)</script>`).FindSubmatch(files["index.html"])
	if script == nil {
		t.Fatalf("%s", files["index.html"])
	}
	if err := json.Unmarshal(script[1], &page); err != nil {
		t.Fatal(err)
	}
	return page
}

// A page knows the address of each of its files, and each address changes with its file.
func TestSiteIsComplete(t *testing.T) {
	files := newSite(t)
	page := inside(t, files)
	e := page.Engine
	addresses := slices.Concat([]string{e.Program, e.Worker, e.Glue}, slices.Collect(maps.Values(e.Files)))
	var kept []string
	list := regexp.MustCompile(`(?m)^const version = "(.+)", files = (\[.*\]);$`).FindSubmatch(files["sw.js"])
	if list == nil || string(list[1]) != e.Cache {
		t.Fatalf("%s: the page is %s", files["sw.js"], e.Cache)
	}
	if err := json.Unmarshal(list[2], &kept); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(kept, "./") {
		t.Errorf("the service worker does not keep the page itself: %q", kept)
	}
	for _, m := range named.FindAllSubmatch(files["index.html"], -1) {
		if !slices.ContainsFunc(kept, func(address string) bool { return strings.HasPrefix(address, string(m[2])+"?") }) {
			t.Errorf("the service worker does not keep %s", m[2])
		}
	}
	for _, address := range append(addresses, kept...) {
		name, tag, _ := strings.Cut(address, "?")
		if content, ok := files[name]; name != "./" && (!ok || tag != tagOf(content)) {
			t.Errorf("%s is not the address of a file", address)
		}
	}
	if e.Bytes != len("program") || e.Models["connect4-quick"] != "connect4" || e.Models["connect4"] != "" || e.Models["gomoku"] != "gomoku" {
		t.Errorf("%d bytes, models %v", e.Bytes, e.Models)
	}
}

// What a page says before its engine is there, a server says, too.
func TestSiteAnswers(t *testing.T) {
	s := newServer(t, nil)
	want := map[string]string{}
	for _, address := range []string{"api/position?game=othello", "api/position?game=connect4%3A8%2C7%2C4", "api/players?game=othello"} {
		want[address] = strings.TrimSpace(ask(s, request("/"+address)).Body.String())
	}
	page := inside(t, newSite(t))
	for address, text := range want {
		if got := string(page.Answers[address]); got != text {
			t.Errorf("%s: the page says\n%s\nand the server\n%s", address, got, text)
		}
	}
}

// A page has the chosen models alone, and its first games are given.
func TestSiteOfModels(t *testing.T) {
	dir := t.TempDir()
	model, err := engine.ReadPretrained("othello")
	file, taken := filepath.Join(dir, "#1.safetensors"), filepath.Join(dir, "uct.safetensors")
	if err == nil {
		err = errors.Join(os.WriteFile(file, model, 0o666), os.WriteFile(taken, model, 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSiteModels([]string{"othello", "checkpoints/pretrained/othello"}); err == nil || !strings.Contains(err.Error(), "two models are called othello") {
		t.Errorf("twice the same name: %v", err)
	}
	if _, err := ReadSiteModels([]string{taken}); err == nil || !strings.Contains(err.Error(), "uct.safetensors: the page has another player called uct") {
		t.Errorf("the name of a player without a model: %v", err)
	}
	page := inside(t, newSite(t, file, "connect4"))
	if want := (map[string]string{"#1": "othello", "connect4": "connect4"}); !maps.Equal(page.Engine.Models, want) {
		t.Errorf("models %v, want %v", page.Engine.Models, want)
	}
	if address := page.Engine.Files["#1"]; address != "models/%231.safetensors?"+tagOf(model) {
		t.Errorf("the address of #1 is %s", address)
	}
	if other := inside(t, newSite(t, file)); other.Engine.Cache == page.Engine.Cache {
		t.Error("pages with different models share a cache")
	}
	var menu struct{ Games []struct{ Name string } }
	if err := json.Unmarshal(page.Answers["api/games"], &menu); err != nil || menu.Games[0].Name != "othello" {
		t.Errorf("%v: %v", menu, err)
	}
}

// An engine of another build is refused.
func TestReadSiteEngine(t *testing.T) {
	dir := t.TempDir()
	write := func(name, program, glue string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, content := range map[string][]byte{"some/tengen.wasm.gz": packed([]byte(program)), "some/wasm_exec.js": []byte(glue), "some/LICENSE": nil} {
			w, err := z.Create(name)
			if err == nil {
				_, err = w.Write(content)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	if e, err := ReadSiteEngine(write("right.zip", "code "+SiteBuild()+" code", "glue")); err != nil || string(e.Glue) != "glue" || len(e.Program) == 0 {
		t.Errorf("%v, %v", e, err)
	}
	for file, want := range map[string]string{
		write("wrong.zip", "code of another", "glue"): "wrong.zip is not the engine of this program's build, which is " + SiteBuild(),
		write("half.zip", SiteBuild(), ""):            "half.zip is not the engine",
		filepath.Join(dir, "none.zip"):                "none.zip: no such file",
		"site_test.go":                                "site_test.go cannot be read: zip: not a valid zip file",
	} {
		if _, err := ReadSiteEngine(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}
