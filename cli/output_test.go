package cli

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// An answer that cannot be written is an error: the token that workers add prints, for one, is printed once.
func TestAnswersThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run")
	mustCLI(t, "train", "--config", tiny, "--run", path, "--set", "train.iterations=1")
	for _, command := range []string{
		"workers add RUN gpu-1", "workers list RUN", "workers revoke RUN gpu-1",
		"solve --game tictactoe", "solve --game tictactoe --count", "solve --game tictactoe --count --json",
		"eval --player random --against random --game tictactoe --games 2", "analyze --player random --game tictactoe",
		"config show --config RUN/run.yaml", "config validate --config RUN/run.yaml", "config init DIR/new.yaml",
		"replay stats RUN", "replay verify RUN", "replay show RUN 1", "replay repair RUN",
		"replay export RUN --npz DIR/games.npz", "replay export RUN --text DIR/games.txt",
		"export onnx net:RUN DIR/net.onnx", "export report RUN DIR/run.html", "version",
	} {
		var errOut bytes.Buffer
		args := strings.Fields(strings.NewReplacer("RUN", path, "DIR", dir).Replace(command))
		code := execute(t.Context(), args, strings.NewReader("\n"), fullDisk{}, &errOut)
		if code != exitError || strings.Count(errOut.String(), io.ErrShortWrite.Error()) != 1 {
			t.Errorf("%s: exit status %d\n%s", command, code, &errOut)
		}
	}
}
