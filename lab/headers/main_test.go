package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"tengen/internal/safetensors"
	"tengen/net"
)

// A model with keys that are gone cannot be used. With a new header it can, and its tensors are the same.
func TestRewrite(t *testing.T) {
	built, err := filepath.Glob("../../checkpoints/pretrained/*.safetensors")
	if err != nil || len(built) == 0 {
		t.Fatalf("%d models, %v", len(built), err)
	}
	path := filepath.Join(t.TempDir(), "old.safetensors")
	for _, model := range built {
		before, err := safetensors.Read(model, maxFile)
		if err != nil {
			t.Fatal(err)
		}
		old := *before
		old.Metadata = map[string]string{}
		for key, value := range before.Metadata {
			old.Metadata[key] = value
		}
		old.Metadata["net"] = `{"hide_last_move":false,` + old.Metadata["net"][1:]
		old.Metadata["search"] = `{"lcb":0,` + old.Metadata["search"][1:]
		if err := safetensors.Write(path, &old); err != nil {
			t.Fatal(err)
		}
		if _, err := net.LoadModel(path); err == nil {
			t.Error("an old key is not noticed")
		}
		if err := rewrite(path); err != nil {
			t.Fatal(err)
		}
		if _, err := net.LoadModel(path); err != nil {
			t.Error(err)
		}
		after, err := safetensors.Read(path, maxFile)
		if err != nil || !reflect.DeepEqual(after.Tensors, before.Tensors) {
			t.Errorf("%s: other tensors, %v", model, err)
		}
		written, _ := os.ReadFile(path)
		if now, _ := os.ReadFile(model); len(now) == 0 || string(written) != string(now) {
			t.Errorf("%s: its header is not what this program writes", model)
		}
	}
}
