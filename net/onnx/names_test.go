package onnx_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/net"
)

var update = flag.Bool("update", false, "rewrite testdata/*.txt")

// Names, operators and shapes are those of testdata, a line for each node: others look them up.
func TestNames(t *testing.T) {
	for _, a := range architectures {
		if a.name != "residual" && a.name != "any-size" && a.name != "moves" {
			continue
		}
		golden := filepath.Join("testdata", a.name+".txt")
		g, err := randomModel(a.cfg, a.shape).ONNX(net.ONNXOptions{AnySize: a.cfg.AnySize()})
		if err != nil {
			t.Fatal(err)
		}
		got := list(read(t, g.Encode()))
		if *update {
			save(t, golden, []byte(got))
		}
		if want, err := os.ReadFile(golden); err != nil || got != string(want) {
			t.Errorf("%s: %v, got\n%s", golden, err, got)
		}
	}
}

// list shows a graph, as "block1.conv1: Conv(stem.relu, block1.conv1.weight [3 3 3 3]) pads [1 1 1 1] -> block1.conv1
// [batch 3 6 7]".
func list(f *file) string {
	var b strings.Builder
	shapes := make(map[string][]any)
	for _, v := range slices.Concat(f.between, f.outputs) {
		shapes[v.name] = v.sizes
	}
	fmt.Fprintf(&b, "%s %v\n", f.inputs[0].name, f.inputs[0].sizes)
	for _, n := range f.nodes {
		inputs := slices.Clone(n.inputs)
		for i, name := range inputs {
			if c, ok := f.constants[name]; ok {
				inputs[i] += fmt.Sprint(" ", c.shape)
			}
		}
		fmt.Fprintf(&b, "%s: %s(%s)", n.name, n.kind, strings.Join(inputs, ", "))
		for _, key := range slices.Sorted(maps.Keys(n.attributes)) {
			fmt.Fprintf(&b, " %s %v", key, n.attributes[key])
		}
		fmt.Fprintf(&b, " -> %s %v\n", n.outputs[0], shapes[n.outputs[0]])
	}
	return b.String()
}
