"""The commands of `cornet`, a module each: `arguments(parser)` says what it takes, `run(given)` carries it out."""
