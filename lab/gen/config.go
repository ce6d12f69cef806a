package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"

	"tengen/internal/limits"
	"tengen/run"
)

const header = `# The configuration of a training run: every key with its default. The defaults learn Connect Four from the rules
# alone. AlphaZero's paper does not use the techniques whose comments name a value that switches them off.
#
# A file may leave out any key. --set key=value overrides an environment variable such as TENGEN_SELFPLAY_WORKERS, which
# overrides the file, which overrides the default. "tengen config show" prints the result.
#
# "go generate ./run" makes this file from the declarations of the keys.
`

// configFile returns config.yaml: every key below its field's comment, with its default and its range.
func configFile(root string) ([]byte, error) {
	cfg := run.DefaultConfig()
	w := configWriter{root: root, defaults: map[string]string{}, ranges: map[string]string{}}
	for _, s := range cfg.Settings() {
		w.defaults[s.Key] = s.Value
	}
	for _, f := range limits.Fields("", reflect.ValueOf(cfg)) {
		w.ranges[f.Key] = f.Range()
	}
	w.text.WriteString(header + "\n")
	err := w.section("", reflect.TypeOf(cfg))
	return w.text.Bytes(), err
}

type configWriter struct {
	root             string // of the project's source
	defaults, ranges map[string]string
	text             bytes.Buffer
}

// section writes the keys of a struct, with a blank line where the source has one. prefix is "", or the section's key
// and a dot.
func (w *configWriter) section(prefix string, t reflect.Type) error {
	fields, set, err := w.fieldsOf(t)
	if err != nil {
		return err
	}
	line := func(p token.Pos) int { return set.Position(p).Line }
	indent := strings.Repeat("  ", strings.Count(prefix, "."))
	for i := range t.NumField() {
		if doc := fields[i].Doc; doc != nil {
			if i > 0 && line(doc.Pos()) > line(fields[i-1].End())+1 {
				w.text.WriteString("\n")
			}
			w.comment(indent, doc.Text())
		}
		name := t.Field(i).Tag.Get("json")
		key := prefix + name
		if t.Field(i).Type.Kind() == reflect.Struct {
			fmt.Fprintf(&w.text, "%s%s:\n", indent, name)
			if err := w.section(key+".", t.Field(i).Type); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(&w.text, "%s%s: %s", indent, name, w.defaults[key])
		if text := w.ranges[key]; text != "" {
			w.text.WriteString(" # " + text)
		}
		w.text.WriteString("\n")
	}
	return nil
}

// fieldsOf finds the fields of a struct in the source of its package.
func (w *configWriter) fieldsOf(t reflect.Type) ([]*ast.Field, *token.FileSet, error) {
	files, err := filepath.Glob(filepath.Join(w.root, strings.TrimPrefix(t.PkgPath(), "tengen"), "*.go"))
	if err != nil {
		return nil, nil, err
	}
	set := token.NewFileSet()
	for _, file := range files {
		tree, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		for _, d := range tree.Decls {
			types, ok := d.(*ast.GenDecl)
			if !ok || types.Tok != token.TYPE {
				continue
			}
			for _, s := range types.Specs {
				if s := s.(*ast.TypeSpec); s.Name.Name == t.Name() {
					return s.Type.(*ast.StructType).Fields.List, set, nil
				}
			}
		}
	}
	return nil, nil, fmt.Errorf("%s is in none of %q", t, files)
}

// comment writes the paragraphs of a field's comment in lines of up to 120 columns.
func (w *configWriter) comment(indent, text string) {
	const width = 120
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			w.text.WriteString(indent + "#\n")
		}
		line := indent + "#"
		for _, word := range strings.Fields(paragraph) {
			if len(line)+1+len(word) > width {
				w.text.WriteString(line + "\n")
				line = indent + "#"
			}
			line += " " + word
		}
		w.text.WriteString(line + "\n")
	}
}
