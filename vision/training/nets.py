"""The networks: a detector for whole pictures, two unlike classifiers for faces and one for how a die lies."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.detector import DETECTOR_OUTPUTS, STRANGE
from vision.network import CUT_OUTPUTS, TILT_OUTPUTS

_WIDTHS = (32, 64, 96, 112)
_STRANGE_WIDTH = 48


class Plane(nn.Conv2d):
    """A convolution that may see its weights as they are stored in 8 bits, while it learns them as they are."""

    rounded = False

    def forward(self, x: Tensor) -> Tensor:
        """The convolution of x."""
        weight: Tensor = self.weight
        if self.rounded:
            step = weight.detach().abs().amax((1, 2, 3), keepdim=True).clamp(min=1e-12) / 127
            weight = weight + ((weight / step).round() * step - weight).detach()
        return self._conv_forward(x, weight, self.bias)


class _Conv(nn.Sequential):
    """A convolution, normalised and cut off at zero."""

    def __init__(self, inputs: int, outputs: int, size: int = 3, stride: int = 1, rim: int | None = None) -> None:
        super().__init__(
            Plane(inputs, outputs, size, stride, size // 2 if rim is None else rim, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(),
        )


class _Stay(nn.Module):
    """Convolutions that add to what there is."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = _Conv(width, width)

    def forward(self, x: Tensor) -> Tensor:
        added: Tensor = x + self.conv(x)
        return added


def _stays(width: int, count: int) -> list[nn.Module]:
    return [_Stay(width) for _ in range(count)]


def _half(inputs: int, outputs: int) -> nn.Module:
    """Half the size by squares of 2 x 2: OpenCV takes five times as long for products of overlapping steps."""
    return _Conv(inputs, outputs, size=2, stride=2, rim=0)


class _Strange(nn.Module):
    """Sees by what the detector sees on its way where something lies that is no die."""

    def __init__(self) -> None:
        super().__init__()
        quarter, eighth = _WIDTHS[:2]
        self.fine = _half(quarter, quarter)
        self.mix = _Conv(quarter + 2 * eighth, _STRANGE_WIDTH, 1)
        self.rest = nn.Sequential(_Stay(_STRANGE_WIDTH), Plane(_STRANGE_WIDTH, 1, 1))
        nn.init.constant_(self.rest[1].bias, -4.0)

    def forward(self, quarter: Tensor, eighth: Tensor, deep: Tensor) -> Tensor:
        """Log odds, n x 1 x h/8 x w/8."""
        out: Tensor = self.rest(self.mix(torch.cat([self.fine(quarter), eighth, deep], 1)))
        return out


class Detector(nn.Module):
    """Looks at a whole picture (n x 3 x h x w, sides multiples of 32) and answers for each cell of 8 x 8 pixels."""

    def __init__(self) -> None:
        super().__init__()
        quarter, eighth, sixteenth, last = _WIDTHS
        # Squares of 4 x 4 pixels at once: at full size convolutions would take most of the time.
        self.quarter = nn.Sequential(_Conv(3, quarter, size=4, stride=4, rim=0), _Stay(quarter))
        self.eighth = nn.Sequential(_half(quarter, eighth), *_stays(eighth, 2))
        self.sixteenth = nn.Sequential(_half(eighth, sixteenth), *_stays(sixteenth, 3))
        self.last = nn.Sequential(_half(sixteenth, last), *_stays(last, 3))
        self.up = nn.ModuleList([_Conv(last, sixteenth, 1), _Conv(sixteenth, eighth, 1)])
        self.merge = nn.ModuleList([_Stay(sixteenth), _Stay(eighth)])
        self.head = nn.Sequential(_Stay(eighth), Plane(eighth, DETECTOR_OUTPUTS, 1))
        nn.init.constant_(self.head[1].bias[:3], -4.0)
        self.strange = _Strange()

    def forward(self, x: Tensor) -> Tensor:
        """Outputs before any sigmoid, n x (DETECTOR_OUTPUTS + 1) x h/8 x w/8; the last is STRANGE."""
        quarter = self.quarter(x)
        eighth = self.eighth(quarter)
        sixteenth = self.sixteenth(eighth)
        deep = self.last(sixteenth)
        for up, merge, beside in zip(self.up, self.merge, (sixteenth, eighth), strict=True):
            deep = merge(functional.interpolate(up(deep), scale_factor=2.0, mode="nearest") + beside)
        return torch.cat([self.head(deep), self.strange(quarter, eighth, deep)], 1)


