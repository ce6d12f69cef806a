package cli

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

var (
	manualDir     = flag.String("man", "", "folder to write the manual pages to")
	manualVersion = flag.String("man-version", "", "version that the manual pages are of")
)

// Every command has a manual page. A release keeps them (-man); here, and not in the program,
// they are made, so that it need not carry what writes them. Their date is that of SOURCE_DATE_EPOCH.
func TestManual(t *testing.T) {
	dir := *manualDir
	if dir == "" {
		dir = t.TempDir()
	}
	root := newRoot()
	root.DisableAutoGenTag = true
	if err := doc.GenManTree(root, &doc.GenManHeader{Source: "tengen " + *manualVersion, Manual: "tengen"}, dir); err != nil {
		t.Fatal(err)
	}
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		page, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(string(page), cmd.Short) {
			t.Errorf("the page of %q does not say %q", cmd.CommandPath(), cmd.Short)
		}
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				check(c)
			}
		}
	}
	check(root)
}

// What commands say of their flags does not depend on the machine, as the pages of a release must not.
func TestHelpIsTheSameOnAllMachines(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	here := newRoot()
	runtime.GOMAXPROCS(cores + 1)
	defer runtime.GOMAXPROCS(cores)
	var check func(here, there *cobra.Command)
	check = func(here, there *cobra.Command) {
		if here.UsageString() != there.UsageString() {
			t.Errorf("with a core more, %q says\n%s\nnot\n%s", here.CommandPath(), there.UsageString(), here.UsageString())
		}
		for i, c := range here.Commands() {
			check(c, there.Commands()[i])
		}
	}
	check(here, newRoot())
}
