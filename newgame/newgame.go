// Package newgame writes the Go module of a new game: a small game of pieces, which its author changes, with a program,
// tests and a configuration.
package newgame

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"tengen/engine"
)

// template is the module. It is called yourgame, and its packages lie here, where they are tested.
//
//go:embed template
var template embed.FS

const (
	templateName    = "yourgame"
	templatePackage = "tengen/newgame/template"
)

// Source returns the folder of the source that this program was compiled from, which need not exist any more, or "" if
// the program was built with -trimpath.
func Source() string {
	_, file, _, _ := runtime.Caller(0)
	if !filepath.IsAbs(file) {
		return ""
	}
	return filepath.Dir(filepath.Dir(file))
}

var validName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// Write writes the module of a game with this name into a folder that is empty or absent. source is the folder of
// tengen's source, whose requirements the module takes over. It changes nothing before an InputError.
func Write(dir, name, source string) error {
	if !validName.MatchString(name) {
		return engine.InputErrorf("a game cannot be called %.80q: name it by small letters and digits, such as hex2", name)
	}
	if name == "tengen" || slices.Contains(engine.GameNames(), name) {
		return engine.InputErrorf("%s is taken: choose another name", name)
	}
	if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil && !os.IsNotExist(err) {
		return engine.InputErrorf("%s is not an empty folder: name a new one", dir)
	}
	files, err := requirements(name, source)
	if err != nil {
		return err
	}
	err = fs.WalkDir(template, "template", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := template.ReadFile(path)
		path = strings.ReplaceAll(strings.TrimPrefix(path, "template/"), templateName, name)
		files[path] = strings.NewReplacer(templateName, name, templatePackage, "games/"+name).Replace(string(content))
		return err
	})
	for path, content := range files {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o777)
		}
		if err == nil {
			err = os.WriteFile(path, []byte(content), 0o666)
		}
	}
	return err
}

// requirements returns go.mod and go.sum of a module that is built with the same versions as the source.
func requirements(name, source string) (files map[string]string, err error) {
	if source == "" {
		return nil, engine.InputErrorf("this program does not know where tengen's source is: " +
			"name a clone of it with --source")
	}
	if source, err = filepath.Abs(source); err != nil {
		return nil, err
	}
	mod, errMod := os.ReadFile(filepath.Join(source, "go.mod"))
	sum, errSum := os.ReadFile(filepath.Join(source, "go.sum"))
	rest, ok := strings.CutPrefix(string(mod), "module tengen\n")
	if errMod != nil || errSum != nil || !ok {
		return nil, engine.InputErrorf("tengen's source is not in %s: name a clone of it with --source", source)
	}
	return map[string]string{
		"go.mod": fmt.Sprintf("module games/%s\n%s\nrequire tengen v0.0.0\n\nreplace tengen => %q\n", name, rest, source),
		"go.sum": string(sum),
	}, nil
}

// CheckModules returns an error if the module in dir cannot be built from what this machine holds, without a network.
func CheckModules(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "./...")
	var why strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), "GOPROXY=off"), &why
	err := cmd.Run()
	if text := strings.TrimSpace(why.String()); err != nil && text != "" {
		err = fmt.Errorf("go list: %s", text[strings.LastIndex(text, "\n")+1:])
	}
	return err
}
