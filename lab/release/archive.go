package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
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

func byName(a, b entry) int { return cmp.Compare(a.name, b.name) }

// archive writes NAME.tar.gz, or NAME.zip, to the folder out, with the entries in a folder NAME. It returns the line
// for SHA256SUMS. The bytes do not depend on the order of entries.
func archive(out, name string, zipped bool, modified time.Time, entries []entry) (sum string, err error) {
	entries = slices.SortedFunc(slices.Values(entries), byName)
	pack, file := packTar, name+".tar.gz"
	if zipped {
		pack, file = packZip, name+".zip"
	}
	var b bytes.Buffer
	if err := pack(&b, name+"/", modified.UTC(), entries); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x  %s\n", sha256.Sum256(b.Bytes()), file), os.WriteFile(filepath.Join(out, file), b.Bytes(), 0o644)
}

func packTar(out io.Writer, folder string, modified time.Time, entries []entry) error {
	z, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(z)
	for _, e := range entries {
		header := &tar.Header{
			Name: folder + e.name, Size: int64(len(e.data)), Mode: int64(e.mode()), ModTime: modified, Format: tar.FormatPAX,
		}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write(e.data); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), z.Close())
}

func packZip(out io.Writer, folder string, modified time.Time, entries []entry) error {
	w := zip.NewWriter(out)
	for _, e := range entries {
		header := &zip.FileHeader{Name: folder + e.name, Method: zip.Deflate, Modified: modified}
		header.SetMode(e.mode())
		f, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.data); err != nil {
			return err
		}
	}
	return w.Close()
}
