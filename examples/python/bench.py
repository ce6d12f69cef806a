"""Measures how many steps per second Games makes through the pipe, with random legal moves: python3 examples/python/bench.py [--help]"""

import argparse
import os
import time

import numpy as np

from tengen_env import Games

parser = argparse.ArgumentParser(description="Measures the speed of Games. The caller plays random legal moves.")
parser.add_argument("--game", default="connect4")
parser.add_argument("--games", type=int, default=256, help="games stepped together")
parser.add_argument("--opponent", help="SPEC; without one the caller plays both sides")
parser.add_argument("--steps", type=int, default=2_000_000, help="steps in all games together")
options = parser.parse_args()

rng = np.random.default_rng(1)
with Games(options.game, options.games, opponent=options.opponent, seed=1, auto_reset=True) as games:
    masks = games.reset().masks
    calls, finished = -(-options.steps // options.games), 0
    before, start = os.times(), time.perf_counter()
    for _ in range(calls):
        seen = games.step((rng.random(masks.shape, np.float32) * masks).argmax(axis=1))
        masks = seen.masks
        finished += np.count_nonzero(seen.terminated)
    elapsed = time.perf_counter() - start
    python = sum(os.times()[:2]) - sum(before[:2])
steps = calls * options.games  # os.times includes the program's time because it has ended
tengen = sum(os.times()[2:4]) - sum(before[2:4])
print(f"{steps} steps of {games.game}, {games.n} games together, {finished} finished, against {games.opponent or 'nobody'}: "
      f"{steps / elapsed:,.0f} steps/s; processor seconds for a million steps: {python / steps * 1e6:.2f} Python, {tengen / steps * 1e6:.2f} tengen")
