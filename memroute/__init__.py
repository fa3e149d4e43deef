"""memroute: a memory for any OpenAI-compatible client."""

from memroute.sqlite import install_driver

__version__ = "0.1.0"

# Before Django is imported: its SQLite backend binds the driver at import time.
install_driver()
