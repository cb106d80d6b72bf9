"""What runs in a Python of its own, a side environment or the operator's: standard library and the engine's packages.

- `pangu_engine`: a network of Pangu-Weather's form, in ONNX Runtime
- `aurora_engine`: Aurora, by its own package
"""
