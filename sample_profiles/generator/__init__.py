"""Parts of the generator of the bundled sample profiles."""
