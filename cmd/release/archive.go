package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

type entry struct {
	name       string // in the archive's folder, with slashes
	data       []byte
	executable bool
}

func (e entry) mode() os.FileMode {
	if e.executable {
		return 0o755
	}
	return 0o644
}

// archive writes entries into out/NAME.tar.gz, or .zip, under a folder of that name. It returns the archive's line of
// SHA256SUMS. The bytes depend only on the arguments, not on the order of entries.
func archive(out, name string, zipped bool, at time.Time, entries []entry) (sum string, err error) {
	entries = slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	pack, file := packTar, name+".tar.gz"
	if zipped {
		pack, file = packZip, name+".zip"
	}
	data, err := pack(name+"/", at.UTC(), entries)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x  %s\n", sha256.Sum256(data), file), os.WriteFile(filepath.Join(out, file), data, 0o644)
}

func packTar(folder string, at time.Time, entries []entry) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, e := range entries {
		header := &tar.Header{Name: folder + e.name, Size: int64(len(e.data)), Mode: int64(e.mode()), ModTime: at, Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func packZip(folder string, at time.Time, entries []entry) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		header := &zip.FileHeader{Name: folder + e.name, Method: zip.Deflate, Modified: at}
		header.SetMode(e.mode())
		f, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
