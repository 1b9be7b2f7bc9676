"""Photo-like pictures of dice with true labels: poses from rigid-body physics, light from a path tracer."""
