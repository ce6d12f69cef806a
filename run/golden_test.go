package run

import (
	"encoding/binary"
	"hash/crc32"
	"path/filepath"
	"testing"

	"tengen/internal/kernel"
	"tengen/selfplay"
	"tengen/train/checkpoint"
)

// A run gives the same models on every architecture: with plain Go, and with AVX2, AVX-512 and NEON. AVX-512 leaves 8 of
// 12 channels to AVX2, and all leave 4 to plain Go. If this fails, the same settings train another model than before:
// raise selfplay.Semantics, so that no run mixes both, and take over the new checksums.
func TestModelsOnEveryArchitecture(t *testing.T) {
	defer kernel.Use(kernel.Name())
	const semantics = 4
	const goSum, vectorSum = 0x8e8962ec, 0x68c2c1d8
	cfg := readConfig(t, "../examples/connect4-quick.yaml")
	cfg.Net.Blocks, cfg.Net.PooledBlocks, cfg.Net.Channels, cfg.Net.ValueHidden = 2, 1, 12, 16
	cfg.Net.PolicyChannels, cfg.Net.ValueChannels = 4, 4
	cfg.Search.Simulations, cfg.Selfplay.GrowIterations = 8, 0
	cfg.Selfplay.CacheMegabytes, cfg.Replay.ExactPlies = 4, 0
	cfg.Train.Iterations, cfg.Train.GamesPerIteration, cfg.Train.EvaluateEvery = 2, 4, 0
	cfg.Train.Passes, cfg.Train.BatchSize = 1, 32
	for _, set := range kernel.Names() {
		kernel.Use(set)
		want := uint32(vectorSum)
		if set == "go" {
			want = goSum
		}
		dir := filepath.Join(t.TempDir(), "run")
		trainRun(t, TrainConfig{Config: cfg, Dir: dir})
		model, _, err := checkpoint.LoadNewest(dir)
		noError(t, err)
		sum := crc32.NewIEEE()
		for _, p := range model.Weights.Params {
			noError(t, binary.Write(sum, binary.LittleEndian, p.Data))
		}
		if sum.Sum32() != want || selfplay.Semantics != semantics {
			t.Errorf("%s: with semantics %d the last model's checksum is 0x%08x, want 0x%08x for %d",
				set, selfplay.Semantics, sum.Sum32(), want, semantics)
		}
	}
}
