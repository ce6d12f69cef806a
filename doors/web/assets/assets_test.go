package assets

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// maxBytes is what all files but licences may have together, so that the page is there at once on a telephone, too.
const maxBytes = 300 << 10

// own are the files in lib that are not from a package.
var own = map[string]bool{"manifest.txt": true, "README.md": true}

// TestManifest compares the libraries with the hashes that were taken when they came, and asks for a licence beside each.
func TestManifest(t *testing.T) {
	listed := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(read(t, "lib/manifest.txt")), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 4 {
			t.Fatalf("manifest: %q has %d fields, want 4", line, len(fields))
		}
		want, name := fields[2], fields[3]
		listed[name] = true
		sum := sha256.Sum256([]byte(read(t, "lib/"+name)))
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("lib/%s has the hash %s, the manifest says %s", name, got, want)
		}
	}
	entries, err := Files.ReadDir("lib")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !listed[e.Name()] && !own[e.Name()] {
			t.Errorf("lib/%s is not in the manifest", e.Name())
		}
		licence := strings.TrimSuffix(e.Name(), path.Ext(e.Name())) + ".LICENSE"
		if listed[e.Name()] && !listed[licence] {
			t.Errorf("lib/%s has no licence lib/%s beside it", e.Name(), licence)
		}
	}
}

func TestSize(t *testing.T) {
	total := 0
	each(t, Files, func(name, content string) {
		if path.Ext(name) != ".LICENSE" { // which no page loads
			total += len(content)
		}
	})
	if total > maxBytes {
		t.Errorf("the assets have %d bytes together, but at most %d are allowed", total, maxBytes)
	}
}

// TestImports follows what the page's files and modules name: a picture that is not there shows only when somebody comes to that page.
// Nothing may be inline, which the content security policy forbids, or come from elsewhere.
func TestImports(t *testing.T) {
	named := regexp.MustCompile(`(?:from |import\(|url\(|src="|href=")['"]?([\w./-]+\.(?:js|css|svg))`)
	forbidden := regexp.MustCompile(`(?i)<style|<script>|\son\w+="|\sstyle="|https?://(?:[^w]|w[^w]|ww[^w])`)
	seen := map[string]bool{"index.html": true, "app.js": true}
	sources := os.DirFS(".")
	each(t, sources, func(name, content string) {
		if !strings.Contains(".html.css.js.svg", path.Ext(name)) || path.Dir(name) != "." {
			return
		}
		for _, m := range named.FindAllStringSubmatch(content, -1) {
			target := path.Join(path.Dir(name), m[1])
			seen[target] = true
			if _, err := fs.Stat(sources, target); err != nil {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
		if bad := forbidden.FindString(content); bad != "" {
			t.Errorf("%s has %q, which the content security policy forbids", name, bad)
		}
	})
	each(t, sources, func(name, _ string) {
		if strings.Contains(".css.js.svg", path.Ext(name)) && path.Dir(name) == "." && !seen[name] {
			t.Errorf("nothing names %s", name)
		}
	})
}

// TestCommands reads what the page says about commands: programs with other games serve it too, and have other names.
func TestCommands(t *testing.T) {
	command := regexp.MustCompile(`tengen (?:analyze|export|play|serve|train)\b.*`)
	each(t, os.DirFS("."), func(name, content string) {
		if strings.Contains(".html.js", path.Ext(name)) && path.Dir(name) == "." {
			if named := command.FindString(content); named != "" {
				t.Errorf("%s says %.60q, but the program may have another name", name, named)
			}
		}
	})
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// each calls f with all files of a folder.
func each(t *testing.T, folder fs.FS, f func(name, content string)) {
	t.Helper()
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(folder, name)
		f(name, string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
