"""Evaluates a position of Connect Four with the network of connect4.onnx."""

import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession("connect4.onnx")


def position(moves):
    """The planes of Connect Four after moves such as "44353", and which columns are not full."""
    stones, last = np.zeros((2, 6, 7), np.float32), np.zeros((6, 7), np.float32)
    for ply, move in enumerate(moves):
        column = int(move) - 1
        row = 5 - int(stones[:, :, column].sum())
        stones[ply % 2, row, column] = 1
        last[:] = 0
        last[row, column] = 1
    mover = len(moves) % 2
    planes = np.stack([stones[mover], stones[1 - mover], last, np.full((6, 7), 1 - mover, np.float32)])
    return planes, stones.sum(axis=(0, 1)) < 6


def evaluate(planes, legal):
    """The policy over the legal moves, and the value for the side to move."""
    logits, value = session.run(["policy_logits", "value"], {"planes": planes[np.newaxis]})
    logits = np.where(legal, logits[0], -np.inf)
    shares = np.exp(logits - logits.max())
    return shares / shares.sum(), value[0, 0]


policy, value = evaluate(*position("44353"))
for move, share in enumerate(policy):
    print(f"{move + 1}: {share:.3f}")
print(f"value: {value:.3f}")
