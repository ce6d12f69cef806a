package tengen_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestImports checks the table in docs/packages.md: every package has a row, imports only what its row allows, and needs
// all of it.
func TestImports(t *testing.T) {
	rows := readRows(t)
	seen, used := map[string]bool{}, map[[2]string]bool{}
	for dir, imports := range packageImports(t) {
		row, ok := rowOf(rows, dir)
		if !ok {
			t.Errorf("package %s has no row in the table of docs/packages.md", dir)
			continue
		}
		seen[row] = true
		for _, path := range imports {
			if name, ok := grant(rows[row], row, path); ok {
				used[[2]string{row, name}] = true
				continue
			}
			t.Errorf("%s imports %s, but the table of docs/packages.md allows %s only %s", dir, path, row, strings.Join(rows[row], ", "))
		}
	}
	for row, list := range rows {
		if !seen[row] {
			t.Errorf("docs/packages.md has a row %s, but there is no such package", row)
		}
		for _, name := range list {
			if name != "" && !used[[2]string{row, name}] {
				t.Errorf("docs/packages.md allows %s to import %s, which it does not need", row, name)
			}
		}
	}
}

// floors are the folders at the top, from the ground up.
var floors = []string{
	"internal", "checkpoints", "game", "mcts", "net", "solver", "replay", "selfplay", "players", "eval", "train", "engine", "newgame", "run", "bench", "doors", "cli", "tengen.go", "cmd",
}

// TestNothingPointsUp checks that no package imports one from a higher floor. So the top folders have no import cycle.
func TestNothingPointsUp(t *testing.T) {
	floor := func(path string) int {
		first, _, _ := strings.Cut(strings.TrimPrefix(path, "tengen/"), "/")
		n := slices.Index(floors, first)
		if n < 0 {
			t.Errorf("%s has no floor", path)
		}
		return n
	}
	for dir, imports := range packageImports(t) {
		for _, path := range imports {
			if strings.HasPrefix(path, "tengen/") && floor(path) > floor(dir) {
				t.Errorf("%s imports %s, which lies above it", dir, path)
			}
		}
	}
}

// TestGamesAreHandedIn checks that packages that open games by name import no game and embed no model. Programs
// register both.
func TestGamesAreHandedIn(t *testing.T) {
	imports := packageImports(t)
	for _, dir := range []string{"engine", "run", "bench", "doors/analysis", "doors/gomocup", "doors/gtp", "doors/jsonlines", "doors/manager", "doors/metrics", "selfplay/cluster", "train", "doors/web"} {
		if imports[dir] == nil {
			t.Errorf("there is no package %s", dir)
		}
		for _, path := range reached(imports, dir, map[string]bool{}) {
			inside, ok := strings.CutPrefix(path, "tengen/game/")
			if ok && inside != "forced" && inside != "conformance" || path == "tengen/checkpoints" {
				t.Errorf("%s imports %s, by itself or through others", dir, path)
			}
		}
	}
}

// TestPositionsNeedNoRun checks that who plays and analyzes needs no training run, no database and no message queue: browsers have
// none.
func TestPositionsNeedNoRun(t *testing.T) {
	imports := packageImports(t)
	for _, dir := range []string{"engine", "doors/web/positions"} {
		all := reached(imports, dir, map[string]bool{})
		if !slices.Contains(all, "tengen/net") {
			t.Errorf("%s does not reach the networks", dir)
		}
		for _, path := range all {
			if path == "tengen/run" || strings.HasPrefix(path, "modernc.org/") || strings.HasPrefix(path, "github.com/nats-io/") {
				t.Errorf("%s imports %s, by itself or through others", dir, path)
			}
		}
	}
}

// TestOneFileUsesGorgonia checks that the network's other files do without Gorgonia, its tensors and its types.
func TestOneFileUsesGorgonia(t *testing.T) {
	files, err := filepath.Glob("net/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	imported := regexp.MustCompile(`"(gorgonia\.org|github\.com/chewxy)/`)
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.ToSlash(path)
		if imported.Match(content) != (path == "net/graph.go") && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("net/graph.go alone must import Gorgonia, see %s", path)
		}
	}
}

// reached returns a package's direct and indirect imports.
func reached(imports map[string][]string, dir string, seen map[string]bool) (all []string) {
	for _, path := range imports[dir] {
		if seen[path] {
			continue
		}
		seen[path] = true
		all = append(all, path)
		all = append(all, reached(imports, strings.TrimPrefix(path, "tengen/"), seen)...)
	}
	return all
}

// readRows returns the table's rows: each package and what it may import.
func readRows(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("docs/packages.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z0-9./-]+)` \\|.*\\|([^|]*)\\|$")
	rows := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		var allowed []string
		for _, path := range strings.Split(m[2], ",") {
			allowed = append(allowed, strings.Trim(path, " `"))
		}
		rows[m[1]] = allowed
	}
	if len(rows) == 0 {
		t.Fatal("docs/packages.md has no table of packages")
	}
	return rows
}

// packageImports returns each package's imports from outside the standard library, except in tests.
func packageImports(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if path == "examples" || path == "lab" || filepath.ToSlash(path) == "newgame/template" { // separate modules, and one to be
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if dir == "." {
			dir = "tengen.go"
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		if imports[dir] == nil {
			imports[dir] = []string{}
		}
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			first, _, _ := strings.Cut(name, "/")
			if (first == "tengen" || strings.Contains(first, ".")) && !slices.Contains(imports[dir], name) {
				imports[dir] = append(imports[dir], name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return imports
}

// rowOf returns the row of the package or of its nearest parent folder.
func rowOf(rows map[string][]string, dir string) (string, bool) {
	for ; dir != "."; dir = filepath.ToSlash(filepath.Dir(dir)) {
		if _, ok := rows[dir]; ok {
			return dir, true
		}
	}
	return "", false
}

// grant returns the name in a row's list that allows it to import path, or the row itself. A name includes the packages
// below it, and a row may always import from its own folder.
func grant(list []string, row, path string) (name string, ok bool) {
	for _, name := range append(slices.Clone(list), row) {
		for _, prefix := range []string{"tengen/" + name, name} {
			if path == prefix || strings.HasPrefix(path, prefix+"/") {
				return name, true
			}
		}
	}
	return "", false
}

// TestProgramsLeaveTestingOut checks that package testing is no part of the programs, which check games as tests do.
func TestProgramsLeaveTestingOut(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./cmd/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if slices.Contains(deps, "testing") || len(deps) == 0 {
		t.Errorf("of %d packages in the programs, one is testing", len(deps))
	}
}
