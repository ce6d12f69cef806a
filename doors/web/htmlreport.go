package web

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"

	"tengen/doors/web/assets"
	"tengen/internal/atomicfile"
	"tengen/run"
	"tengen/train/checkpoint"
)

// Axes are what the charts of a report can lie over.
var Axes = []string{"games", "positions", "steps", "hours"}

// WriteReport writes the Runs page into one HTML file, with the runs in some directories inside, drawn over one of Axes. The file needs
// no server and nothing from elsewhere. The same runs give the same bytes. WriteReport leaves out the section "cluster" of
// configurations, which has addresses and the places of secrets. It calls warn for files beside the metrics that it cannot read.
func WriteReport(file string, dirs []string, axis string, warn func(error)) error {
	data, err := newReport(dirs, axis, warn)
	if err != nil {
		return err
	}
	page, err := sealedPage(data)
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(file, 0o644, page)
}

// reportJSON is what a page has in the place of a server.
type reportJSON struct {
	Address string         `json:"address"` // at which the page opens
	Answers map[string]any `json:"answers"` // by the paths below /api/
}

// newReport collects what the Runs page asks for.
func newReport(dirs []string, axis string, warn func(error)) (*reportJSON, error) {
	s, err := New(Options{Runs: dirs, Warn: warn})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	shown, list := url.Values{}, []runJSON{}
	report := &reportJSON{Answers: map[string]any{"games": map[string]any{"games": s.games()}}}
	for _, r := range s.runs {
		if _, _, err := run.ReadConfig(r.dir); err != nil {
			return nil, err
		}
		if _, err := checkpoint.LoadMetrics(r.dir); err != nil {
			return nil, err
		}
		answer := r.answer()
		for key := range answer.Config {
			if strings.HasPrefix(key, "cluster.") {
				delete(answer.Config, key)
			}
		}
		answer.Metrics = nil // the page reads the lines
		report.Answers["runs/"+r.name] = answer
		list = append(list, answer.runJSON)
		shown.Add("show", r.name)
	}
	report.Answers["runs"] = newRunList(list)
	shown.Set("axis", axis)
	report.Address = "#/runs?" + shown.Encode()
	return report, nil
}

// sealedPolicy is what a page may do that has everything inside: nothing with anything else.
const sealedPolicy = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline' data:; img-src data:"

var (
	preloaded = regexp.MustCompile(`(?m)^ *<link rel="modulepreload".*\n`)
	imported  = regexp.MustCompile(`from '\./([\w./-]+)'`)
	named     = regexp.MustCompile(`((?:src|href) ?= ?["']|url\()([\w./-]+\.(?:js|css|svg))`)
)

// sealedPage is index.html with its files and some data inside. Files that it names become addresses with their content. Modules import
// each other by names, which a map tells the browser: an address with a content has no neighbours.
func sealedPage(data any) ([]byte, error) {
	inside, err := json.Marshal(data) // which escapes what would end the script
	if err != nil {
		return nil, err
	}
	modules := map[string]string{}
	err = fs.WalkDir(assets.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".js" {
			modules[moduleName(name)] = dataAddress(name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	table, err := json.Marshal(map[string]any{"imports": modules})
	if err != nil {
		return nil, err
	}
	page := preloaded.ReplaceAllString(sealedText("index.html"), "")
	page = strings.Replace(page, "<head>\n", "<head>\n  <meta http-equiv=\"Content-Security-Policy\" content=\""+sealedPolicy+"\">\n", 1)
	page = strings.Replace(page, `<script type="module"`, `<script type="importmap">`+string(table)+"</script>\n"+
		`  <script type="application/json" id="inside">`+string(inside)+"</script>\n"+`  <script type="module"`, 1)
	return []byte(page), nil
}

// moduleName is what modules of a sealed page call another.
func moduleName(file string) string { return "tengen/" + file }

// sealedText is the content of a file of the page that names no other file any more.
func sealedText(name string) string {
	content, err := assets.Files.ReadFile(name)
	if err != nil {
		panic(err) // the files are part of the program
	}
	text := imported.ReplaceAllString(string(content), "from '"+moduleName("$1")+"'")
	return named.ReplaceAllStringFunc(text, func(found string) string {
		part := named.FindStringSubmatch(found)
		return part[1] + dataAddress(part[2])
	})
}

// dataAddress is an address that is a file of the page.
func dataAddress(name string) string {
	kind, _, _ := strings.Cut(kinds[path.Ext(name)], ";")
	return "data:" + kind + ";charset=utf-8;base64," + base64.StdEncoding.EncodeToString([]byte(sealedText(name)))
}
