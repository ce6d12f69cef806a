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

// pretrained is the folder of the models that come with tengen, as it is in the project.
const pretrained = "checkpoints/pretrained"

// carried are the models that come with the program.
var carried fs.FS = embed.FS{}

// RegisterModels says which models come with the program, as files NAME.safetensors. It does so before all else.
func RegisterModels(models fs.FS) {
	carried = models
	engine.RegisterModels(OpenModel)
}

// OpenModel reads a model: a file, the newest one of a run directory or, where there is neither, one of those that come with
// tengen, which are known by their names, such as "connect4", and by their files in the project. An error that there is no
// such model lists those that there are.
func OpenModel(name string) (*net.Model, error) {
	m, failure := checkpoint.LoadNewest(name)
	if failure == nil {
		return m, nil
	}
	base := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(name), pretrained+"/"), modelSuffix)
	// A folder that is no run directory, such as one with the rules of the game, hides nothing.
	if slices.Contains(PretrainedModels(), base) && !fileExists(filepath.Join(name, configFile)) {
		return openPretrained(base)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return nil, failure
	}
	return nil, fmt.Errorf("there is no model file or run directory %s: %s", name, listModels())
}

// openPretrained reads a model that comes with tengen.
func openPretrained(name string) (*net.Model, error) {
	content, err := fs.ReadFile(carried, name+modelSuffix)
	if err != nil {
		return nil, err
	}
	m := new(net.Model)
	return m, m.UnmarshalBinary(content)
}

const modelSuffix = ".safetensors"

// listModels says which models there are, for a person who has asked for one that is not.
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

// PretrainedModels lists the names of the models that come with tengen.
func PretrainedModels() []string {
	files, err := fs.Glob(carried, "*"+modelSuffix)
	if err != nil {
		panic(err) // the pattern is malformed
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f, modelSuffix))
	}
	slices.Sort(names) // a name before the same with something added, unlike those of the files
	return names
}

// PretrainedFor names a model that comes with tengen and plays a game, best one that has learned it, or any one for "". An
// InputError says that there is none, or no such game.
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

// PretrainedBy names the models that come with tengen and play an engine's game: the one that has learned it first, if there is
// one, and then those that have learned it on boards of other sizes. describe is the engine's, or remembers what that has said.
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

// RunsHere lists the run directories in the current folder and in its folder "checkpoints".
func RunsHere() []string {
	return here(func(path string) bool { return fileExists(filepath.Join(path, latestFile)) })
}

// latestFile is in every run directory.
const latestFile = "latest"

// ModelsHere lists RunsHere and the model files in the same folders.
func ModelsHere() []string {
	return append(RunsHere(), here(func(path string) bool { return strings.HasSuffix(path, modelSuffix) })...)
}

// SpecsHere lists how the SPECs of players begin, but for a person's, and those of the models that there are.
func SpecsHere() []string {
	specs := []string{
		string(players.KindRandom), string(players.KindUCT) + ":", string(players.KindAlphaBeta) + ":", string(players.KindMinimax), string(players.KindSolver),
	}
	return append(specs, NetworksHere()...)
}

// NetworksHere lists the SPECs of the models that there are.
func NetworksHere() (specs []string) {
	for _, model := range append(ModelsHere(), PretrainedModels()...) {
		specs = append(specs, string(players.KindNet)+":"+model)
	}
	return specs
}

// here lists what is wanted in the current folder and in its folder "checkpoints", in order.
func here(wanted func(path string) bool) []string {
	var found []string
	for _, folder := range []string{".", "checkpoints"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // there is none
		}
		for _, e := range entries {
			if name := filepath.Join(folder, e.Name()); wanted(name) {
				found = append(found, name)
			}
		}
	}
	return found
}
