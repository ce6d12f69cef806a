package natslog

import (
	"math"
	"testing"

	"tengen/replay/logtest"
)

// A watermark that is far ahead of the games is no reason to fill the disk.
func TestWatermarkFarAhead(t *testing.T) {
	conn := connect(t, startServer(t, ServerConfig{}))
	l := openLog(t, conn, LogConfig{})
	logtest.Fill(t, l, "w", 3)
	l.watermark.note(math.MaxUint64)
	if err := l.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := OpenLog(t.Context(), conn, LogConfig{Run: "run"})
	wantError(t, err, `the server has games up to sequence number 3, and its entry "games" says that there were games up to 18446744073709551615`)
	if last, err := l.games.Info(t.Context()); err != nil || last.State.LastSeq != 3 {
		t.Errorf("the stream ends with %d, %v", last.State.LastSeq, err)
	}
}
