"""The two array types that appear in signatures."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.floating[Any]]
Indices: TypeAlias = NDArray[np.intp]
