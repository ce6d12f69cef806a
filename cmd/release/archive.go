package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// files are an archive's files, by name in its folder, with slashes.
type files map[string]file

type file struct {
	data []byte
	mode fs.FileMode
}

// add adds a file, or a folder's files, under name. keep selects files; nil keeps all.
func (f files) add(root, name string, mode fs.FileMode, keep func(name string) bool) error {
	return filepath.WalkDir(root, func(from string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || keep != nil && !keep(from) {
			return err
		}
		inside := filepath.ToSlash(strings.TrimPrefix(from, root))
		return f.read(from, path.Join(name, inside), mode)
	})
}

func (f files) read(from, name string, mode fs.FileMode) error {
	data, err := os.ReadFile(from)
	f[name] = file{data, mode}
	return err
}

// archive writes files into out/NAME.tar.gz, or .zip, under a folder of that name, sorted, and returns the archive's
// line of SHA256SUMS.
func archive(out, name string, zipped bool, at time.Time, all files) (sum string, err error) {
	pack, ending := packTar, ".tar.gz"
	if zipped {
		pack, ending = packZip, ".zip"
	}
	var b bytes.Buffer
	if err := pack(&b, name+"/", at.UTC(), all); err != nil {
		return "", err
	}
	sum = fmt.Sprintf("%x  %s\n", sha256.Sum256(b.Bytes()), name+ending)
	return sum, os.WriteFile(filepath.Join(out, name+ending), b.Bytes(), 0o644)
}

func packTar(out io.Writer, folder string, at time.Time, all files) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f := all[name]
		header := &tar.Header{
			Name: folder + name, Size: int64(len(f.data)), Mode: int64(f.mode), ModTime: at, Format: tar.FormatPAX,
		}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), z.Close())
}

func packZip(out io.Writer, folder string, at time.Time, all files) error {
	z := zip.NewWriter(out)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		header := &zip.FileHeader{Name: folder + name, Method: zip.Deflate, Modified: at}
		header.SetMode(all[name].mode)
		w, err := z.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := w.Write(all[name].data); err != nil {
			return err
		}
	}
	return z.Close()
}
