package cluster

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// skips is a set of sequence numbers, as runs of neighbours, because games are refused in runs: all those of a model that has
// become too old, for instance.
//
//	Invariant: the runs ascend, and between two of them is at least one number.
type skips []interval

// interval is the sequence numbers from first to last.
type interval struct{ first, last uint64 }

// newSkips is the set of ascending sequence numbers.
func newSkips(sequences []uint64) skips {
	var s skips
	for _, sequence := range sequences {
		s.add(sequence)
	}
	return s
}

// add takes in a sequence number above all others.
func (s *skips) add(sequence uint64) {
	if n := len(*s); n > 0 && (*s)[n-1].last+1 == sequence {
		(*s)[n-1].last = sequence
		return
	}
	*s = append(*s, interval{sequence, sequence})
}

func (s skips) has(sequence uint64) bool {
	i := s.search(sequence)
	return i < len(s) && s[i].first <= sequence
}

// search returns the index of the first run that does not end before a sequence number.
func (s skips) search(sequence uint64) int {
	i, _ := slices.BinarySearchFunc(s, sequence, func(run interval, sequence uint64) int {
		if run.last < sequence {
			return -1
		}
		return 1
	})
	return i
}

// truncate forgets what is above last.
func (s *skips) truncate(last uint64) {
	i := s.search(last + 1)
	if i < len(*s) && (*s)[i].first <= last {
		(*s)[i].last = last
		i++
	}
	*s = (*s)[:i]
}

// trim forgets what is below first.
func (s *skips) trim(first uint64) {
	*s = (*s)[s.search(first):]
	if len(*s) > 0 {
		(*s)[0].first = max((*s)[0].first, first)
	}
}

// maxSkips bounds the bytes of a set before they are compressed: there are two to four for each run.
const maxSkips = 1 << 28

// skipsCodec makes and reads the compressed form.
var skipsCodec = sync.OnceValue(func() (codec struct {
	*zstd.Encoder
	*zstd.Decoder
}) {
	var made, read error
	codec.Encoder, made = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	codec.Decoder, read = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSkips))
	if err := errors.Join(made, read); err != nil {
		panic(err) // of the options
	}
	return codec
})

// MarshalText writes the set as the base64 of a zstd frame with two varints for each run: by how much it begins after the end
// of the one before, and its length less one.
func (s skips) MarshalText() ([]byte, error) {
	var b []byte
	end := uint64(0)
	for _, run := range s {
		b = binary.AppendUvarint(b, run.first-end)
		b = binary.AppendUvarint(b, run.last-run.first)
		end = run.last
	}
	return base64.StdEncoding.AppendEncode(nil, skipsCodec().EncodeAll(b, nil)), nil
}

// UnmarshalText reads what MarshalText has written.
func (s *skips) UnmarshalText(text []byte) error {
	frame, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("the sequence numbers that were skipped: %w", err)
	}
	b, err := skipsCodec().DecodeAll(frame, nil)
	if err != nil {
		return fmt.Errorf("the sequence numbers that were skipped: %w", err)
	}
	*s = nil
	for end := uint64(0); len(b) > 0; {
		gap, n := binary.Uvarint(b)
		length, m := binary.Uvarint(b[max(n, 0):])
		run := interval{end + gap, end + gap + length}
		if n <= 0 || m <= 0 || run.first < end || run.last < run.first || len(*s) > 0 && gap < 2 {
			return errors.New("the sequence numbers that were skipped are no ascending runs")
		}
		b, end = b[n+m:], run.last
		*s = append(*s, run)
	}
	return nil
}
