package replay

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// A snapshot is the line snapshotHeader with the game's name, two unsigned varints (the positions of the run before the
// window, the number of games), each game's record after its length, and a CRC-32C of all that.
const snapshotHeader = "tengen replay window 1 "

// WriteSnapshot writes the whole window. Equal windows give equal bytes.
func (w *Window[S]) WriteSnapshot(to io.Writer) error {
	out := bufio.NewWriterSize(to, 1<<16)
	sum := crc32.New(castagnoli)
	both := io.MultiWriter(out, sum)

	head := []byte(snapshotHeader + w.rules.Name() + "\n")
	head = binary.AppendUvarint(head, w.start)
	head = binary.AppendUvarint(head, uint64(len(w.games)))
	if _, err := both.Write(head); err != nil {
		return err
	}
	for _, g := range w.games {
		record, err := g.MarshalBinary()
		if err != nil {
			return err
		}
		if _, err := both.Write(binary.AppendUvarint(nil, uint64(len(record)))); err != nil {
			return err
		}
		if _, err := both.Write(record); err != nil {
			return err
		}
	}
	if _, err := out.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32())); err != nil {
		return err
	}
	return out.Flush()
}

// ReadSnapshot makes the window what it was when the snapshot was written, except that a smaller configuration drops
// what is now too old. It reads to the end and checks everything; on error the window is as it was.
func (w *Window[S]) ReadSnapshot(from io.Reader) error {
	data, err := io.ReadAll(from)
	if err != nil {
		return fmt.Errorf("cannot read the window's snapshot: %w", err)
	}
	restored := NewWindow(w.rules, w.cfg)
	if err := restored.decode(data); err != nil {
		return fmt.Errorf("the window's snapshot is not usable: %w", err)
	}
	restored.drop()
	*w = *restored
	return nil
}

func (w *Window[S]) decode(data []byte) error {
	body, err := checksummed(data)
	if err != nil {
		return err
	}
	d := decoder{rest: body}
	head := []byte(snapshotHeader + w.rules.Name() + "\n")
	if !slices.Equal(d.take(min(len(head), len(body))), head) {
		return fmt.Errorf("it begins with %q, expected %q", body[:min(len(head), len(body))], head)
	}
	w.start = d.uvarint(1 << 62)
	for range d.length(1) {
		record := d.take(d.length(1))
		if d.err != nil {
			return d.err
		}
		g, err := decodeGame(record)
		if err != nil {
			return err
		}
		if err := w.append(g); err != nil {
			return err
		}
	}
	if d.err == nil && len(d.rest) > 0 {
		d.fail("%d bytes too many", len(d.rest))
	}
	return d.err
}
