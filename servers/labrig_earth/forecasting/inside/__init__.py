"""What runs in the Python of a side environment: standard library and the engine's own packages.

- `pangu_engine`: a network of Pangu-Weather's form, in ONNX Runtime
"""
