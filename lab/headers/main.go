// Command headers rewrites the headers of the built-in models and of a test's model. It drops keys that the network and
// the search no longer have. The tensors stay as they are.
//
//	go run -C lab ./headers
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tengen/internal/safetensors"
	"tengen/mcts"
	"tengen/net"
)

func main() {
	models, err := filepath.Glob("../checkpoints/pretrained/*.safetensors")
	for _, path := range append(models, "../run/testdata/earlier/model-00000002.safetensors") {
		err = errors.Join(err, rewrite(path))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const maxFile = 1 << 30 // bytes

func rewrite(path string) error {
	f, err := safetensors.Read(path, maxFile)
	if err != nil {
		return err
	}
	for name, section := range map[string]any{"net": new(net.Config), "search": new(mcts.Config)} {
		if f.Metadata[name], err = current(f.Metadata[name], section); err != nil {
			return fmt.Errorf("%s: %s: %w", path, name, err)
		}
	}
	return safetensors.Write(path, f)
}

// current returns a section's JSON with the keys that its type has, and prints the others.
func current(text string, section any) (string, error) {
	if err := json.Unmarshal([]byte(text), section); err != nil {
		return "", err
	}
	now, err := json.Marshal(section)
	if err != nil {
		return "", err
	}
	var before, after map[string]any
	if err := json.Unmarshal([]byte(text), &before); err != nil {
		return "", err
	}
	if err := json.Unmarshal(now, &after); err != nil {
		return "", err
	}
	var gone []string
	for key, value := range before {
		if _, ok := after[key]; !ok {
			gone = append(gone, fmt.Sprintf("%s %v", key, value))
		}
	}
	slices.Sort(gone)
	fmt.Println(gone)
	return string(now), nil
}
