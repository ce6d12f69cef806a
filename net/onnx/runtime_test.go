package onnx_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// ortFolder has a package.json that names ONNX Runtime.
const ortFolder = "testdata/ort"

// needONNXRuntime skips a test where Node.js or ONNX Runtime is missing.
func needONNXRuntime(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("Node.js is not installed: it runs ONNX Runtime for the web")
	}
	if _, err := os.Stat(filepath.Join(ortFolder, "node_modules")); err != nil {
		t.Skipf("ONNX Runtime for the web is not installed: (cd net/onnx/%s && npm ci)", ortFolder)
	}
}

// ONNX Runtime says of 256 positions what the network says, whatever the batch.
func TestONNXRuntime(t *testing.T) {
	needONNXRuntime(t)
	type job struct {
		Model   string `json:"model"`
		Batches []int  `json:"batches"`
		Shape   []int  `json:"shape"`
	}
	dir := t.TempDir()
	all := networks(t, 256)
	var jobs []job
	for i, e := range all {
		shape := e.weights.Shape
		j := job{fmt.Sprint(i), []int{1, 7, 64}, []int{shape.Planes, shape.Height, shape.Width}}
		if e.fixed {
			j.Batches = []int{onlyBatch}
		}
		jobs = append(jobs, j)
		save(t, filepath.Join(dir, j.Model+".onnx"), e.graph.Encode())
		save(t, filepath.Join(dir, j.Model+".planes"), floatBytes(e.planes))
	}
	list, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, "jobs.json"), list)
	if out, err := exec.CommandContext(t.Context(), "node", filepath.Join(ortFolder, "run.mjs"), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i, e := range all {
		logits, values := e.expected()
		for _, batch := range jobs[i].Batches {
			answer := filepath.Join(dir, fmt.Sprintf("%d.%d", i, batch))
			compare(t, fmt.Sprintf("%s, batch %d: logits", e.name, batch), loadFloats(t, answer+".policy_logits"), logits)
			compare(t, fmt.Sprintf("%s, batch %d: values", e.name, batch), loadFloats(t, answer+".value"), values)
		}
	}
}

// Python's package onnx finds nothing wrong, and infers the shapes that the files tell.
func TestChecker(t *testing.T) {
	python := pythonWithONNX(t)
	dir := t.TempDir()
	args := []string{"testdata/check.py"}
	for i, e := range networks(t, 1) {
		args = append(args, filepath.Join(dir, fmt.Sprintf("%d.onnx", i)))
		save(t, args[len(args)-1], e.graph.Encode())
	}
	if out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// pythonWithONNX is a Python that has the package onnx. Debian's is not always the first on the path.
func pythonWithONNX(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), python, "-c", "import onnx").Run() == nil {
			return python
		}
	}
	t.Skip("Python's package onnx is not installed: it is in Debian's package python3-onnx")
	return ""
}

func save(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// floatBytes and loadFloats are float32, little-endian.
func floatBytes(data []float32) []byte {
	b := make([]byte, 0, 4*len(data))
	for _, x := range data {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func loadFloats(t *testing.T, path string) (data []float32) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for x := range slices.Chunk(content, 4) {
		data = append(data, math.Float32frombits(binary.LittleEndian.Uint32(x)))
	}
	return data
}
