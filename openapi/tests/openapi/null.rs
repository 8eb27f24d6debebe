//! The validator, `admits_null` and the shape read null alike in every spelling.

use openapi_document::Direction;
use serde_json::Value;

use crate::support::{load, schemas};

#[test]
fn null_is_read_alike_in_every_spelling() {
    for file in ["null-3.0.yaml", "null-3.1.yaml"] {
        let document = load(file);
        for (object, expected) in [("Admits", true), ("Excludes", false)] {
            let properties = format!("/components/schemas/{object}/properties");
            for name in document.value().pointer(&properties).unwrap().as_object().unwrap().keys() {
                let at = format!("{properties}/{name}");
                let written = document.value().pointer(&at).unwrap();
                let validator = document.validator(&at, Direction::Either).unwrap();
                assert_eq!(validator.is_valid(&Value::Null), expected, "validator: {file} {at}");
                assert_eq!(document.admits_null(written), expected, "{file} {at}");
                let shape = document.shape(&at).unwrap();
                assert_eq!(shape.is_nullable(), expected, "shape: {file} {at}");
            }
        }
    }
}

#[test]
fn null_alone_differs_from_null_among_other_values() {
    for (schema, alone, named) in [
        ("{ enum: [null] }", true, true),
        ("{ type: object, nullable: true, enum: [null] }", true, true),
        ("{ $ref: '#/components/schemas/NullAlone' }", true, true),
        ("{ allOf: [{ $ref: '#/components/schemas/NullAlone' }] }", true, true),
        ("{ enum: [x, null] }", false, true),
        ("{ type: string, nullable: true }", false, true),
        ("{ oneOf: [{ type: string }, { enum: [null] }] }", false, true),
        ("{}", false, false),
        ("{ properties: { a: { enum: [null] } } }", false, false),
    ] {
        let document = schemas(&format!("NullAlone: {{ enum: [null] }}\nIt: {schema}"));
        let written = document.value().pointer("/components/schemas/It").unwrap();
        assert_eq!(document.is_null_alone(written), alone, "{schema}");
        assert_eq!(document.names_null(written), named, "{schema}");
    }
}
