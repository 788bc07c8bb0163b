"""Deep and temporal networks on dissimilarities, in PyTorch: ``pip install 'relrbf[torch]'``.

The input layer holds prototypes as affine coefficients and gives them the latent gradient, so that
a network of any depth on dissimilarities is the same, step by step, as its vector equivalent.
"""

from typing import Any

from relrbf._utils import import_library, imported_when_used

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
_find, __dir__ = imported_when_used(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES and not name.startswith("Deep"):  # which are named by files without torch
        import_library("torch", "'relrbf[torch]'", f"relrbf.torch.{name}")
    return _find(name)
