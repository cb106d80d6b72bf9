"""Learned forecast models with weights that the operator has: inputs and weights checked, a network run step by step.

- `onnx_header`: what a network in a file states of its inputs and outputs, read without its library
- `pangu`: Pangu-Weather: its variables, levels, grid and steps; analyses as its inputs, its outputs as fields
- `setup`: what ``labrig setup pangu`` brings; ``pangu.in`` and ``pangu.lock``
- `inside`: what runs in that Python
"""
