package logtest

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"tengen/replay"
)

// MemoryLog is a replay.Log in memory.
type MemoryLog struct {
	mu   sync.Mutex
	rows map[uint64]row // nil when closed
}

type row struct {
	worker string
	time   time.Time
	record []byte
}

// NewMemoryLog returns an empty log.
func NewMemoryLog() *MemoryLog { return &MemoryLog{rows: map[uint64]row{}} }

// Put implements replay.Log.
func (l *MemoryLog) Put(ctx context.Context, worker string, games ...*replay.Record) error {
	rows := map[uint64]row{}
	for _, g := range games {
		record, err := g.MarshalBinary()
		if err != nil {
			return err
		}
		rows[g.Number] = row{worker, time.Now(), record}
	}
	return l.use(ctx, func() { maps.Copy(l.rows, rows) })
}

// Read implements replay.Log.
func (l *MemoryLog) Read(ctx context.Context, first, end uint64, yield func(replay.Entry) error) error {
	var rows map[uint64]row
	if err := l.use(ctx, func() { rows = maps.Clone(l.rows) }); err != nil {
		return err
	}
	for _, number := range slices.Sorted(maps.Keys(rows)) {
		if number < first || number >= end {
			continue
		}
		e := replay.Entry{Number: number, Worker: rows[number].worker, Time: rows[number].time, Game: new(replay.Record)}
		if err := e.Game.UnmarshalBinary(rows[number].record); err != nil {
			return err
		}
		if err := yield(e); err != nil {
			return err
		}
		if err := l.use(ctx, func() {}); err != nil {
			return err
		}
	}
	return nil
}

// Span implements replay.Log.
func (l *MemoryLog) Span(ctx context.Context) (first, end uint64, err error) {
	err = l.use(ctx, func() {
		if len(l.rows) > 0 {
			numbers := slices.Sorted(maps.Keys(l.rows))
			first, end = numbers[0], numbers[len(numbers)-1]+1
		}
	})
	return first, end, err
}

// Drop implements replay.Log.
func (l *MemoryLog) Drop(ctx context.Context, below uint64) error {
	return l.use(ctx, func() {
		maps.DeleteFunc(l.rows, func(number uint64, _ row) bool { return number < below })
	})
}

// Close implements replay.Log.
func (l *MemoryLog) Close() error {
	return l.use(context.Background(), func() { l.rows = nil })
}

func (l *MemoryLog) use(ctx context.Context, do func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rows == nil {
		return replay.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	do()
	return nil
}
