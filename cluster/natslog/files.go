package natslog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats-server/v2/server"

	"tengen/replay"
)

// Files are the games in the folder of a Server as its files have them, for those who look on while another process has the
// server. Reading locks, writes and repairs nothing, so the server does not notice. Nor is anything seen that is half written: the
// watermark bounds what is read, a game comes before the watermark rises to it, and the server replaces files whole.
//
// Files are of one moment: games that came after OpenFiles are not read. They may be used by several goroutines at once.
type Files struct {
	store string // folder of the streams
	run   string
	has   span
}

// OpenFiles looks up what the log of a run holds in the folder of a server. A run without any games has none.
func OpenFiles(dir, run string) (*Files, error) {
	f := &Files{store: filepath.Join(dir, server.JetStreamStoreDir, server.DEFAULT_GLOBAL_ACCOUNT, "streams"), run: run}
	_, err := os.Stat(dir)
	if err == nil {
		err = checkLayout(dir, func(string) {})
	}
	if err == nil {
		f.has, err = f.watermark()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the games of run %s: %w", run, err)
	}
	return f, nil
}

// Last is the sequence number of the newest game, 0 if there is none.
func (f *Files) Last() uint64 { return f.has.last }

// Read is that of replay.Log, except that a game which came twice is passed on twice.
func (f *Files) Read(ctx context.Context, after uint64, yield func(replay.Entry) error) error {
	next := max(after+1, f.has.first)
	pass := func(e replay.Entry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Sequence = next; e.Err != nil {
			e.Err = fmt.Errorf("sequence number %d: %w", next, e.Err)
		}
		next++
		return yield(e)
	}
	// upTo passes on the entries before a sequence number as missing, but those which have been dropped since OpenFiles.
	upTo := func(sequence uint64) error {
		if next == sequence {
			return nil
		}
		now, err := f.watermark()
		if err != nil {
			return err
		}
		for next = min(max(next, now.first), sequence); next < sequence && err == nil; {
			err = pass(replay.Entry{Err: fmt.Errorf("%w: the files do not have it", replay.ErrMissing)})
		}
		return err
	}
	for r, err := range f.records("games-"+f.run, next) {
		if err != nil {
			return err
		}
		if r.sequence < next || r.sequence > f.has.last {
			continue
		}
		if err := upTo(r.sequence); err != nil {
			return err
		}
		worker, game, err := decodeFrom(r.subject, r.payload)
		if errors.Is(err, replay.ErrVersion) && r.subject == ownSubject(f.run) {
			return fmt.Errorf("sequence number %d: %w", next, err)
		}
		if err := pass(replay.Entry{Worker: worker, Game: game, Err: err}); err != nil {
			return err
		}
	}
	return upTo(max(next, f.has.last+1))
}

// watermark reads the newest one.
func (f *Files) watermark() (span, error) {
	has := span{first: 1}
	for r, err := range f.records("KV_tengen-"+f.run, 1) {
		if err != nil {
			return span{}, err
		}
		if s, ok := decodeSpan(r.payload); ok && strings.HasSuffix(r.subject, "."+watermarkKey) {
			has = span{max(has.first, s.first), max(has.last, s.last)}
		}
	}
	return has, nil
}

// records are the good records of a stream in their order, those from a sequence number on and perhaps some before it.
func (f *Files) records(stream string, from uint64) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		all, err := blocks(filepath.Join(f.store, stream, "msgs"))
		if err != nil {
			yield(record{}, err)
			return
		}
		start := len(all) - 1
		for start > 0 && !all[start].beginsBy(from) {
			start--
		}
		for _, b := range all[max(start, 0):] {
			content, err := os.ReadFile(b.path)
			if errors.Is(err, fs.ErrNotExist) {
				continue // dropped since it was listed
			}
			if err == nil && bytes.HasPrefix(content, compressed) {
				err = fmt.Errorf("%s is compressed: it can be read with its server alone", b.path)
			}
			if err != nil {
				yield(record{}, err)
				return
			}
			for rest := goodRecords(content, b.hash()); len(rest) > 0; {
				r, n := parseRecord(rest)
				if !yield(r, nil) {
					return
				}
				rest = rest[n:]
			}
		}
	}
}

// beginsBy reports whether the first record of a block has at most a sequence number, as far as that can be told from a glance.
func (b block) beginsBy(sequence uint64) bool {
	const glance = 64 << 10
	file, err := os.Open(b.path)
	if err != nil {
		return false
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, glance))
	if err != nil || goodRecord(head, b.hash()) == 0 {
		return false
	}
	r, _ := parseRecord(head)
	return r.sequence <= sequence
}
