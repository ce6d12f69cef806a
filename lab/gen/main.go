// Command gen writes the files of the project that follow from its code: config.yaml, once at the top for people and
// once in package run for the program, and docs/commands.md.
//
//	go run -C lab ./gen
//
// With -man DIR, it writes the manual pages of a release to DIR instead. SOURCE_DATE_EPOCH sets their date.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra/doc"

	"tengen/cli"
	"tengen/run/games"
)

func main() {
	man := flag.String("man", "", "`folder` for manual pages, in place of the project's files")
	version := flag.String("version", "", "version that the manual pages are of")
	flag.Parse()
	games.Register()
	var err error
	if *man != "" {
		err = writeManual(*man, *version)
	} else {
		err = writeFiles("..")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generated maps the files' names to what makes them from the project in the folder root.
var generated = map[string]func(root string) ([]byte, error){
	"config.yaml":      configFile,
	"run/config.yaml":  configFile,
	"docs/commands.md": commandsPage,
}

func writeFiles(root string) error {
	for name, generate := range generated {
		content, err := generate(root)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(root, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writeManual writes a page for every command.
func writeManual(dir, version string) error {
	root := cli.NewRoot()
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Source: "tengen " + version, Manual: "tengen"}, dir)
}
