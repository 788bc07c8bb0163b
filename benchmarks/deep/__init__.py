"""Deep and temporal networks of ``relrbf.torch``: every number in docs/torch.md comes from here."""
