"""The operators of a YOLOv4-like detector, in execution order, as a graph compiler would leave them on the device."""

from __future__ import annotations

from dataclasses import dataclass

SIDE_INPUT = 608
BOXES = 3 * (76 * 76 + 38 * 38 + 19 * 19)


@dataclass(frozen=True)
class Tensor:
    """Shape, data type and memory format of one input or output."""

    shape: tuple[int, ...]
    dtype: str = "FLOAT16"
    layout: str = "NC1HWC0"

    @property
    def elements(self) -> int:
        """Number of elements."""
        count = 1
        for side in self.shape:
            count *= side
        return count


@dataclass(frozen=True)
class Op:
    """One operator of the graph; `cost` only ranks operators of one type against each other."""

    name: str
    kind: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    cost: float
    core: str = "AI_CORE"
    origins: tuple[str, ...] = ()

    @property
    def tensor_bytes(self) -> tuple[int, int]:
        """Bytes of the first input and of the first output at 2 bytes an element."""
        return 2 * self.inputs[0].elements, 2 * self.outputs[0].elements


class Network:
    """Appends operators one after another, numbering graph nodes as an exporter does.

    With `mish` every activation of the backbone is Softplus, Tanh and Mul; without, one LeakyRelu takes the place of
    the three and keeps the number of the first, so that all other names stay.
    """

    def __init__(self, mish: bool) -> None:
        self.mish = mish
        self.ops: list[Op] = []
        self._node = 0

    def _add(self, label: str, kind: str, inputs: tuple[Tensor, ...], output: Tensor, cost: float) -> Tensor:
        self.ops.append(Op(f"{label}_{self._node}", kind, inputs, (output,), cost))
        self._node += 1
        return output

    def conv(self, x: Tensor, channels: int, kernel: int = 1, stride: int = 1, act: str = "leaky") -> Tensor:
        """A convolution with its batch normalisation folded in, and its activation."""
        _, depth, height, width = x.shape
        out = Tensor((1, channels, height // stride, width // stride))
        weight = Tensor((channels, depth, kernel, kernel), layout="FRACTAL_Z")
        bias = Tensor((channels,), layout="ND")
        name = f"Conv_{self._node}"
        origins = (name,) if act == "linear" else (name, f"{name}_bn")
        work = float(out.elements) * depth * kernel * kernel + 64.0 * (x.elements + out.elements)
        self.ops.append(Op(name, "Conv2D", (x, weight, bias), (out,), work, origins=origins))
        self._node += 1
        return out if act == "linear" else self._activation(out, act)

    def _activation(self, x: Tensor, act: str) -> Tensor:
        if act == "leaky":
            return self._add("LeakyRelu", "LeakyRelu", (x,), x, float(x.elements))
        if not self.mish:
            self._add("LeakyRelu", "LeakyRelu", (x,), x, float(x.elements))
            self._node += 2
            return x
        soft = self._add("Softplus", "Softplus", (x,), x, float(x.elements))
        squashed = self._add("Tanh", "Tanh", (soft,), x, float(x.elements))
        return self._add("Mul", "Mul", (x, squashed), x, float(x.elements))

    def add(self, a: Tensor, b: Tensor) -> Tensor:
        """The sum at the end of a residual block."""
        return self._add("Add", "Add", (a, b), a, float(a.elements))

    def concat(self, *parts: Tensor, axis: int = 1) -> Tensor:
        """Parts joined along an axis."""
        shape = list(parts[0].shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        out = Tensor(tuple(shape), parts[0].dtype, parts[0].layout)
        label = f"Concat_{self._node}"
        self.ops.append(Op(label, "ConcatD", parts, (out,), float(out.elements), origins=(label, f"{label}_axis")))
        self._node += 1
        return out

    def pool(self, x: Tensor, window: int) -> Tensor:
        """Max pooling that keeps the size."""
        return self._add("MaxPool", "MaxPool", (x,), x, float(x.elements * window))

    def slice(self, x: Tensor, channels: int) -> Tensor:
        """The first channels."""
        out = Tensor((x.shape[0], channels, *x.shape[2:]), x.dtype, x.layout)
        return self._add("Slice", "StridedSlice", (x,), out, float(out.elements))

    def resize(self, x: Tensor) -> Tensor:
        """Twice the size, between two changes of layout."""
        plain = self.transpose(x, "NCHW")
        out = Tensor((1, x.shape[1], 2 * x.shape[2], 2 * x.shape[3]), plain.dtype, "NCHW")
        self._add("Resize", "ResizeNearest", (plain,), out, float(out.elements))
        return self.transpose(out, "NC1HWC0")

    def transpose(self, x: Tensor, layout: str) -> Tensor:
        """A change of memory format that the compiler inserts."""
        out = Tensor(x.shape, x.dtype, layout)
        self._insert("TransData", x, out)
        return out

    def cast(self, x: Tensor, dtype: str) -> Tensor:
        """A change of data type that the compiler inserts."""
        out = Tensor(x.shape, dtype, x.layout)
        self._insert("Cast", x, out)
        return out

    def _insert(self, kind: str, x: Tensor, out: Tensor) -> None:
        count = sum(op.kind == kind for op in self.ops)
        self.ops.append(Op(f"trans_{kind}_{count}", kind, (x,), (out,), float(x.elements)))

    def suppress(self, boxes: Tensor, scores: Tensor) -> Tensor:
        """Non-maximum suppression, which has no AI Core kernel here."""
        out = Tensor((100, 3), "INT32", "ND")
        name = f"NonMaxSuppression_{self._node}"
        self.ops.append(Op(name, "NonMaxSuppression", (boxes, scores), (out,), 1.0, core="AI_CPU"))
        self._node += 1
        return out


def _stage(net: Network, x: Tensor, channels: int, blocks: int) -> Tensor:
    """One cross-stage-partial stage of the backbone: half the size, then residual blocks beside a short cut."""
    half = channels if blocks == 1 else channels // 2
    x = net.conv(x, channels, 3, 2, "mish")
    short = net.conv(x, half, act="mish")
    main = net.conv(x, half, act="mish")
    for _ in range(blocks):
        inner = net.conv(main, half // 2 if blocks == 1 else half, act="mish")
        main = net.add(main, net.conv(inner, half, 3, act="mish"))
    main = net.conv(main, half, act="mish")
    return net.conv(net.concat(main, short), channels, act="mish")


def _alternate(net: Network, x: Tensor, channels: int, count: int) -> Tensor:
    """Convolutions that narrow and widen in turn."""
    for index in range(count):
        x = net.conv(x, channels * 2, 3) if index % 2 else net.conv(x, channels)
    return x


def _head(net: Network, x: Tensor, channels: int) -> Tensor:
    """Predictions of one scale as plain float rows."""
    x = net.conv(net.conv(x, channels, 3), 255, act="linear")
    x = net.cast(net.transpose(x, "NCHW"), "FLOAT")
    for _ in range(2):
        net.slice(x, 6)
    return Tensor((1, 3 * x.shape[2] * x.shape[3], 85), "FLOAT", "ND")


def _backbone(net: Network) -> tuple[Tensor, Tensor, Tensor]:
    x = Tensor((1, 3, SIDE_INPUT, SIDE_INPUT), "FLOAT", "NCHW")
    x = net.transpose(net.cast(x, "FLOAT16"), "NC1HWC0")
    x = net.conv(x, 32, 3, act="mish")
    kept = []
    for channels, blocks in ((64, 1), (128, 2), (256, 8), (512, 8), (1024, 4)):
        x = _stage(net, x, channels, blocks)
        kept.append(x)
    return kept[2], kept[3], kept[4]


def build(mish: bool) -> list[Op]:
    """All operators in execution order, with Mish or with LeakyRelu in the backbone."""
    net = Network(mish)
    wide, middle, deep = _backbone(net)
    deep = _alternate(net, deep, 512, 3)
    deep = net.concat(net.pool(deep, 13), net.pool(deep, 9), net.pool(deep, 5), deep)
    deep = _alternate(net, deep, 512, 3)
    up = net.resize(net.conv(deep, 256))
    middle = _alternate(net, net.concat(net.conv(middle, 256), up), 256, 5)
    up = net.resize(net.conv(middle, 128))
    wide = _alternate(net, net.concat(net.conv(wide, 128), up), 128, 5)
    rows = [_head(net, wide, 256)]
    middle = _alternate(net, net.concat(_realign(net, net.conv(wide, 256, 3, 2)), middle), 256, 5)
    rows.append(_head(net, middle, 512))
    deep = _alternate(net, net.concat(_realign(net, net.conv(middle, 512, 3, 2)), deep), 512, 5)
    rows.append(_head(net, deep, 1024))
    _detect(net, net.concat(*rows))
    return net.ops


def _realign(net: Network, x: Tensor) -> Tensor:
    return net.transpose(net.transpose(x, "NCHW"), "NC1HWC0")


def _detect(net: Network, rows: Tensor) -> None:
    boxes = Tensor((1, BOXES, 4), "FLOAT", "ND")
    scores = Tensor((1, 80, BOXES), "FLOAT", "ND")
    low = net.cast(boxes, "FLOAT16")
    net.cast(low, "FLOAT")
    net.transpose(Tensor(scores.shape, "FLOAT", "NCHW"), "ND")
    net.transpose(Tensor(boxes.shape, "FLOAT", "NCHW"), "ND")
    net.cast(net.cast(scores, "FLOAT16"), "FLOAT")
    net.cast(net.suppress(boxes, scores), "INT64")
