package web

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"tengen/doors/web/answer"
	"tengen/doors/web/runs"
)

// Axes are the horizontal axes of a report's charts.
var Axes = []string{"games", "positions", "steps", "hours"}

// Report returns the Runs page as one HTML file with the runs in some directories, drawn over one of Axes. The file
// needs no server and loads nothing. The same runs give the same bytes. Report leaves out the configurations' section
// "cluster", which has addresses and the places of secrets. It calls warn for each unreadable file besides the metrics.
func Report(dirs []string, axis string, warn func(error)) ([]byte, error) {
	ctx := context.Background()
	s, err := New(Options{RunOptions: RunOptions{Runs: dirs, Warn: warn}})
	if err != nil {
		return nil, err
	}
	names, answers, err := s.runs.Report(ctx)
	if err != nil {
		return nil, err
	}
	answers["games"] = map[string]any{"games": s.positions.Games(ctx).Games}
	return sealedPage(reportJSON{"#/runs?" + url.Values{"axis": {axis}, "show": names}.Encode(), answers})
}

func (s *Server) serveReport(w http.ResponseWriter, _ *http.Request, q answer.Query, run *runs.Run) error {
	axis := cmp.Or(q["axis"], Axes[0])
	if !slices.Contains(Axes, axis) {
		return answer.BadRequestf("axis is %q, but must be one of %s", axis, strings.Join(Axes, ", "))
	}
	page, err := Report([]string{run.Dir}, axis, s.options.Warn)
	if err != nil {
		return run.Unreadable(err)
	}
	w.Header().Set("Content-Type", kinds[".html"])
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": run.Name + ".html"}))
	_, _ = w.Write(page) // the client may have gone
	return nil
}

// reportJSON replaces the server for a page.
type reportJSON struct {
	Address string         `json:"address"` // where the page opens
	Answers map[string]any `json:"answers"` // by their paths below /api/
}

const sealedPolicy = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline' data:; img-src data:"

// sealedPage returns index.html with some data and all files that it needs.
func sealedPage(data any) ([]byte, error) {
	inside, err := json.Marshal(data) // escapes whatever would end the script
	if err != nil {
		return nil, err
	}
	before, after, _ := strings.Cut(sealedFrame(), dataPlace)
	return slices.Concat([]byte(before), inside, []byte(after)), nil
}

// dataPlace is where sealedFrame has no data yet.
const dataPlace = "\x00"

// sealedFrame returns index.html with all files that it needs as data addresses.
var sealedFrame = sync.OnceValue(func() string {
	page := readdressed("index.html", dataAddress)
	page = strings.Replace(page, "<head>\n", "<head>\n  <meta http-equiv=\"Content-Security-Policy\" content=\""+sealedPolicy+"\">\n", 1)
	return strings.Replace(page, `<script type="module"`, `<script type="application/json" id="inside">`+dataPlace+"</script>\n"+`  <script type="module"`, 1)
})

func dataAddress(name string) string {
	kind, _, _ := strings.Cut(kinds[path.Ext(name)], ";")
	return "data:" + kind + ";charset=utf-8;base64," + base64.StdEncoding.EncodeToString([]byte(readdressed(name, dataAddress)))
}
