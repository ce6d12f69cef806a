package cli

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tengen/doors/metrics"
	"tengen/doors/web"
	"tengen/doors/web/runs"
	"tengen/engine"
	"tengen/players"
)

func newServe() *cobra.Command {
	var listen web.Listen
	var browser bool
	options := web.Default()
	cmd := &cobra.Command{
		Use:         "serve",
		Short:       "Play, analyze and watch runs in a browser",
		Annotations: map[string]string{stopsWith: ""},
		RunE: func(cmd *cobra.Command, _ []string) error {
			notices := newNotices(cmd)
			options.Warn, options.Mount = notices.warn, watch(nil)
			for _, dir := range options.Runs {
				if _, err := os.Stat(dir); err != nil {
					options.Warn(fmt.Errorf("%s does not exist yet: its page stays empty until a run starts there", dir))
				}
			}
			return listen.Run(cmd.Context(), options, func(page string) {
				notices.tell(fmt.Sprintf("%s is at %s (Ctrl-C stops it)", called, page), "pages are served", "address", page)
				if browser {
					if err := web.OpenBrowser(page); err != nil {
						options.Warn(err)
					}
				}
			})
		},
	}
	cmd.Flags().StringArrayVar(&options.Runs, "run", nil, "run `directory` to show; may be repeated")
	complete(cmd, "run", func(string) []string { return engine.RunsHere() })
	cmd.Flags().StringVar(&options.Folder, "runs", "checkpoints", "`folder` of runs to show, including new ones; \"\" for none")
	specsFlag(cmd, builtIn, "player", "`SPEC` of an additional player, see tengen help players; may be repeated",
		func(s players.Spec) { options.Players = append(options.Players, s) })
	cmd.Flags().Func("engine", "`NAME=SPEC` of an external engine, see tengen help players; may be repeated", func(text string) error {
		name, spec, named := strings.Cut(text, "=")
		if !named || strings.Contains(name, ":") {
			return errors.New("the name is missing: write NAME=SPEC, such as rhino=gtp:gtp-rhino")
		}
		s, err := players.ParseSpec(spec)
		options.Engines = append(options.Engines, web.Engine{Name: name, Spec: s})
		return err
	})
	cmd.Flags().StringVar(&listen.Address, "http", "127.0.0.1:7070", "`address` of the pages, host:port; port 0 is any free port")
	cmd.Flags().StringArrayVar(&listen.Hosts, "host", nil, "additional host `name` of the server; may be repeated")
	cmd.Flags().StringVar(&listen.TokenFile, "token-file", "", "`file` with the token that every visitor needs, created if absent (default a new token each time, none on loopback)")
	cmd.Flags().StringVar(&listen.CertFile, "cert", "", "PEM `file` with the TLS certificate")
	cmd.Flags().StringVar(&listen.KeyFile, "key", "", "PEM `file` with its key")
	logFlag(cmd)
	cmd.Flags().BoolVar(&browser, "open", false, "open the page in the browser")
	return cmd
}

// watch returns a web.Options.Mount with the handlers of package metrics. feed belongs to the run that this process
// trains, or is nil.
func watch(feed *metrics.Feed) func(func() []*runs.Run) map[string]http.Handler {
	return func(named func() []*runs.Run) map[string]http.Handler {
		return metrics.Handlers(engine.Version(), func() (shown []metrics.Run) {
			for _, r := range named() {
				shown = append(shown, metrics.Run{Name: r.Name, Dir: r.Dir})
				if r.Live != nil {
					shown[len(shown)-1].Feed = feed
				}
			}
			return shown
		})
	}
}
