"""Checks ONNX files as strictly as Python's package onnx can: check.py FILE..."""

import sys

import onnx


def shapes(values):
    """The shape of each value by its name, None for a size without a number."""
    return {v.name: [d.dim_value or None for d in v.type.tensor_type.shape.dim] for v in values}


for path in sys.argv[1:]:
    onnx.checker.check_model(path, full_check=True)
    model = onnx.load(path)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)

    # The shapes in the file are those that follow from the shape of its input.
    written = shapes(model.graph.value_info)
    del model.graph.value_info[:]
    inferred = shapes(onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True).graph.value_info)
    if written != inferred:
        sys.exit(f"{path} says {written}, but {inferred} follows")
