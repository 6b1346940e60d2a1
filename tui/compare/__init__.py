"""Did it help: two profiles matched operator by operator, with a noise band and a verdict."""
