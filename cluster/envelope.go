package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"

	"tengen/replay"
)

// A message is a version byte, the length of the worker's name as an unsigned varint, the name, the game's record as one
// zstd frame, and a CRC-32C of all that, little-endian. An empty message is a placeholder: see Log.fill.
const envelopeVersion = 1

// maxRecord bounds the memory that decompressing a record may take, in bytes.
const maxRecord = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var compressor = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		panic("cluster: " + err.Error()) // wrong options
	}
	return e
})

var decompressor = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRecord))
	if err != nil {
		panic("cluster: " + err.Error()) // wrong options
	}
	return d
})

// encode returns the message for a game that worker has finished.
func encode(worker string, g *replay.Record) ([]byte, error) {
	record, err := g.MarshalBinary()
	if err != nil {
		return nil, err
	}
	if len(record) > maxRecord {
		return nil, fmt.Errorf("game %d cannot be encoded: its record has %d bytes, at most %d are allowed", g.Number, len(record), maxRecord)
	}
	b := make([]byte, 0, 32+len(worker)+len(record))
	b = append(b, envelopeVersion)
	b = binary.AppendUvarint(b, uint64(len(worker)))
	b = append(b, worker...)
	b = compressor().EncodeAll(record, b)
	return checksummed(b), nil
}

// decode reads what encode wrote. The error wraps replay.ErrMissing for a placeholder and replay.ErrDamaged for anything
// else that is not a message of this version.
func decode(data []byte) (worker string, g *replay.Record, err error) {
	if len(data) == 0 {
		return "", nil, fmt.Errorf("%w: the server lost it and held its place", replay.ErrMissing)
	}
	worker, record, err := open(data)
	if err == nil {
		g = new(replay.Record)
		err = g.UnmarshalBinary(record)
	}
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", replay.ErrDamaged, err)
	}
	return worker, g, nil
}

func open(data []byte) (worker string, record []byte, err error) {
	n := len(data) - crc32.Size
	if n < 1 || crc32.Checksum(data[:n], castagnoli) != binary.LittleEndian.Uint32(data[n:]) {
		return "", nil, errors.New("the message's checksum does not match")
	}
	if data[0] != envelopeVersion {
		return "", nil, fmt.Errorf("message version %d, only %d is known: read it with the program that wrote it", data[0], envelopeVersion)
	}
	body := data[1:n]
	length, size := binary.Uvarint(body)
	if size <= 0 || length > uint64(len(body)-size) {
		return "", nil, errors.New("the message ends inside the worker's name")
	}
	body = body[size:]
	record, err = decompressor().DecodeAll(body[length:], nil)
	return string(body[:length]), record, err
}

// checksummed appends the CRC-32C of b.
func checksummed(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}
