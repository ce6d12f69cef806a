package natslog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/highwayhash"
)

// The server's files are read without it when they are repaired, looked at and copied. What is known of them is layoutNumber:
// the layout of filestore.go of nats-server 2.15, which newer servers must read, too:
//
//	<account>/streams/<stream>/meta.inf, meta.sum  the stream's configuration and its checksum
//	<account>/streams/<stream>/msgs/<n>.blk        records
//	<account>/streams/<stream>/msgs/index.db       what the blocks hold; rebuilt if absent
//
// A record is, little-endian: its length (4 bytes, the highest bit telling of headers), sequence number (8), time (8),
// the subject's length (2), the subject, the headers after their length (4), the payload, and the HighwayHash-64 (8) of
// all but the lengths.
const (
	recordHead  = 22
	recordHash  = 8
	headersFlag = 1 << 31
	// maxStoredRecord is more than any record takes whose message passed the server's limit of 1 MB.
	maxStoredRecord = 2 << 20
)

// compressed is what a block begins with whose records are compressed, which only a server elsewhere may have been told to do.
var compressed = []byte("cmp")

// block is a file of records.
type block struct {
	path   string
	stream string
	number uint64
}

// blocks lists those in a folder in their order, none if it is absent.
func blocks(dir string) ([]block, error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []block
	for _, file := range files {
		name, isBlock := strings.CutSuffix(file.Name(), ".blk")
		if number, err := strconv.ParseUint(name, 10, 32); err == nil && isBlock {
			all = append(all, block{filepath.Join(dir, file.Name()), filepath.Base(filepath.Dir(dir)), number})
		}
	}
	slices.SortFunc(all, func(a, b block) int { return cmp.Compare(a.number, b.number) })
	return all, nil
}

// hash is that of the block's records.
func (b block) hash() hash.Hash64 { return newHash(fmt.Sprintf("%s-%d", b.stream, b.number)) }

func newHash(name string) hash.Hash64 {
	key := sha256.Sum256([]byte(name))
	h, err := highwayhash.New64(key[:])
	if err != nil {
		panic("natslog: " + err.Error()) // the key has the wrong size
	}
	return h
}

// goodRecords returns the records of a block that are not damaged, in order.
func goodRecords(block []byte, h hash.Hash64) []byte {
	good, _ := splitBlock(block, h)
	return slices.Concat(good...)
}

// splitBlock returns the records of a block that are not damaged, and the stretches between them that cannot be read.
func splitBlock(block []byte, h hash.Hash64) (good, bad [][]byte) {
	if bytes.HasPrefix(block, compressed) {
		return [][]byte{block}, nil
	}
	begin := 0 // of what cannot be read
	for at := 0; at < len(block); {
		n := goodRecord(block[at:], h)
		if n == 0 {
			at++ // behind a bad record, try every byte until there is a good one
			continue
		}
		if begin < at {
			bad = append(bad, block[begin:at])
		}
		good = append(good, block[at:at+n])
		at += n
		begin = at
	}
	if begin < len(block) {
		bad = append(bad, block[begin:])
	}
	return good, bad
}

// goodRecord returns the length of the record that b begins with, 0 if it is damaged.
func goodRecord(b []byte, h hash.Hash64) int {
	if len(b) < recordHead+recordHash {
		return 0
	}
	length := binary.LittleEndian.Uint32(b)
	subject := int(binary.LittleEndian.Uint16(b[20:]))
	headers := length&headersFlag != 0
	n := int(length &^ headersFlag)
	lengths := 0
	if headers {
		lengths = 4
	}
	if n > len(b) || n > maxStoredRecord || n < recordHead+subject+lengths+recordHash {
		return 0
	}
	h.Reset()
	h.Write(b[4:20])
	h.Write(b[recordHead : recordHead+subject])
	h.Write(b[recordHead+subject+lengths : n-recordHash])
	if binary.LittleEndian.Uint64(b[n-recordHash:]) != h.Sum64() {
		return 0
	}
	if headers && !goodHeaders(b[recordHead+subject:n-recordHash]) {
		return 0
	}
	return n
}

// record is a message in a block.
type record struct {
	sequence uint64 // deletions have the server's flags in the two highest bits, which makes it more than that of any message
	subject  string
	payload  []byte
}

// parseRecord reads the good record that b begins with, and its length.
func parseRecord(b []byte) (r record, length int) {
	flagged := binary.LittleEndian.Uint32(b)
	length = int(flagged &^ headersFlag)
	payload := recordHead + int(binary.LittleEndian.Uint16(b[20:]))
	r = record{sequence: binary.LittleEndian.Uint64(b[4:]), subject: string(b[recordHead:payload])}
	if flagged&headersFlag != 0 {
		payload += 4 + int(binary.LittleEndian.Uint32(b[payload:]))
	}
	r.payload = b[payload : length-recordHash]
	return r, length
}

// goodHeaders reports whether the length that b begins with is that of the headers behind it. The hash does not cover it,
// and a wrong one makes the server loop for ever in a stream that keeps one message a subject.
func goodHeaders(b []byte) bool {
	n := binary.LittleEndian.Uint32(b)
	return uint64(n) <= uint64(len(b)-4) && bytes.HasSuffix(b[:4+n], []byte("\r\n\r\n"))
}
