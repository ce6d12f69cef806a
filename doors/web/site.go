package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tengen/doors/web/assets"
	"tengen/doors/web/inbrowser"
	"tengen/doors/web/positions"
	"tengen/engine"
)

// SiteModel is a model on a page without a server.
type SiteModel struct {
	Name, Game string // the game is the one that it has learned
	Content    []byte // of its file
}

// ReadSiteModels reads models. Without names, it reads the built-in ones, only the smallest for each game.
func ReadSiteModels(names []string) (models []SiteModel, err error) {
	builtIn := len(names) == 0
	if builtIn {
		names = engine.PretrainedModels()
	}
	for _, name := range names {
		m, _, content, err := engine.ReadModel(name)
		if err != nil {
			return nil, err
		}
		name = strings.TrimSuffix(filepath.Base(filepath.Clean(name)), ".safetensors")
		if slices.ContainsFunc(models, func(other SiteModel) bool { return other.Name == name }) {
			return nil, engine.InputErrorf("two models are called %s: the page could not tell them apart", name)
		}
		if slices.Contains(positions.Reserved(), name) {
			return nil, engine.InputErrorf("%s: the page has another player called %s: rename the file or its folder", names[len(models)], name)
		}
		models = append(models, SiteModel{name, m.Game, content})
	}
	if builtIn {
		slices.SortFunc(models, func(a, b SiteModel) int {
			return cmp.Or(strings.Compare(a.Game, b.Game), cmp.Compare(len(a.Content), len(b.Content)))
		})
		models = slices.CompactFunc(models, func(a, b SiteModel) bool { return a.Game == b.Game })
	}
	return models, nil
}

// sitePolicy allows a page its own files, and to compile its engine.
const sitePolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; form-action 'none'"

// lateNotice shows when the page has not started after some seconds, for instance as a file.
const lateNotice = `<p class="late">This page does not start. It must come from a web host, not from a file (README.md beside it says how to try it), and
    needs a browser of 2024 or later.</p>`

const siteReadme = `# A page to play on

Copy this folder to any web host that serves files by https, and send people its address. It needs nothing else.
To try it here: "python3 -m http.server" in this folder, then http://localhost:8000 in a browser.
A host that can set headers should send: Content-Security-Policy: ` + sitePolicy + `; frame-ancestors 'none'
`

// siteJSON tells the page where its engine is. Each address of a file ends with a hash of the content.
type siteJSON struct {
	inbrowser.Site
	Cache   string            `json:"cache"` // names the browser's cache of the files: a hash of all addresses below
	Program string            `json:"program"`
	Bytes   int               `json:"bytes"` // of the program
	Glue    string            `json:"glue"`  // wasm_exec.js of Go
	Worker  string            `json:"worker"`
	Files   map[string]string `json:"files"` // by the names of models
}

// Site returns the files of a page without a server, by their paths. Its first games are games.
//
// It must not run at the same time as another use of package engine's models.
func Site(models []SiteModel, games []string, e SiteEngine) (map[string][]byte, error) {
	files := map[string][]byte{"README.md": []byte(siteReadme)}
	add := func(name string, content []byte) (address string) {
		files[name] = content
		return (&url.URL{Path: name}).EscapedPath() + "?" + tagOf(content)
	}
	worker, _ := assets.Site.ReadFile("site/worker.js") // both files are part of the program
	service, _ := assets.Site.ReadFile("site/sw.js")
	site := siteJSON{
		Site:    inbrowser.Site{Build: SiteBuild(), Version: engine.Version(), Models: map[string]string{}, Games: games},
		Program: add("tengen.wasm.gz", e.Program), Bytes: len(e.Program), Glue: add("wasm_exec.js", e.Glue), Worker: add("worker.js", worker),
		Files: map[string]string{},
	}
	for _, m := range models {
		site.Models[m.Name] = m.Game
		site.Files[m.Name] = add("models/"+m.Name+".safetensors", m.Content)
	}
	addresses, err := json.Marshal(site)
	if err != nil {
		return nil, err
	}
	site.Cache = tagOf(addresses)
	kept := []string{"./", site.Glue, site.Worker} // by the service worker
	for _, name := range slices.Sorted(maps.Keys(allAssets())) {
		content := allAssets()[name].plain
		switch name, ext := name[1:], path.Ext(name); {
		case ext == ".LICENSE":
			add(name, content)
		case name == "index.html", path.Dir(name) == "lib" && ext != ".css": // the bundle has the libraries
		default: // what a page without its host needs
			kept = append(kept, add(name, content))
		}
	}
	list, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	add("sw.js", fmt.Appendf(nil, "const version = %q, files = %s;\n%s", site.Cache, list, service))
	defer engine.RegisterModels(nil, nil)
	answers, err := siteAnswers(site.Site, func(name string) ([]byte, error) { return files["models/"+name+".safetensors"], nil })
	if err != nil {
		return nil, err
	}
	inside, err := json.Marshal(map[string]any{"answers": answers, "engine": site})
	if err != nil {
		return nil, err
	}
	page := string(allAssets()["/index.html"].plain)
	for _, change := range [][2]string{
		{"<head>\n", "<head>\n  <meta http-equiv=\"Content-Security-Policy\" content=\"" + sitePolicy + "\">\n"},
		{"</header></div>", "</header>" + lateNotice + "</div>\n  <script type=\"application/json\" id=\"inside\">" + string(inside) + "</script>"},
	} {
		page = strings.Replace(page, change[0], change[1], 1)
	}
	add("index.html", []byte(page))
	return files, nil
}

// siteAnswers asks what a page shows before its engine is there: the menu and, of each game on it, the start and the
// players. The keys are the addresses that the page requests.
func siteAnswers(site inbrowser.Site, load func(file string) ([]byte, error)) (map[string]json.RawMessage, error) {
	handler, err := site.Handler(load)
	if err != nil {
		return nil, err
	}
	answers := map[string]json.RawMessage{}
	var failed error
	ask := func(address string) {
		var body bytes.Buffer
		inbrowser.Answer(context.Background(), handler, http.MethodGet, "/"+address, "", func(status int, _ http.Header, part []byte) {
			if status != http.StatusOK {
				failed = fmt.Errorf("%s: %s", address, part)
			}
			body.Write(part)
		})
		answers[address] = body.Bytes()
	}
	ask("api/games")
	var menu struct{ Games []struct{ Name string } }
	if err := json.Unmarshal(answers["api/games"], &menu); err != nil {
		return nil, err
	}
	for _, g := range menu.Games {
		game := url.Values{"game": {g.Name}}.Encode()
		ask("api/position?" + game)
		ask("api/players?" + game)
	}
	return answers, failed
}

// WriteSite writes a page's files into a folder. index.html comes last: a page that is there is complete.
func WriteSite(dir string, files map[string][]byte) error {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return name == "index.html" })
	for _, name := range append(names, "index.html") {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, files[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}
