package natslog

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"

	"tengen/internal/atomicfile"
)

// holdFile is the file in the folder of a Server that is locked by whoever copies the folder, and by who drops games.
const holdFile = "hold"

// HoldGames keeps Drop from dropping games of the folder of a Server until the lock is released, or the process ends. Several may
// hold them at once.
func HoldGames(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, holdFile))
	if err := lock.RLock(); err != nil {
		return nil, fmt.Errorf("cannot hold the games in %s: %w", dir, err)
	}
	return lock, nil
}

// Drop calls drop, unless somebody holds the games of the folder of a Server: then they are to be dropped another time.
func Drop(dir string, drop func() error) error {
	lock := flock.New(filepath.Join(dir, holdFile))
	free, err := lock.TryLock()
	if err == nil && !free {
		return nil
	}
	defer lock.Unlock() // nobody holds them where the file cannot even be opened
	return drop()
}

// CopyFolder copies the folder of a Server while that is at work, to one that does not exist. The caller holds the games. What
// was acknowledged before is in the copy, what comes meanwhile may be. A server that opens the copy finds nothing to repair but
// what is wrong with the original: of a record that is just being written nothing is copied.
func CopyFolder(ctx context.Context, dir, to string) error {
	err := checkLayout(dir, func(string) {})
	if err == nil {
		err = copyStreams(ctx, dir, to)
	}
	if err != nil {
		return fmt.Errorf("cannot copy the games in %s: %w", dir, err)
	}
	return stampLayout(to)
}

func copyStreams(ctx context.Context, dir, to string) error {
	if err := atomicfile.MkdirAll(to, 0o755); err != nil {
		return err
	}
	streams, err := storedStreams(dir)
	if err != nil {
		return err
	}
	// Games come after the watermark, so that those are there of which it tells.
	slices.SortFunc(streams, func(a, b string) int { return cmp.Compare(copyOrder(a), copyOrder(b)) })
	for _, stream := range streams {
		name, err := filepath.Rel(dir, stream)
		if err != nil {
			return err
		}
		if err := copyStream(ctx, stream, filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

func copyOrder(stream string) int {
	if strings.HasPrefix(filepath.Base(stream), "KV_") {
		return 0
	}
	return 1
}

// copyStream copies blocks until none has come or gone meanwhile, then the configuration.
func copyStream(ctx context.Context, stream, to string) error {
	from, copied := filepath.Join(stream, "msgs"), filepath.Join(to, "msgs")
	if err := atomicfile.MkdirAll(copied, 0o700); err != nil {
		return err
	}
	before, err := blocks(from)
	if err != nil {
		return err
	}
	for next := uint64(0); ; {
		for i, b := range before {
			if b.number < next {
				continue
			}
			if err := b.copy(filepath.Join(copied, filepath.Base(b.path)), i == len(before)-1); err != nil {
				return err
			}
		}
		now, err := blocks(from)
		if err != nil {
			return err
		}
		if slices.Equal(before, now) {
			return copyMeta(stream, to)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(before) > 0 {
			next = before[len(before)-1].number // which was not complete yet
		}
		for _, b := range before {
			if !slices.Contains(now, b) {
				os.Remove(filepath.Join(copied, filepath.Base(b.path))) // there is none if it had gone before
			}
		}
		before = now
	}
}

// copy copies a block, unless it is gone, and of the newest all but a record at the end that is just being written.
func (b block) copy(to string, newest bool) error {
	content, err := os.ReadFile(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, bad := splitBlock(content, b.hash()); newest && len(bad) > 0 && begun(bad[len(bad)-1]) {
		content = bytes.TrimSuffix(content, bad[len(bad)-1])
	}
	return atomicfile.WriteBytes(to, 0o600, content)
}

// begun reports whether b may be a record whose end is missing.
func begun(b []byte) bool {
	if len(b) < 4 {
		return true
	}
	length := int(binary.LittleEndian.Uint32(b) &^ headersFlag)
	return length > len(b) && length <= maxStoredRecord
}

// copyMeta copies a stream's configuration, which the server writes anew when somebody changes it.
func copyMeta(stream, to string) error {
	for range 3 {
		for _, name := range []string{server.JetStreamMetaFileSum, server.JetStreamMetaFile} {
			content, err := os.ReadFile(filepath.Join(stream, name))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = atomicfile.WriteBytes(filepath.Join(to, name), 0o600, content)
			}
			if err != nil {
				return err
			}
		}
		if intact, err := intactMeta(to); intact || err != nil {
			return err
		}
	}
	return nil // it is damaged there
}
