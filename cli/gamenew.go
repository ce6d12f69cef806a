package cli

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"tengen/internal/printable"
	"tengen/newgame"
)

func newGameNew() *cobra.Command {
	var source string
	cmd := &cobra.Command{
		Use:   "new DIR [NAME]",
		Short: "Write a Go module with a small game, for you to change",
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			name := append(args, filepath.Base(dir))[1]
			if err := newgame.Write(dir, name, cmp.Or(source, newgame.Source())); err != nil {
				return err
			}
			if err := newgame.CheckModules(cmd.Context(), dir); err != nil {
				newNotices(cmd).warn(fmt.Errorf("without a network, the module cannot be built (%w): that takes Go "+
					"(https://go.dev/dl) and the modules which tengen requires, and \"go mod download\" in %s fetches these, once",
					err, shown(args[0])))
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: a game of pieces, for you to change. README.md says how; this is next:\n"+
				"  cd %s\n  go run . game check %s\n", shown(args[0]), printable.Word(args[0]), name)
			return err
		},
	}
	cmd.Flags().StringVar(&source, "source", "", "`folder` with tengen's source (default: where this program was built)")
	return cmd
}
