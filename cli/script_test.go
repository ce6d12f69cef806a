package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tengen/run"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect of cmp")

// TestScript runs the command lines of testdata/script. Each script starts in a folder with tiny.yaml, and has besides the
// commands of package testscript scriptCommands. $ROOT is the project's top. Command lines of tengen run in this process,
// because most take less time than the start of another one; with exec before them they have one.
func TestScript(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(tiny)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join(root, "cli/testdata/script"), // the working directory is not always this one
		Cmds:          scriptCommands,
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			return os.WriteFile(filepath.Join(env.WorkDir, "tiny.yaml"), config, 0o644)
		},
	})
}

var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"tengen":    scriptTengen,
	"fails":     scriptFails,
	"jsonkeys":  scriptJSONKeys,
	"jsonvalue": scriptJSONValue,
	"damage":    scriptDamage,
	"talk":      scriptTalk,
}

// scriptTengen runs a command line, which may end in a file for the standard input:
//
//	tengen solve --game connect4 <positions
func scriptTengen(ts *testscript.TestScript, neg bool, args []string) {
	if code := runHere(ts, args, ts.Stderr()); (code == exitOK) == neg {
		ts.Fatalf("exit status %d", code)
	}
}

// here is held by the script whose folder and environment this process has.
var here sync.Mutex

// runHere runs a command line in this process as one of a script, and returns its exit status.
func runHere(ts *testscript.TestScript, args []string, errOut io.Writer) int {
	in := ""
	if last := len(args) - 1; last >= 0 && strings.HasPrefix(args[last], "<") {
		in, args = ts.ReadFile(args[last][1:]), args[:last]
	}
	here.Lock()
	defer here.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer func() { ts.Check(os.Chdir(before)) }()
	for _, key := range append(run.ConfigKeys(), "net.chanels") { // and one misspelt
		name := variable(key)
		ts.Check(os.Setenv(name, ts.Getenv(name))) // an empty one is as good as none
		defer os.Unsetenv(name)
	}
	return execute(context.Background(), args, strings.NewReader(in), ts.Stdout(), errOut)
}

// scriptFails checks that a command line ends with an exit status and explains it in one line, the last one after lines
// about models:
//
//	fails 2 tengen train --unknown
func scriptFails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "tengen" {
		ts.Fatalf("usage: fails STATUS tengen [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var explanation strings.Builder
	if code := runHere(ts, args[2:], io.MultiWriter(ts.Stderr(), &explanation)); code != want {
		ts.Fatalf("exit status %d, want %d", code, want)
	}
	text := explanation.String()
	for strings.HasPrefix(text, "net:") {
		_, text, _ = strings.Cut(text, "\n")
	}
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
