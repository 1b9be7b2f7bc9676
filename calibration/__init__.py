"""Makes what vision and firmware are set by, and says how far the machine may be trusted."""
