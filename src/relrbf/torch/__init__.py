"""Deep and temporal networks on dissimilarities, in PyTorch: ``pip install 'relrbf[torch]'``.

The input layer holds prototypes as affine coefficients and gives them the latent gradient, so that
a network of any depth on dissimilarities is the same, step by step, as its vector equivalent.
"""

from importlib import import_module
from typing import Any

from relrbf._utils import import_library

_HOMES = {
    "RBFLayer": "relrbf.torch.layers",
    "RelationalRBFLayer": "relrbf.torch.layers",
    "VectorRBFLayer": "relrbf.torch.layers",
    "LatentAdam": "relrbf.torch.optimizer",
    "RelationalNet": "relrbf.torch.networks",
    "ResidualMLP": "relrbf.torch.networks",
    "NetworkEnsemble": "relrbf.torch.networks",
    "export_network": "relrbf.torch.networks",
    "RelationalTDNN": "relrbf.torch.sequences",
    "RelationalGRU": "relrbf.torch.sequences",
    "squared_distances_to_frames": "relrbf.torch.sequences",
    "train_network": "relrbf.torch.training",
    "DeepRBFClassifier": "relrbf.torch.estimators",
    "DeepRBFRegressor": "relrbf.torch.estimators",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'relrbf.torch' has no attribute {name!r}")
    if not name.startswith("Deep"):  # a file of a model names them where there is no torch
        import_library("torch", "'relrbf[torch]'", f"relrbf.torch.{name}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
