package natslog

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"tengen/internal/atomicfile"
)

// A JetStream server that finds a bad byte in a block of messages cuts the block off there. So the files are repaired before
// the server opens them: only the bad records are taken out, and the server takes the gap for deleted messages. What is taken
// out is kept beside the block. Where it is more than a disk spoils now and then, nothing is changed: the files may be
// those of a server whose records this program cannot read.

// ErrManyUnreadable is wrapped by the error of a server whose files cannot be read for the greater part. Repair with force
// takes out what cannot be read nevertheless.
var ErrManyUnreadable = errors.New("nothing was changed")

const (
	// fewRecords may always be taken out of a store, and one record in ordinaryShare.
	fewRecords    = 3
	ordinaryShare = 100
)

// Repair takes out of the folder of a Server what cannot be read, as StartServer does; with force, however much that is. What
// is taken out of a file stays beside it, as FILE.removed- and the time. No server may have the folder.
func Repair(dir string, force bool, report func(message string)) error {
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("cannot repair the games: %w", err)
	}
	lock, err := LockFolder(dir)
	if err != nil {
		return fmt.Errorf("cannot repair the games: %w", err)
	}
	defer lock.Unlock()
	if err := repair(dir, force, report); err != nil {
		return fmt.Errorf("cannot repair the games in %s: %w", dir, err)
	}
	return nil
}

// repair looks at all files before it changes the first one.
func repair(dir string, force bool, report func(string)) error {
	if err := checkLayout(dir, report); err != nil {
		return err
	}
	streams, err := storedStreams(dir)
	if err != nil {
		return err
	}
	var d damage
	for _, stream := range streams {
		if err := d.examine(stream); err != nil {
			return fmt.Errorf("cannot check the files of %s: %w", filepath.Base(stream), err)
		}
	}
	if d.large() && !force {
		return d.refusal()
	}
	if err := d.repair(report); err != nil {
		return err
	}
	return stampLayout(dir)
}

// storedStreams lists the folders of all streams in the folder of a server, but encrypted ones.
func storedStreams(dir string) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(escape(filepath.Join(dir, server.JetStreamStoreDir)), "*", "streams", "*"))
	return slices.DeleteFunc(all, func(stream string) bool {
		_, err := os.Stat(filepath.Join(stream, server.JetStreamMetaFileKey))
		return err == nil
	}), err
}

