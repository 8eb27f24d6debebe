"""Every example of the document is valid for its schema, by the letter of OpenAPI 3.0."""

import unittest

from document import DOCUMENT
from jsonschema import FormatChecker
from openapi_schema_validator import OAS30Validator
from referencing import Registry
from referencing.jsonschema import DRAFT4

REGISTRY = Registry().with_resource("urn:document", DRAFT4.create_resource(DOCUMENT))
DATA = ("example", "examples", "default", "enum")


def value_of(example):
    """Returns the value of an example object, or of the one that it refers to."""
    if "$ref" in example:
        example = REGISTRY.resolver("urn:document").lookup(example["$ref"]).contents
    return example["value"]


def examples(member, pointer=""):
    """Yields each example of this member and below it, with the pointer of its schema."""
    if isinstance(member, list):
        member = dict(enumerate(member))
    if not isinstance(member, dict):
        return
    schema = f"{pointer}/schema" if "schema" in member else pointer
    if "example" in member:
        yield schema, member["example"]
    if "schema" in member:
        for example in member.get("examples", {}).values():
            yield schema, value_of(example)
    for name, child in member.items():
        if name not in DATA and not str(name).startswith("x-"):
            step = str(name).replace("~", "~0").replace("/", "~1")
            yield from examples(child, f"{pointer}/{step}")


class Examples(unittest.TestCase):
    def test_examples_are_valid(self):
        found = list(examples(DOCUMENT))
        self.assertTrue(found)
        faults = []
        for pointer, example in found:
            schema = {"$ref": f"urn:document#{pointer}"}
            validator = OAS30Validator(schema, registry=REGISTRY, format_checker=FormatChecker())
            for error in validator.iter_errors(example):
                faults.append(f"{pointer}: {error.json_path}: {error.message}")
        if faults:
            self.fail("\n".join(faults))
