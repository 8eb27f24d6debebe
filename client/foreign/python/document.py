"""The document, as these programs read it."""

import os
from pathlib import Path

from ruamel.yaml import YAML

DOCUMENT = YAML(typ="safe").load(Path(os.environ["DOCUMENT"]))
