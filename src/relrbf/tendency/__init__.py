"""Are there clusters, and how many? Arrays that show it; ``relrbf.plotting`` draws them."""

from relrbf.tendency.assess import ivat, vat
from relrbf.tendency.image import TendencyImage

__all__ = ["TendencyImage", "ivat", "vat"]
