package engine

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"tengen/net"
	"tengen/train/checkpoint"
)

var (
	pretrained fs.FS                                 = embed.FS{}
	opener     func(name string) (*net.Model, error) // replaces OpenModel's search, unless nil
	learnedBy  map[string]string                     // the games of what opener opens in place of pretrained, unless nil
)

// RegisterPretrained sets the pretrained models, files NAME.safetensors.
func RegisterPretrained(models fs.FS) { pretrained = models }

// RegisterModels sets a function that opens all models in place of OpenModel; nil removes it. If games is not nil, it
// has the names of the pretrained ones, and the game that each has learned.
func RegisterModels(open func(name string) (*net.Model, error), games map[string]string) {
	opener, learnedBy = open, games
}

// OpenModel reads a model: a file, the newest in a run directory, or a pretrained model by name, such as "connect4", or
// by path in the source tree. It also returns the model's file, "" for a pretrained one. If there is none, the error
// lists available models.
func OpenModel(name string) (m *net.Model, file string, err error) {
	if opener != nil {
		m, err = opener(name)
		return m, "", err
	}
	m, file, failure := checkpoint.LoadNewest(name)
	if failure == nil {
		return m, file, nil
	}
	// A folder without a run does not hide a pretrained model.
	if content, err := ReadPretrained(name); err == nil && !fileExists(filepath.Join(name, checkpoint.ConfigFile)) {
		m = new(net.Model)
		return m, "", m.UnmarshalBinary(content)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return nil, "", failure
	}
	return nil, "", fmt.Errorf("there is no model file or run directory %s: %s%s", name, listModels(),
		DidYouMean(name, append(ModelsHere(), PretrainedModels()...)))
}

// ReadModel is OpenModel, and also returns the content of the model's file.
func ReadModel(name string) (m *net.Model, file string, content []byte, err error) {
	if m, file, err = OpenModel(name); err != nil {
		return nil, "", nil, err
	}
	if file == "" {
		content, err = ReadPretrained(name)
	} else {
		content, err = os.ReadFile(file)
	}
	return m, file, content, err
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// ReadPretrained returns the file of a pretrained model, by name or by path in the source tree.
func ReadPretrained(name string) ([]byte, error) {
	base := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(name), "checkpoints/pretrained/"), modelSuffix)
	return fs.ReadFile(pretrained, base+modelSuffix)
}

const modelSuffix = ".safetensors"

func listModels() string {
	const limit = 8
	text := "tengen comes with " + strings.Join(PretrainedModels(), ", ")
	here := ModelsHere()
	if len(here) > limit {
		here = append(here[:limit], "...")
	}
	if len(here) > 0 {
		text = "here are " + strings.Join(here, ", ") + "; " + text
	}
	return text
}

// PretrainedModels returns the pretrained models' names.
func PretrainedModels() []string {
	if learnedBy != nil {
		return slices.Sorted(maps.Keys(learnedBy))
	}
	files, err := fs.Glob(pretrained, "*"+modelSuffix)
	if err != nil {
		panic(err) // malformed pattern
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f, modelSuffix))
	}
	slices.Sort(names) // file names put "a-b" before "a"
	return names
}

// PretrainedFor returns a pretrained model for a game, preferably one trained on it.
func PretrainedFor(e Game) (string, error) {
	if able := PretrainedBy(e, func(name string) (ModelInfo, error) { return Describe(e, name) }); len(able) > 0 {
		return able[0], nil
	}
	return "", InputErrorf("no model that comes with tengen plays %s (%s): name the opponent", e.Info().Name, strings.Join(PretrainedModels(), ", "))
}

// PretrainedBy returns the pretrained models for a game: first those trained on it, then those trained on a board of its
// size, then the others from the largest board to the smallest. describe works like Describe and may cache.
func PretrainedBy(e Game, describe func(name string) (ModelInfo, error)) (names []string) {
	ranks := map[string]int{}
	for _, name := range PretrainedModels() {
		if isForeign(e, name) {
			continue
		}
		if m, err := describe(name); err == nil {
			ranks[name] = rank(e, m.Game)
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(ranks[b], ranks[a]) })
	return names
}

// rank is the higher, the better a model fits that was trained on the named game.
func rank(e Game, name string) int {
	info := e.Info()
	if name == info.Name {
		return math.MaxInt
	}
	switch other, err := OpenRecorded(name); {
	case err != nil:
		return 0
	case other.Info().Size == info.Size:
		return math.MaxInt - 1
	default:
		return other.Info().Size.Cells()
	}
}

// isForeign reports whether a pretrained model is known to have learned a game of another family.
func isForeign(e Game, name string) bool {
	other, err := OpenRecorded(learnedBy[name])
	return err == nil && reflect.TypeOf(other) != reflect.TypeOf(e)
}

// RunsHere returns the runs in the current folder and in "checkpoints".
func RunsHere() []string {
	return here(func(path string) bool { return fileExists(filepath.Join(path, "latest")) })
}

// ModelsHere returns RunsHere and the model files in the same folders.
func ModelsHere() []string {
	return append(RunsHere(), here(func(path string) bool { return strings.HasSuffix(path, modelSuffix) })...)
}

// SpecsHere returns NetworksHere and other SPECs or their beginnings, such as "uct:", but not "human".
func SpecsHere() []string {
	return append([]string{"random", "uct:", "alphabeta:", "solver"}, NetworksHere()...)
}

// NetworksHere returns the SPECs of the available models.
func NetworksHere() (specs []string) {
	for _, model := range append(ModelsHere(), PretrainedModels()...) {
		specs = append(specs, "net:"+model)
	}
	return specs
}

func here(wanted func(path string) bool) []string {
	var found []string
	for _, folder := range []string{".", "checkpoints"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // missing
		}
		for _, e := range entries {
			if name := filepath.Join(folder, e.Name()); wanted(name) {
				found = append(found, name)
			}
		}
	}
	return found
}

// KomiWarning says that a model which has learned a game of that name plays with another komi than it knows on this
// board, or "". On boards of other sizes than it has learned, it knows the usual komi.
func KomiWarning(e Game, learned string) string {
	board := e.Info()
	known, err := OpenRecorded(learned)
	if board.Komi == nil || err != nil || known.Info().Komi == nil {
		return ""
	}
	if known.Info().Size != board.Size {
		if known, err = e.OnBoard(board.Size, nil); err != nil {
			return ""
		}
	}
	if komi := *known.Info().Komi; komi != *board.Komi {
		return fmt.Sprintf("it knows komi %v on this board, not %v, so its values are wrong by the difference", komi, *board.Komi)
	}
	return ""
}
