"""The rules that say why a run is slow, a module per family, and the engine that runs them."""
