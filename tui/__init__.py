"""npuscope: a keyboard-driven terminal viewer for Huawei Ascend NPU profiles."""

__version__ = "0.1.0"
