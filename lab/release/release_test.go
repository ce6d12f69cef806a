package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/internal/fulltest"
)

var at = time.Date(2026, 11, 22, 3, 9, 14, 0, time.FixedZone("", 3600))

// An archive is the same bytes whatever the order of its entries, and holds them as they were.
func TestArchive(t *testing.T) {
	entries := []entry{
		{name: "tengen", data: []byte("program"), executable: true},
		{name: "examples/b.yaml", data: []byte("b")},
		{name: "LICENSE", data: []byte("text")},
	}
	const want = "t-1/LICENSE -rw-r--r-- text\nt-1/examples/b.yaml -rw-r--r-- b\nt-1/tengen -rwxr-xr-x program\n"
	for _, zipped := range []bool{false, true} {
		out := t.TempDir()
		sum, err := archive(out, "t-1", zipped, at, entries)
		if err != nil {
			t.Fatal(err)
		}
		reversed := slices.Clone(entries)
		slices.Reverse(reversed)
		again, err := archive(t.TempDir(), "t-1", zipped, at.UTC(), reversed)
		if err != nil {
			t.Fatal(err)
		}
		if sum != again {
			t.Errorf("the same entries in another order: %q and %q", sum, again)
		}
		file := strings.Fields(sum)[1]
		data, err := os.ReadFile(filepath.Join(out, file))
		if err != nil {
			t.Fatal(err)
		}
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), file); line != sum {
			t.Errorf("the sum is %q, want %q", sum, line)
		}
		list := listTar
		if zipped {
			list = listZip
		}
		if got := list(t, data); got != want {
			t.Errorf("%s holds\n%swant\n%s", file, got, want)
		}
	}
}

func listTar(t *testing.T, data []byte) (list string) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		header, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if !header.ModTime.Equal(at) {
			t.Errorf("%s is of %v, want %v", header.Name, header.ModTime, at)
		}
		list += fmt.Sprintln(header.Name, header.FileInfo().Mode(), string(text))
	}
}

func listZip(t *testing.T, data []byte) (list string) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		text, err := r.Open(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(text)
		if err != nil {
			t.Fatal(err)
		}
		if !f.Modified.Equal(at) {
			t.Errorf("%s is of %v, want %v", f.Name, f.Modified, at)
		}
		list += fmt.Sprintln(f.Name, f.Mode(), string(content))
	}
	return list
}

// All that is linked into the programs for any target has a licence, also what only some of them link, what lies in a folder
// of a module that is not its top, what pages embed, and Go itself.
func TestLicences(t *testing.T) {
	t.Chdir("../..")
	for _, target := range fulltest.Pick(targets[3:5], targets) { // one for Windows, and one for another system
		entries, err := licences(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.name)
		}
		if target == browsers { // which link less
			if !slices.Contains(names, "licenses/go/LICENSE") || slices.Contains(names, "licenses/gorgonia.org/tensor/LICENCE") {
				t.Errorf("%v: %q", target, names)
			}
			continue
		}
		for _, want := range []string{
			"licenses/go/LICENSE", "licenses/gorgonia.org/tensor/LICENCE", "licenses/github.com/prometheus/common/NOTICE",
			"licenses/github.com/prometheus/client_golang/internal/github.com/golang/gddo/LICENSE", "licenses/modernc.org/libc/LICENSE-3RD-PARTY.md",
			"licenses/tengen/doors/web/assets/lib/preact.LICENSE",
		} {
			if !slices.Contains(names, want) {
				t.Errorf("%v: no %s", target, want)
			}
		}
		mousetrap := slices.Contains(names, "licenses/github.com/inconshreveable/mousetrap/LICENSE")
		if windows := target.system == "windows"; mousetrap != windows {
			t.Errorf("%v: the licence of what only Windows needs: %v", target, mousetrap)
		}
	}
}

// A module that nobody may copy stops a release; what belongs to a licence is none.
func TestNoLicence(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"NOTICE", "PATENTS", "license.go", "unlicensed.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := legalFiles(module{Path: "example.org/secret", Dir: dir}, ".")
	if err == nil || !strings.Contains(err.Error(), "no licence of example.org/secret") {
		t.Errorf("the error is %v", err)
	}
}

// A program that Go has not stamped, as that of a test, is not released.
func TestNoStamp(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if s, err := readStamp(program); err == nil {
		t.Errorf("the stamp is %v", s)
	}
}

func TestChoose(t *testing.T) {
	if all, err := choose(nil); err != nil || len(all) != len(targets) {
		t.Errorf("without a name: %v, %v", all, err)
	}
	if one, err := choose([]string{"linux/arm64"}); err != nil || !slices.Equal(one, []target{{"linux", "arm64", ""}}) {
		t.Errorf("linux/arm64: %v, %v", one, err)
	}
	if _, err := choose([]string{"plan9/386"}); err == nil {
		t.Error("plan9/386 is accepted")
	}
}
