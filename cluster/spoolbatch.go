package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"tengen/internal/atomicfile"
	"tengen/internal/frame"
)

// A batch is a file of the spool with games that were written together. It goes when all of them have been sent.
//
// It is a byte, the messages of package natslog with the length of each before it, and the checksum of package frame. Earlier programs,
// whose files are a single message, take the byte for the version of one that they do not know: so they leave the file and say so.
type batch struct {
	file   string
	unsent atomic.Int64 // games
}

// spooledGame is where a game stands in the spool.
type spooledGame struct {
	batch *batch
	span
}

// span is a part of a file.
type span struct{ offset, length int }

// batchMark is the first byte.
const batchMark = 255

// batchName is the name of the file whose newest game has a number.
func batchName(newest uint64) string { return fmt.Sprintf("%012d.game", newest) }

// batchNumber reads what batchName has written.
func batchNumber(name string) (newest uint64, ok bool) {
	newest, err := strconv.ParseUint(strings.TrimSuffix(name, ".game"), 10, 64)
	return newest, err == nil && batchName(newest) == name
}

// newBatch returns the games that stand at some places of a file.
func newBatch(file string, at []span) (games []spooledGame) {
	b := &batch{file: file}
	b.unsent.Store(int64(len(at)))
	for _, s := range at {
		games = append(games, spooledGame{b, s})
	}
	return games
}

// pack returns the content of a batch.
func pack(messages [][]byte) []byte {
	content := []byte{batchMark}
	for _, m := range messages {
		content = binary.AppendUvarint(content, uint64(len(m)))
		content = append(content, m...)
	}
	return frame.Seal(content)
}

// unpack returns where the messages of a batch stand, or the only one of an earlier program. Of a damaged batch these are the messages
// that are whole, and everything as one more, which is none: so the damage is noticed when that is read.
func unpack(content []byte) (messages []span) {
	all := span{0, len(content)}
	if len(content) == 0 || content[0] != batchMark {
		return []span{all}
	}
	body, damage := frame.Open(content)
	if damage != nil {
		body = content
	}
	for at := 1; at < len(body); {
		length, n := binary.Uvarint(body[at:])
		if n <= 0 || length > uint64(len(body)-at-n) {
			break
		}
		s := span{at + n, int(length)}
		at = s.offset + s.length
		if _, err := frame.Open(body[s.offset:at]); err == nil {
			messages = append(messages, s)
		}
	}
	if damage != nil {
		messages = append(messages, all)
	}
	return messages
}

// read returns the message of a game.
func (g spooledGame) read() ([]byte, error) {
	f, err := os.Open(g.batch.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	message := make([]byte, g.length)
	n, err := f.ReadAt(message, int64(g.offset))
	if errors.Is(err, io.EOF) { // whoever reads the message sees that it is damaged
		err = nil
	}
	return message[:n], err
}

// release notes that a game is not to be sent any more. The file goes with the last one.
func (b *batch) release() error {
	if b.unsent.Add(-1) > 0 {
		return nil
	}
	return os.Remove(b.file)
}

// setAside copies the file for people, and returns the name of the copy.
func (b *batch) setAside() (name string, err error) {
	name = b.file + ".damaged"
	content, err := os.ReadFile(b.file)
	if err != nil {
		return "", err
	}
	return name, atomicfile.WriteBytes(name, 0o644, content)
}
