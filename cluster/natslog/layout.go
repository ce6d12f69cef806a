package natslog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nats-io/nats-server/v2/server"

	"tengen/internal/atomicfile"
	"tengen/internal/frame"
)

// layoutNumber is that of the files as records.go knows them. It changes when a server writes what earlier ones, or the
// functions there, would take for damage.
const layoutNumber = 1

// layoutFile is the file in the folder of a Server that says in which layout its files are, and whose they are. It is absent
// where a program wrote them that made no such file, in layout 1.
const layoutFile = "version"

// ErrLayout is wrapped by the error of files that only a later version of the program can read. They are left as they are.
var ErrLayout = errors.New("go on with the program that made it, or update this one")

// checkLayout refuses a folder in a layout that is not known.
func checkLayout(dir string, report func(string)) error {
	name := filepath.Join(dir, layoutFile)
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var number int
	var version string
	if _, err := fmt.Sscanf(string(content), "layout %d nats-server %s", &number, &version); err != nil || layoutText(number, version) != string(content) {
		report(name + " is damaged and will be written anew")
		return nil
	}
	if number > layoutNumber {
		return fmt.Errorf("it has layout %d, of nats-server %s, this program knows up to %d: %w", number, version, layoutNumber, ErrLayout)
	}
	return nil
}

// stampLayout notes that the server of this program writes into the folder from now on.
func stampLayout(dir string) error {
	name, text := filepath.Join(dir, layoutFile), layoutText(layoutNumber, server.VERSION)
	if content, err := os.ReadFile(name); err == nil && string(content) == text {
		return nil
	}
	return atomicfile.WriteBytes(name, 0o644, []byte(text))
}

func layoutText(number int, version string) string {
	text := fmt.Appendf(nil, "layout %d nats-server %s ", number, version)
	return fmt.Sprintf("%s%08x\n", text, frame.Sum(text))
}
