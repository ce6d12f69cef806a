package tengen_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	// A file of the repository that a page names in backquotes, and what it declares: `mcts/search.go`: `Select`.
	named = regexp.MustCompile("`((?:[a-z0-9_-]+/)+[a-z0-9_.-]+\\.(?:go|js|sql|conf|txtar))`(?:: `([A-Za-z_]+)`)?")
)

// TestPagesNameWhatExists checks the links of all pages, with their headings, and the files that pages name. Guides call
// the files that a reader will write "your".
func TestPagesNameWhatExists(t *testing.T) {
	for _, page := range markdown(t) {
		text := read(t, page)
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s has a link to %s: %v", page, m[1], err)
			} else if anchor != "" && !anchors(read(t, target))[anchor] {
				t.Errorf("%s has a link to %s, but %s has no such heading", page, m[1], target)
			}
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "your") {
				continue
			}
			if content, err := os.ReadFile(m[1]); err != nil {
				t.Errorf("%s names a file: %v", page, err)
			} else if m[2] != "" && !declares(string(content), m[2]) {
				t.Errorf("%s names %s in %s, which does not declare it", page, m[2], m[1])
			}
		}
	}
}

// declares reports whether Go or JavaScript code declares a name at the start of a line.
func declares(code, name string) bool {
	declaration := `(?m)^(func (\([^)]*\) )?|(export )?(async )?function |(export )?const |var |type )` + regexp.QuoteMeta(name) + `\b`
	return regexp.MustCompile(declaration).MatchString(code)
}

// markdown returns the paths of the pages.
func markdown(t *testing.T) (pages []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// anchors returns the names that a code host gives to a page's headings.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		names[strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return names
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
