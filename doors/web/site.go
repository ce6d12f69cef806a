package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
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
	"tengen/engine"
)

// SiteModels are the models of a page without a server.
type SiteModels struct {
	games    map[string]string // by the model's name, the game that it has learned
	contents map[string][]byte // by file
	first    []string          // games, if the models were chosen
}

// ReadSiteModels reads models for a page. Without names, it reads the built-in ones, of two for one game the smaller.
func ReadSiteModels(names []string) (SiteModels, error) {
	chosen := names
	if len(names) == 0 {
		chosen = engine.PretrainedModels()
	}
	m := SiteModels{games: map[string]string{}, contents: map[string][]byte{}}
	byGame := map[string]string{}
	for _, name := range chosen {
		model, _, content, err := engine.ReadModel(name)
		if err != nil {
			return m, err
		}
		title := strings.TrimSuffix(filepath.Base(filepath.Clean(name)), ".safetensors")
		if m.games[title] != "" {
			return m, engine.InputErrorf("two models are called %s: the page could not tell them apart", title)
		}
		if len(names) > 0 {
			m.first = append(m.first, model.Game)
		} else if other := byGame[model.Game]; other != "" {
			if len(m.contents[other+".safetensors"]) <= len(content) {
				continue
			}
			delete(m.games, other)
			delete(m.contents, other+".safetensors")
		}
		byGame[model.Game], m.games[title], m.contents[title+".safetensors"] = title, model.Game, content
	}
	return m, nil
}

// Names returns the names of the models.
func (m SiteModels) Names() []string { return slices.Sorted(maps.Keys(m.games)) }

// sitePolicy allows a page its own files, and to compile its engine.
const sitePolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; form-action 'none'"

// SiteBuild names what a page and its engine have in common: the version of this program, and the page's files.
func SiteBuild() string {
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(allAssets())) {
		all = append(all, allAssets()[name].tag...)
	}
	_ = fs.WalkDir(assets.Site, ".", func(name string, _ fs.DirEntry, _ error) error {
		content, _ := assets.Site.ReadFile(name) // none of a folder
		all = append(all, content...)
		return nil
	})
	return engine.Version() + "-" + newAsset("", all).tag[:12]
}

// Site returns the files of a page that needs no server, by their paths. Where the same program's web server would
// answer a question from the page, there the engine does.
//
// It registers the models in package engine in place of the built-in ones, to ask what the page says of each game.
func Site(m SiteModels, e SiteEngine) (map[string][]byte, error) {
	files := map[string][]byte{
		"tengen.wasm.gz": e.Program, "wasm_exec.js": e.Glue, "README.md": []byte(siteReadme),
	}
	site := inbrowser.Site{Build: SiteBuild(), Version: engine.Version(), Models: m.games, Games: m.first}
	addresses := map[string]string{}
	for file, content := range m.contents {
		files["models/"+file] = content
		addresses[file] = tagOf("models/"+file, content)
	}
	answers, err := siteAnswers(site, m.contents)
	if err != nil {
		return nil, err
	}
	kept := []string{"./"} // by the service worker
	for name, a := range allAssets() {
		name = name[1:]
		switch ext := path.Ext(name); {
		case ext == ".LICENSE":
			files[name] = a.plain
		case name == "index.html", path.Dir(name) == "lib" && ext != ".css": // the bundle has the libraries
		default:
			files[name] = a.plain
			kept = append(kept, tagOf(name, a.plain))
		}
	}
	worker, _ := assets.Site.ReadFile("site/worker.js") // both files are part of the program
	service, _ := assets.Site.ReadFile("site/sw.js")
	files["worker.js"] = worker
	kept = append(kept, tagOf("worker.js", worker), tagOf("wasm_exec.js", e.Glue))
	slices.Sort(kept)
	list, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	files["sw.js"] = fmt.Appendf(nil, "const build = %q, files = %s;\n%s", site.Build, list, service)
	inside, err := json.Marshal(map[string]any{"answers": answers, "engine": map[string]any{
		"build": site.Build, "version": site.Version, "models": site.Models, "games": site.Games, "files": addresses, "bytes": len(e.Program),
		"program": tagOf("tengen.wasm.gz", e.Program), "glue": tagOf("wasm_exec.js", e.Glue), "worker": tagOf("worker.js", worker),
	}})
	if err != nil {
		return nil, err
	}
	page := strings.NewReplacer(
		"<head>\n", "<head>\n  <meta http-equiv=\"Content-Security-Policy\" content=\""+sitePolicy+"\">\n",
		"</header></div>", "</header>"+lateNotice+"</div>\n  <script type=\"application/json\" id=\"inside\">"+string(inside)+"</script>",
		noScript, "This page needs JavaScript.",
	).Replace(string(allAssets()["/index.html"].plain))
	files["index.html"] = []byte(page)
	return files, nil
}

// lateNotice shows when the page's program has not started for some seconds, as from a file.
const lateNotice = `<p class="late">This page does not start. It needs a browser of 2024 or later, and a web host: it cannot be opened as a file.
    README.md beside it says how to try it on your own machine.</p>`

const noScript = "This page needs JavaScript. Without it, use tengen play and tengen analyze in a terminal."

const siteReadme = `# A page to play on

Copy this folder to any web host that serves files by https, and send people its address. It needs nothing else.
To try it here: "python3 -m http.server" in this folder, then http://localhost:8000 in a browser.
A host that can set headers should send: Content-Security-Policy: ` + sitePolicy + `; frame-ancestors 'none'
`

// tagOf returns the address of a file, which changes with its content.
func tagOf(name string, content []byte) string { return name + "?" + newAsset(name, content).tag }

// siteAnswers asks what a page shows before its engine has been loaded: the menu and, of each game on it, the start and
// the players. They are by the addresses that the page asks for.
func siteAnswers(site inbrowser.Site, contents map[string][]byte) (map[string]json.RawMessage, error) {
	handler, err := site.Handler(func(file string) ([]byte, error) { return contents[file], nil })
	if err != nil {
		return nil, err
	}
	answers := map[string]json.RawMessage{}
	ask := func(address string) error {
		var body bytes.Buffer
		var status int
		inbrowser.Answer(context.Background(), handler, inbrowser.Request{Method: http.MethodGet, Address: "/" + address}, func(p inbrowser.Part) {
			status = p.Status
			body.Write(p.Body)
		})
		if status != http.StatusOK {
			return fmt.Errorf("%s: %s", address, body.Bytes())
		}
		answers[address] = json.RawMessage(bytes.TrimSpace(body.Bytes()))
		return nil
	}
	if err := ask("api/games"); err != nil {
		return nil, err
	}
	var menu struct{ Games []struct{ Name string } }
	if err := json.Unmarshal(answers["api/games"], &menu); err != nil {
		return nil, err
	}
	for _, g := range menu.Games {
		for _, what := range []string{"position", "players"} {
			if err := ask("api/" + what + "?" + url.Values{"game": {g.Name}}.Encode()); err != nil {
				return nil, err
			}
		}
	}
	return answers, nil
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
