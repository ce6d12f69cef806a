package run

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tengen/engine"
	"tengen/net"
	"tengen/players"
	"tengen/train/checkpoint"
)

// pretrained is the folder of the pretrained models in the source tree.
const pretrained = "checkpoints/pretrained"

var carried fs.FS = embed.FS{}

// RegisterModels sets the pretrained models, as files NAME.safetensors. Call it at the start of the program.
func RegisterModels(models fs.FS) {
	carried = models
	engine.RegisterModels(OpenModel)
}

// OpenModel reads a model: a file, the newest one in a run directory or, if neither exists, a pretrained model by name,
// such as "connect4", or by its path in the source tree. If there is none, the error lists the available models.
func OpenModel(name string) (*net.Model, error) {
	m, _, err := openModel(name)
	return m, err
}

// openModel also returns the model's file, "" for a pretrained one.
func openModel(name string) (m *net.Model, file string, err error) {
	m, file, failure := checkpoint.LoadNewest(name)
	if failure == nil {
		return m, file, nil
	}
	base := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(name), pretrained+"/"), modelSuffix)
	// A folder that is not a run directory, such as one of the game's source code, does not hide a pretrained model.
	if slices.Contains(PretrainedModels(), base) && !fileExists(filepath.Join(name, checkpoint.ConfigFile)) {
		m, err = openPretrained(base)
		return m, "", err
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return nil, "", failure
	}
	return nil, "", fmt.Errorf("there is no model file or run directory %s: %s%s", name, listModels(),
		engine.DidYouMean(name, append(ModelsHere(), PretrainedModels()...)))
}

func openPretrained(name string) (*net.Model, error) {
	content, err := fs.ReadFile(carried, name+modelSuffix)
	if err != nil {
		return nil, err
	}
	m := new(net.Model)
	return m, m.UnmarshalBinary(content)
}

const modelSuffix = ".safetensors"

func listModels() string {
	text := "those that come with tengen are " + strings.Join(PretrainedModels(), ", ")
	if here := ModelsHere(); len(here) > 0 {
		const most = 8
		more := ""
		if len(here) > most {
			here, more = here[:most], ", ..."
		}
		text = "here are " + strings.Join(here, ", ") + more + "; " + text
	}
	return text
}

// PretrainedModels returns the names of the pretrained models.
func PretrainedModels() []string {
	files, err := fs.Glob(carried, "*"+modelSuffix)
	if err != nil {
		panic(err) // malformed pattern
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f, modelSuffix))
	}
	slices.Sort(names) // by name: file names sort "a-b" before "a" because of the suffix
	return names
}

// PretrainedFor returns the name of a pretrained model that plays a game, preferably one trained on it, or of any model
// for "". It returns an InputError if there is no model or no such game.
func PretrainedFor(game string) (string, error) {
	all := PretrainedModels()
	if game == "" && len(all) > 0 {
		return all[0], nil
	}
	e, err := Open(game)
	if err != nil {
		return "", err
	}
	if able := PretrainedBy(e, func(name string) (engine.ModelInfo, error) { return engine.Describe(e, name) }); len(able) > 0 {
		return able[0], nil
	}
	return "", engine.InputErrorf("no model that comes with tengen plays %s (%s): name the opponent", e.Info().Name, strings.Join(all, ", "))
}

// PretrainedBy returns the names of the pretrained models that play a game: first those trained on it, then those
// trained on boards of other sizes. describe works like engine.Describe and may cache.
func PretrainedBy(e engine.Game, describe func(name string) (engine.ModelInfo, error)) []string {
	var learned, able []string
	for _, name := range PretrainedModels() {
		switch m, err := describe(name); {
		case err != nil:
		case m.Game == e.Info().Name:
			learned = append(learned, name)
		default:
			able = append(able, name)
		}
	}
	return append(learned, able...)
}

// RunsHere returns the run directories in the current folder and in its folder "checkpoints".
func RunsHere() []string {
	return here(func(path string) bool { return fileExists(filepath.Join(path, latestFile)) })
}

// latestFile is in every run directory.
const latestFile = "latest"

// ModelsHere returns RunsHere and the model files in the same folders.
func ModelsHere() []string {
	return append(RunsHere(), here(func(path string) bool { return strings.HasSuffix(path, modelSuffix) })...)
}

// SpecsHere returns beginnings of SPECs, except "human", and the SPECs of the available models.
func SpecsHere() []string {
	specs := []string{
		string(players.KindRandom), string(players.KindUCT) + ":", string(players.KindAlphaBeta) + ":", string(players.KindMinimax), string(players.KindSolver),
	}
	return append(specs, NetworksHere()...)
}

// NetworksHere returns the SPECs of the available models.
func NetworksHere() (specs []string) {
	for _, model := range append(ModelsHere(), PretrainedModels()...) {
		specs = append(specs, string(players.KindNet)+":"+model)
	}
	return specs
}

// here returns the wanted entries of the current folder and its folder "checkpoints".
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
