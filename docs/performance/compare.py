"""Measures tengen and PyTorch in turn on this machine, the same networks on two threads each, and prints the ratios.

usage: go build ./cmd/tengen && python3 docs/performance/compare.py ./tengen
Needs python3 with torch (Debian: apt-get install python3-torch).
"""
import json, os, subprocess, sys

BOARDS = (("connect4", 6, 7, 7), ("mnk:8,8,5", 8, 8, 64), ("gomoku", 15, 15, 225))
BATCHES = ("1", "8", "32", "128")
tengen = sys.argv[1]
torch_bench = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_bench.py")


def run(*command):
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


print("5 blocks of 64 channels: evaluations/s by batch size, training samples/s in batches of 256\n")
print(f"{'':12}{'':9}" + "".join(f"{'batch ' + b:>11}" for b in BATCHES) + f"{'training':>11}")
for game, height, width, actions in BOARDS:
    torch = run(sys.executable, torch_bench, "5", "64", str(height), str(width), str(actions), "2")
    ours = run(tengen, "bench", "--json", "--time", "2s", "--set", "game=" + game, "--set", "net.blocks=5",
               "--set", "net.channels=64", "--set", "train.batch_size=256", "--set", "search.simulations=4")
    rows = {
        "PyTorch": [torch["evaluations_per_second"][b] for b in BATCHES] + [torch["train_samples_per_second"]["256"]],
        "tengen": [ours["evaluations_per_second"][b] for b in BATCHES] + [ours["train_samples_per_second"]],
    }
    rows["ratio"] = [a / b for a, b in zip(rows["tengen"], rows["PyTorch"])]
    for name, figures in rows.items():
        form = "{:>11.2f}" if name == "ratio" else "{:>11.0f}"
        print(f"{game if name == 'PyTorch' else '':12}{name:9}" + "".join(form.format(x) for x in figures), flush=True)
