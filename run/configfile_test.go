package run

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tengen/internal/limits"
)

var update = flag.Bool("update", false, "write config.yaml, here and at the top")

const header = `# The configuration of a training run: every key with its default. The defaults learn Connect Four from the rules
# alone. AlphaZero's paper does not use the techniques whose comments name a value that switches them off.
#
# A file may leave out any key. --set key=value overrides an environment variable such as TENGEN_SELFPLAY_WORKERS, which
# overrides the file, which overrides the default. "tengen config show" prints the result.
#
# "go generate ./run" makes this file from the declarations of the keys.
`

// config.yaml, here for the program and at the top for people, is what the declarations of the keys say.
func TestConfigFile(t *testing.T) {
	var want bytes.Buffer
	want.WriteString(header + "\n")
	section(t, &want, "", reflect.ValueOf(DefaultConfig()))
	for _, file := range []string{"config.yaml", "../config.yaml"} {
		if *update {
			noError(t, os.WriteFile(file, want.Bytes(), 0o644))
		}
		got, err := os.ReadFile(file)
		noError(t, err)
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s differs from the declarations of the keys: go generate ./run", file)
		}
	}
	if cfg, err := ParseConfig(want.Bytes()); err != nil || !bytes.Equal(cfg.YAML(), DefaultConfig().YAML()) {
		t.Errorf("config.yaml is read as\n%s(%v), want the defaults", cfg.YAML(), err)
	}
}

// section writes the fields of a struct below their comments, with a blank line where the source has one.
func section(t *testing.T, b *bytes.Buffer, indent string, v reflect.Value) {
	fields, set := fieldsOf(t, v.Type())
	line := func(p token.Pos) int { return set.Position(p).Line }
	for i := range v.NumField() {
		if doc := fields[i].Doc; doc != nil {
			if i > 0 && line(doc.Pos()) > line(fields[i-1].End())+1 {
				b.WriteString("\n")
			}
			for n, paragraph := range strings.Split(doc.Text(), "\n\n") {
				if n > 0 {
					b.WriteString(indent + "#\n")
				}
				wrap(b, indent+"#", paragraph)
			}
		}
		key := v.Type().Field(i).Tag.Get("json")
		if v.Field(i).Kind() == reflect.Struct {
			fmt.Fprintf(b, "%s%s:\n", indent, key)
			section(t, b, indent+"  ", v.Field(i))
			continue
		}
		fmt.Fprintf(b, "%s%s: %s", indent, key, oneLineYAML(v.Field(i).Interface()))
		all := limits.Fields("", v) // with the keys of sections before this one
		if r := all[slices.IndexFunc(all, func(f limits.Field) bool { return f.Key == key })].Range(); r != "" {
			b.WriteString(" # " + r)
		}
		b.WriteString("\n")
	}
}

// fieldsOf finds the fields of a struct in its package's source.
func fieldsOf(t *testing.T, typ reflect.Type) ([]*ast.Field, *token.FileSet) {
	files, err := filepath.Glob(filepath.Join("..", strings.TrimPrefix(typ.PkgPath(), "tengen"), "*.go"))
	noError(t, err)
	set := token.NewFileSet()
	for _, file := range files {
		tree, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		noError(t, err)
		for _, d := range tree.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, s := range d.Specs {
					if s := s.(*ast.TypeSpec); s.Name.Name == typ.Name() {
						return s.Type.(*ast.StructType).Fields.List, set
					}
				}
			}
		}
	}
	t.Fatalf("%s is in none of %q", typ, files)
	return nil, nil
}

// wrap writes a text in lines of up to 120 columns.
func wrap(b *bytes.Buffer, prefix, text string) {
	column := 0
	for _, word := range strings.Fields(text) {
		if column > 0 && column+1+len(word) > 120 {
			b.WriteString("\n")
			column = 0
		}
		if column == 0 {
			b.WriteString(prefix)
			column = len(prefix)
		}
		b.WriteString(" " + word)
		column += 1 + len(word)
	}
	b.WriteString("\n")
}
