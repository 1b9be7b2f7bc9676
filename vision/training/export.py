"""From trained networks to ONNX files that OpenCV runs."""

import copy
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

_SMALL = 64


def export(net: nn.Module, size_px: tuple[int, int], path: Path) -> None:
    """Write a network for any number of pictures, usually of that size (rows, columns), its weights in 8 bits."""
    fused = fuse(copy.deepcopy(net).cpu().eval())
    example = torch.zeros(1, 3, *size_px)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            fused,
            (example,),
            str(path),
            input_names=["pictures"],
            output_names=["said"],
            # OpenCV 4.10 joins nothing whose size it does not know; with one stated it takes pictures of any other too.
            dynamic_axes={"pictures": {0: "n"}, "said": {0: "n"}},
            opset_version=13,
            dynamo=False,
        )
    model = onnx.load(str(path))
    _narrow(model)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def _narrow(model: onnx.ModelProto) -> None:
    """Store the large weights as whole numbers with a scale for each output; added nodes make them floats."""
    nodes, scales = [], []
    for weights in model.graph.initializer:
        values, name = numpy_helper.to_array(weights), weights.name
        if values.dtype != np.float32 or values.ndim < 4 or values.size <= _SMALL:
            continue
        scale = np.abs(values).max(axis=(1, 2, 3), keepdims=True) / 127
        weights.CopyFrom(numpy_helper.from_array(np.rint(values / scale).astype(np.int8), f"{name}_8"))
        scales.append(numpy_helper.from_array(scale, f"{name}_scale"))
        nodes.append(helper.make_node("Cast", [f"{name}_8"], [f"{name}_whole"], to=TensorProto.FLOAT))
        nodes.append(helper.make_node("Mul", [f"{name}_whole", f"{name}_scale"], [name]))
    model.graph.initializer.extend(scales)
    nodes += model.graph.node
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def fuse(net: nn.Module) -> nn.Module:
    """The same network with its normalisations folded into the convolutions before them."""
    for name, child in net.named_children():
        if isinstance(child, nn.Sequential) and len(child) > 1 and isinstance(child[1], nn.BatchNorm2d):
            merged = torch.nn.utils.fusion.fuse_conv_bn_eval(child[0], child[1])
            setattr(net, name, nn.Sequential(merged, *list(child)[2:]))
        else:
            setattr(net, name, fuse(child))
    return net
