"""Learned forecast models with weights that the operator has: inputs and weights checked, a network run step by step.

- `onnx_header`: what a network in a file states of its inputs and outputs, read without its library
- `pangu`: Pangu-Weather: its variables, levels, grid and steps; analyses as its inputs, its outputs as fields
- `aurora`: Aurora: what a call may ask of it, its static fields, steps and outputs
- `aurora_python`: the Python that the operator made for it, looked at before it is used
- `setup`: what ``labrig setup pangu`` brings; ``pangu.in`` and ``pangu.lock``
- `inside`: what runs in those Pythons
"""
