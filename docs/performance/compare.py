"""Measures tengen in turn with ONNX Runtime and PyTorch on this machine, and prints medians, also of the rounds' ratios.

usage: go build ./cmd/tengen && python3 docs/performance/compare.py ./tengen [ROUNDS]

All use two cores. ONNX Runtime evaluates the networks that tengen exports, in one process with two threads and in two
processes with one thread each; the better counts. PyTorch evaluates and trains networks of 5 blocks of 64 channels.
Needs node, onnxruntime-node in this folder (docs/performance.md), and python3 with torch (Debian: apt-get install
python3-torch).
"""
import json, os, statistics, subprocess, sys, tempfile

BATCHES = ("1", "8", "32", "128")
SHAPES = {"connect4": (6, 7), "connect4-quick": (6, 7), "gomoku": (15, 15)}
here = os.path.dirname(os.path.abspath(__file__))
tengen, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5


def start(*command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def figures(process):
    text, _ = process.communicate()
    if process.returncode != 0:
        sys.exit(f"{' '.join(process.args)}: exit status {process.returncode}")
    return json.loads(text)


def bench(*flags):
    out = figures(start(tengen, "bench", "--json", "--time", "1s", *flags))
    return out["evaluations_per_second"] | {"training": out["train_samples_per_second"]}


def example(name):
    return bench("--config", f"examples/{name}.yaml")


def onnx(name):
    model = os.path.join(folder, name + ".onnx")
    if not os.path.exists(model):
        start(tengen, "export", "onnx", "net:" + name, model).wait()
    program = ("node", os.path.join(here, "onnx_bench.mjs"), model, *map(str, SHAPES[name]), "1")
    together = figures(start(*program, "2"))
    apart = [figures(p) for p in [start(*program, "1"), start(*program, "1")]]
    return {b: max(together[b], sum(a[b] for a in apart)) for b in BATCHES}


def plain(game):
    return bench(*(f for s in (f"game={game}", "net.blocks=5", "net.channels=64", "search.simulations=4") for f in ("--set", s)))


def torch(game):
    height, width, actions = {"connect4": (6, 7, 7), "gomoku": (15, 15, 225)}[game]
    out = figures(start(sys.executable, os.path.join(here, "torch_bench.py"), "5", "64", *map(str, (height, width, actions))))
    return out["evaluations_per_second"] | {"training": out["train_samples_per_second"]}


def compare(what, ours, theirs, names, columns):
    print(f"{'':16}{'':14}" + "".join(f"{c if c == 'training' else 'batch ' + c:>11}" for c in columns))
    for name in names:
        pairs = [(ours(name), theirs(name)) for _ in range(rounds)]
        def row(figure):
            return [statistics.median(figure(a[c], b[c]) for a, b in pairs) for c in columns]
        for label, row, form in ((what, row(lambda a, b: b), ".0f"), ("tengen", row(lambda a, b: a), ".0f"),
                                 ("ratio", row(lambda a, b: a / b), ".2f")):
            print(f"{name:16}{label:14}" + "".join(f"{x:>11{form}}" for x in row), flush=True)


with tempfile.TemporaryDirectory() as folder:
    print(f"evaluations/s by batch size, training samples/s in batches of 256; medians of {rounds} rounds\n")
    compare("ONNX Runtime", example, onnx, SHAPES, BATCHES)
    compare("PyTorch", plain, torch, ("connect4", "gomoku"), (*BATCHES, "training"))
