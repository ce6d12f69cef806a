package natslog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"tengen/internal/frame"
	"tengen/replay"
)

// A message carries one game. It is a byte with its version, what that version says, and the checksum of package frame: so a
// message of a version that this program does not know is told from a damaged one. An empty message is a placeholder, see
// Log.fill.
//
// Version 1 is the length of the worker's name as a varint, the name, and the game's record as one zstd frame.
const messageVersion = 1

// decoders read what stands between the version and the checksum. A version that was ever written stays here.
var decoders = map[byte]func(*frame.Reader) (worker string, record []byte){
	1: decodeV1,
}

// maxRecord bounds the memory that decompressing a record may take, in bytes.
const maxRecord = 16 << 20

var compressor = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		panic("natslog: " + err.Error()) // wrong options
	}
	return e
})

var decompressor = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRecord))
	if err != nil {
		panic("natslog: " + err.Error()) // wrong options
	}
	return d
})

// Encode returns the message for a game that worker has finished.
func Encode(worker string, g *replay.Record) ([]byte, error) {
	record, err := g.MarshalBinary()
	if err != nil {
		return nil, err
	}
	if len(record) > maxRecord {
		return nil, fmt.Errorf("game %d cannot be encoded: its record has %d bytes, at most %d are allowed", g.Number, len(record), maxRecord)
	}
	b := make([]byte, 0, 32+len(worker)+len(record))
	b = append(b, messageVersion)
	b = binary.AppendUvarint(b, uint64(len(worker)))
	b = append(b, worker...)
	return frame.Seal(compressor().EncodeAll(record, b)), nil
}

// Decode reads what Encode wrote, in this version of the program or an earlier one. The error wraps replay.ErrVersion if a
// later version wrote the message or the record in it, replay.ErrMissing for a placeholder, and else replay.ErrDamaged.
func Decode(data []byte) (worker string, g *replay.Record, err error) {
	if len(data) == 0 {
		return "", nil, fmt.Errorf("%w: the server lost it and held its place", replay.ErrMissing)
	}
	worker, record, err := open(data)
	if err == nil {
		g = new(replay.Record)
		err = g.UnmarshalBinary(record)
	}
	switch {
	case errors.Is(err, replay.ErrVersion):
		return "", nil, err
	case err != nil:
		return "", nil, fmt.Errorf("%w: %w", replay.ErrDamaged, err)
	}
	return worker, g, nil
}

// decodeFrom is Decode of a message with a subject. A server may allow a worker its own subject alone, so a message says who it is
// of in vain if its subject says otherwise. Of a message that is no game, worker and error say who has sent it.
func decodeFrom(subject string, data []byte) (worker string, g *replay.Record, err error) {
	parts := strings.SplitN(subject, ".", 3)
	if len(parts) != 3 {
		return Decode(data)
	}
	sender := workerOf(parts[2]) // also of subjects of earlier versions, in which a dash stayed one
	if len(data) == 0 {
		return sender, nil, fmt.Errorf("%w: worker %s has sent nothing", replay.ErrDamaged, sender)
	}
	worker, g, err = Decode(data)
	if err == nil && worker != sender {
		err = fmt.Errorf("%w: it names worker %q", replay.ErrDamaged, worker)
	}
	if err != nil {
		return sender, nil, fmt.Errorf("worker %s has sent it: %w", sender, err)
	}
	return worker, g, nil
}

func open(data []byte) (worker string, record []byte, err error) {
	body, err := frame.Open(data)
	if err != nil {
		return "", nil, fmt.Errorf("cannot read the message: %w", err)
	}
	r := frame.NewReader(body)
	version := r.Byte()
	decode := decoders[version]
	switch {
	case r.Err() != nil:
		return "", nil, fmt.Errorf("cannot read the message: %w", r.Err())
	case decode == nil:
		return "", nil, fmt.Errorf("cannot read the message: it has version %d, this program knows up to %d: %w",
			version, messageVersion, replay.ErrVersion)
	}
	worker, record = decode(r)
	return worker, record, r.End()
}

func decodeV1(r *frame.Reader) (worker string, record []byte) {
	worker = string(r.Bytes(r.Length(1)))
	record, err := decompressor().DecodeAll(r.Bytes(r.Len()), nil)
	if err != nil {
		r.Fail("its record cannot be decompressed: %w", err)
	}
	return worker, record
}