// escape makes a pattern of filepath.Glob that matches the path alone.
func escape(path string) string {
	if filepath.Separator == '\\' {
		return path // where a backslash escapes nothing
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// damage is what is wrong with the files of a server.
type damage struct {
	metas  []string // damaged configurations of streams
	blocks []damagedBlock
	good   int // records of all streams
}

type damagedBlock struct {
	block
	size, bad int // bytes
	good      int // records
	lost      int // records, about as many
}

// examine adds what is wrong with a stream.
func (d *damage) examine(stream string) error {
	intact, err := intactMeta(stream)
	if err != nil {
		return err
	}
	if !intact {
		d.metas = append(d.metas, filepath.Join(stream, server.JetStreamMetaFile))
	}
	all, err := blocks(filepath.Join(stream, "msgs"))
	if err != nil {
		return err
	}
	var damaged []damagedBlock
	records, size := 0, 0 // good ones
	for _, b := range all {
		good, bad, err := b.split()
		if err != nil {
			return err
		}
		records, size = records+len(good), size+total(good)
		if len(bad) > 0 {
			damaged = append(damaged, damagedBlock{block: b, size: total(good) + total(bad), bad: total(bad), good: len(good)})
		}
	}
	mean := recordHead + recordHash
	if records > 0 {
		mean = size / records
	}
	for i, b := range damaged {
		_, bad, err := b.split()
		if err != nil {
			return err
		}
		for _, stretch := range bad {
			damaged[i].lost += lostRecords(stretch, mean)
		}
	}
	d.good += records
	d.blocks = append(d.blocks, damaged...)
	return nil
}

// split reads a block.
func (b block) split() (good, bad [][]byte, err error) {
	content, err := os.ReadFile(b.path)
	if err != nil {
		return nil, nil, err
	}
	good, bad = splitBlock(content, b.hash())
	return good, bad, nil
}

func total(parts [][]byte) (size int) {
	for _, p := range parts {
		size += len(p)
	}
	return size
}

// hole is what a file system has where a write did not arrive before the power went: at least a sector of zeros.
var hole = make([]byte, 512)

// lostRecords estimates how many records there were in a stretch that cannot be read, if one usually takes mean bytes. A record that
// a hole has cut does not count: its write was not acknowledged. Nor do zeros.
func lostRecords(stretch []byte, mean int) (n int) {
	pieces := bytes.Split(stretch, hole)
	switch {
	case len(bytes.Trim(stretch, "\x00")) == 0:
		return 0
	case len(pieces) == 1:
		return countRecords(stretch, mean)
	}
	for _, piece := range pieces {
		n += max(0, len(bytes.Trim(piece, "\x00"))/mean-2) // one is cut at each end
	}
	return n
}

// countRecords counts records by the lengths that they begin with; where that is no length, it goes by the mean.
func countRecords(b []byte, mean int) (n int) {
	for len(b) > 4 {
		length := int(binary.LittleEndian.Uint32(b) &^ headersFlag)
		if length < recordHead+recordHash || length > maxStoredRecord {
			return n + max(1, len(b)/mean)
		}
		n++
		b = b[min(length, len(b)):]
	}
	return n
}

// large reports whether more is lost than a disk spoils now and then, or a kill leaves half written.
func (d *damage) large() bool {
	lost, unreadable := 0, false
	for _, b := range d.blocks {
		lost += b.lost
		unreadable = unreadable || b.good == 0 && b.lost > fewRecords
	}
	return unreadable || lost > fewRecords && lost*ordinaryShare > lost+d.good
}

// refusal says what a repair would take out.
func (d *damage) refusal() error {
	lost := 0
	var texts []string
	for _, b := range d.blocks {
		lost += b.lost
		texts = append(texts, fmt.Sprintf("%d of the %d bytes of %s", b.bad, b.size, b.path))
	}
	const shown = 5
	if more := len(texts) - shown; more > 0 {
		texts = append(texts[:shown], fmt.Sprintf("and of %d other files", more))
	}
	return fmt.Errorf("some %d of its %d records cannot be read (%s), which is too much to be taken out unasked: %w; if another version of the "+
		"program wrote them, go on with that one, else restore a copy", lost, lost+d.good, strings.Join(texts, ", "), ErrManyUnreadable)
}

// repair takes out what cannot be read, and keeps it beside the files.
func (d *damage) repair(report func(string)) error {
	suffix := time.Now().UTC().Format(".removed-20060102T150405.000000000Z")
	for _, meta := range d.metas {
		report(meta + " is damaged and will be written anew")
		if err := removeMeta(meta, suffix); err != nil {
			return err
		}
	}
	for _, b := range d.blocks {
		aside := b.path + suffix
		report(fmt.Sprintf("%s is damaged: %d of its %d bytes were taken out, and are kept in %s", b.path, b.bad, b.size, filepath.Base(aside)))
		if err := b.repair(aside); err != nil {
			return err
		}
	}
	return nil
}

func (b damagedBlock) repair(aside string) error {
	info, err := os.Stat(b.path)
	if err != nil {
		return err
	}
	good, bad, err := b.split()
	if err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(aside, info.Mode().Perm(), slices.Concat(bad...)); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(filepath.Dir(b.path), "index.db")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.WriteBytes(b.path, info.Mode().Perm(), slices.Concat(good...))
}

// intactMeta reports whether a stream's configuration is what was written, or absent.
func intactMeta(stream string) (bool, error) {
	meta, err := os.ReadFile(filepath.Join(stream, server.JetStreamMetaFile))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	sum, err := os.ReadFile(filepath.Join(stream, server.JetStreamMetaFileSum))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	h := newHash(filepath.Base(stream))
	h.Write(meta)
	return string(sum) == hex.EncodeToString(h.Sum(nil)), nil
}

// removeMeta puts a damaged configuration aside, because the server would pass the stream over. Who opens the stream writes a
// new one, and the messages are there again.
func removeMeta(meta, suffix string) error {
	if err := atomicfile.Rename(meta, meta+suffix); err != nil {
		return err
	}
	sum := filepath.Join(filepath.Dir(meta), server.JetStreamMetaFileSum)
	if err := os.Remove(sum); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