class StrangeAlone(nn.Module):
    """A detector of which only what says STRANGE still learns; it says nothing else."""

    def __init__(self, detector: Detector) -> None:
        super().__init__()
        self.detector = detector.requires_grad_(False)
        detector.strange.requires_grad_(True)

    def train(self, mode: bool = True) -> "StrangeAlone":
        """Its learnt parts stay as they are."""
        super().train(False)
        self.detector.strange.train(mode)
        return self

    def forward(self, x: Tensor) -> Tensor:
        """Log odds, n x h/8 x w/8."""
        said: Tensor = self.detector(x)[:, STRANGE]
        return said


class _Edges(nn.Module):
    """Turns colours into edges without polarity: how steep, and which way modulo half a turn."""

    def __init__(self) -> None:
        super().__init__()
        across = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]) / 8
        weight = torch.stack([across, across.T]).repeat(3, 1, 1)[:, None]
        self.slope = nn.Conv2d(3, 6, 3, padding=1, groups=3, bias=False)
        self.slope.weight = nn.Parameter(weight, requires_grad=False)
        self.total = nn.Conv2d(3, 1, 1, bias=False)
        self.total.weight = nn.Parameter(torch.ones(1, 3, 1, 1), requires_grad=False)

    def forward(self, x: Tensor) -> Tensor:
        with torch.autocast(x.device.type, enabled=False):
            return self._turned(x.float())

    def _turned(self, x: Tensor) -> Tensor:
        slopes = self.slope(x)
        across, down = slopes[:, 0::2], slopes[:, 1::2]
        a = self.total(across * across - down * down)
        b = self.total(2 * across * down)
        steep = torch.sqrt(a * a + b * b + 1e-8)
        size = torch.sqrt(steep / (functional.adaptive_avg_pool2d(steep, 1) + 1e-4) + 1e-4)
        return torch.cat([size, a / steep * size, b / steep * size], 1)


class CutNet(nn.Module):
    """Names the face on a cut-out (n x 3 x h x h), by colours (CORE_PX) or by edges (CUT_PX)."""

    def __init__(self, edges: bool) -> None:
        super().__init__()
        if edges:  # at half the size at once: at full size convolutions take the time in which deeper ones learn more
            first, second, last = 24, 64, 96
            layers: list[nn.Module] = [_Edges(), _Conv(3, first, size=4, stride=2, rim=1), _Stay(first)]
            layers += [_Conv(first, second, stride=2), _Stay(second), _Stay(second)]
            layers += [_Conv(second, last, stride=2), _Stay(last), _Stay(last)]
        else:
            first, second, third, last = 20, 32, 56, 80
            layers = [_Conv(3, first), _Conv(first, second, stride=2), _Stay(second)]
            layers += [_Conv(second, third, stride=2), _Stay(third), _Conv(third, last, stride=2), _Stay(last)]
        layers += [_Conv(last, 40, 1), Plane(40, 56, 6 if edges else 5), nn.ReLU(), nn.Dropout(0.1)]
        layers += [Plane(56, CUT_OUTPUTS, 1), nn.Flatten()]
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        """Outputs before any softmax or sigmoid, n x CUT_OUTPUTS."""
        out: Tensor = self.layers(x)
        return out


class TiltNet(nn.Module):
    """Sees on a wide cut-out (n x 3 x WIDE_PX x WIDE_PX) how a die lies."""

    def __init__(self) -> None:
        super().__init__()
        first, second, third = 24, 56, 88
        # Squares of 4 x 4 pixels at once: at full size convolutions would take half of the time.
        layers: list[nn.Module] = [_Conv(3, first, size=4, stride=4, rim=0), _Stay(first), _Stay(first)]
        layers += [_Conv(first, second, stride=2), _Stay(second), _Stay(second)]
        layers += [_Conv(second, third, stride=2), _Stay(third), _Stay(third)]
        layers += [_Conv(third, 64, stride=2), Plane(64, 64, 3), nn.ReLU(), Plane(64, TILT_OUTPUTS, 1)]
        layers += [nn.Flatten()]
        self.layers = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        """TILT_OUTPUTS for each: the top face's normal across the line of sight (x right, y down) and more."""
        out: Tensor = self.layers(x)
        return out
