package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tengen/doors/web"
	"tengen/internal/printable"
	"tengen/newgame"
)

func newExportPage() *cobra.Command {
	var specs []string
	var file string
	cmd := &cobra.Command{
		Use:   "page DIR",
		Short: "Write a page on which people play without a server",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFolder(cmd, args[0]); err != nil {
				return err
			}
			models, err := siteModels(specs)
			if err != nil {
				return err
			}
			e, err := siteEngine(cmd, file)
			if err != nil {
				return err
			}
			var names, games []string
			for _, m := range models {
				names = append(names, m.Name)
				if len(specs) > 0 {
					games = append(games, m.Game)
				}
			}
			files, err := web.Site(models, games, e)
			if err == nil {
				err = web.WriteSite(args[0], files)
			}
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: a page with an engine of %.1f MB and %s. To try it:\n  cd %s\n  python3 -m http.server\n",
					shown(args[0]), float64(len(e.Program))/1e6, strings.Join(names, ", "), printable.Word(args[0]))
			}
			return err
		},
	}
	forceFlag(cmd)
	cmd.Flags().StringArrayVar(&specs, "player", nil, "`net:PATH`, a model of the page; may be repeated (default: the built-in models)")
	cmd.Flags().StringVar(&file, "engine", "", "`file` with this program for browsers, from its release (default: compile it)")
	return cmd
}

// checkFolder returns an error unless a folder is empty or absent, or --force is given.
func checkFolder(cmd *cobra.Command, dir string) error {
	force, err := cmd.Flags().GetBool("force")
	if entries, missing := os.ReadDir(dir); !force && (len(entries) > 0 || missing != nil && !os.IsNotExist(missing)) {
		return usageErrorf("%s is not an empty folder: name a new one, or overwrite its files with --force", dir)
	}
	return err
}

// siteModels reads the models of SPECs, which must be networks without a limit.
func siteModels(specs []string) ([]web.SiteModel, error) {
	var names []string
	for _, text := range specs {
		name, err := networkName(text)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return web.ReadSiteModels(names)
}

// siteEngine reads the engine from a file, or compiles it if there is no file.
func siteEngine(cmd *cobra.Command, file string) (web.SiteEngine, error) {
	if file != "" {
		return web.ReadSiteEngine(file)
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "compiling the engine")
	e, err := web.CompileSiteEngine(cmd.Context(), newgame.Source())
	if err != nil {
		err = fmt.Errorf("the engine cannot be compiled (%w): that takes Go (https://go.dev/dl) and this program's source, in the current folder; "+
			"or name the file of the release that has it, --engine %s", err, web.SiteEngineFile())
	}
	return e, err
}
