package main

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect of cmp")

// TestScript runs the command lines of testdata/script. Each script starts in a folder with tiny.yaml, and has besides the
// commands of package testscript those of scriptCommands. $ROOT is the project's top.
func TestScript(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(tiny)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Cmds:                scriptCommands,
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			return os.WriteFile(filepath.Join(env.WorkDir, "tiny.yaml"), config, 0o644)
		},
	})
}

var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"fails":     scriptFails,
	"jsonkeys":  scriptJSONKeys,
	"jsonvalue": scriptJSONValue,
	"damage":    scriptDamage,
	"talk":      scriptTalk,
}

// scriptFails checks that a command line ends with an exit status and explains it in one line:
//
//	fails 2 tengen train --unknown
func scriptFails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fails STATUS COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); err == nil {
		ts.Fatalf("it succeeded")
	} else if !errors.As(err, &exit) || exit.ExitCode() != want {
		ts.Fatalf("it ended with %v, want exit status %d", err, want)
	}
	text := ts.ReadFile("stderr")
	if !strings.HasPrefix(text, "tengen: ") || strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		ts.Fatalf("it does not explain itself in one line")
	}
}

// scriptJSONKeys checks that objects have these keys and no other. A file holds any number of objects, one after the other;
// PATH goes to an object inside of each, "." is the object itself:
//
//	jsonkeys stdout . moves visits
//	jsonkeys stdout visits 1 2 3 4 5 6 7
func scriptJSONKeys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: jsonkeys FILE PATH KEY...")
	}
	want := slices.Sorted(slices.Values(args[2:]))
	for i, object := range readJSON(ts, args[0]) {
		inner, ok := atPath(object, args[1]).(map[string]any)
		if !ok {
			ts.Fatalf("object %d has no object %s", i+1, args[1])
		}
		if got := slices.Sorted(maps.Keys(inner)); !slices.Equal(got, want) {
			ts.Fatalf("object %d has keys\n%s, want\n%s", i+1, strings.Join(got, " "), strings.Join(want, " "))
		}
	}
}

// scriptJSONValue compares a value of the NUMBER-th object of a file, from 1, with one written in JSON:
//
//	jsonvalue stdout 1 as_first.wins 4
func scriptJSONValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 4 {
		ts.Fatalf("usage: [!] jsonvalue FILE NUMBER PATH VALUE")
	}
	number, err := strconv.Atoi(args[1])
	ts.Check(err)
	objects := readJSON(ts, args[0])
	if number < 1 || number > len(objects) {
		ts.Fatalf("%s has %d objects", args[0], len(objects))
	}
	var want any
	ts.Check(json.Unmarshal([]byte(args[3]), &want))
	if got := atPath(objects[number-1], args[2]); reflect.DeepEqual(got, want) == neg {
		ts.Fatalf("%s is %v", args[2], got)
	}
}

// readJSON returns the values in a file, of which there must be some.
func readJSON(ts *testscript.TestScript, file string) (values []any) {
	for d := json.NewDecoder(strings.NewReader(ts.ReadFile(file))); ; {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			ts.Fatalf("%s: %v", file, err)
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		ts.Fatalf("%s has no JSON", file)
	}
	return values
}

// atPath goes down the keys of a path with dots, nil where there is nothing.
func atPath(value any, path string) any {
	for key := range strings.SplitSeq(strings.Trim(path, "."), ".") {
		if object, ok := value.(map[string]any); ok && key != "" {
			value = object[key]
		} else if key != "" {
			return nil
		}
	}
	return value
}

// scriptDamage damages a file in the middle:
//
//	damage cut run/model.safetensors
//	damage alter run/model.safetensors
func scriptDamage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: damage cut|alter FILE")
	}
	content := []byte(ts.ReadFile(args[1]))
	middle := len(content) / 2
	switch args[0] {
	case "cut":
		content = content[:middle]
	case "alter":
		content[middle] ^= 1
	default:
		ts.Fatalf("unknown damage %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), content, 0o644))
}
