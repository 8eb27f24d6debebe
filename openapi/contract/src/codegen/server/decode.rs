//! Writes `decode.rs`: what each operation reads from its request, and how the objects of bodies
//! are read.

use openapi_document::Location;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::{
    default_name,
    encodings::{encoding_of, known_names, of_text, read_body},
    objects::others_name,
    queries::query_name,
    reached::{reached_objects, texts},
    rust_type, traits, types,
};
use crate::codegen::{
    config::UnknownParameters,
    format::{docs, template},
    model::{Field, Kind, Model, Object, Operation, Parameter, Rule, Scalar, Type, reached},
    names::{parameter as parameter_name, type_name, value_name},
};

pub(super) const DOCS: &str = "What each operation reads from its request.";

pub(super) fn generate(model: &Model) -> TokenStream {
    let operations = || model.operations.iter();
    let variants: Vec<_> = operations().map(|operation| type_name(&operation.id)).collect();
    let names = operations().map(|operation| value_name(&operation.id));
    let documentation =
        operations().map(|operation| docs(&format!("Arguments of `{}`.", operation.id)));
    let arguments = operations().map(traits::argument_types);
    let readers = operations().map(|operation| reader(model, operation));
    let objects = reached_objects(model).into_iter().map(|name| model.schema(name));
    let of_text = reached(&model.schemas, texts(model));
    let objects = objects.filter(|schema| schema.same_as.is_none());
    let object_readers = objects.filter_map(|schema| {
        let Kind::Object(table) = &schema.kind else { return None };
        let (name, count) = (schema.name.as_str(), types::counts(schema));
        Some(object(name, table, count.as_ref(), of_text.contains(name)))
    });
    let tokens = [
        ("arguments", quote!(#(#documentation #variants(#(#arguments),*),)*)),
        ("operations", quote!(#(Operation::#variants => #names(request),)*)),
        ("readers", quote!(#(#readers)*)),
        ("objects", quote!(#(#object_readers)*)),
    ];
    template(include_str!("templates/decode.rs.txt"), &tokens)
}

fn reader(model: &Model, operation: &Operation) -> TokenStream {
    let (variant, name) = (type_name(&operation.id), value_name(&operation.id));
    let parameters = |location| operation.parameters_in(location);
    let reader = reader_of_query(model, operation);
    let paths = parameters(Location::Path).map(|parameter| {
        let (ident, name) = (parameter_name(&parameter.name), &parameter.name);
        quote!(let #ident = reader.path(#name);)
    });
    let queries = parameters(Location::Query).map(|parameter| {
        let ident = parameter_name(&parameter.name);
        let read = query(model, operation, parameter);
        let name = &parameter.name;
        let ignored = parameter.may_be_empty.then(|| quote!(reader.ignore_empty(#name);));
        quote!(#ignored let #ident = #read;)
    });
    let headers = parameters(Location::Header).map(|parameter| {
        let (ident, name) = (parameter_name(&parameter.name), parameter.name.to_lowercase());
        let value = rust_type(&parameter.value);
        let method = if parameter.required { "required_header" } else { "header" };
        let method = format_ident!("{method}");
        quote!(let #ident = reader.#method::<#value>(#name);)
    });
    let body = operation.body.as_ref().map(|body| read_body(model, operation, body));
    let path_values = parameters(Location::Path).map(|parameter| {
        let ident = parameter_name(&parameter.name);
        quote!(#ident?)
    });
    let query_value = query_value(operation);
    let header_values = operation.header_arguments().map(|parameter| {
        let ident = parameter_name(&parameter.name);
        let defaulted = parameter.defaulted.then(|| quote!(.unwrap_or_default()));
        quote!(#ident? #defaulted)
    });
    let accept = operation
        .has_representations()
        .then(|| quote!(openapi_runtime::Accept::of(request.headers)));
    let body_value = operation.body.as_ref().map(|_| quote!(body?));
    let arguments: Vec<_> = path_values
        .chain(query_value)
        .chain(header_values)
        .chain(accept)
        .chain(body_value)
        .collect();
    // A header that handlers do not get is checked.
    let unused = parameters(Location::Header).filter(|parameter| !parameter.is_argument);
    let checked = unused.map(|parameter| {
        let ident = parameter_name(&parameter.name);
        quote!(#ident?;)
    });
    let reads = operation.body.is_some() || !operation.parameters.is_empty();
    let mutable = reads.then(|| quote!(mut));
    quote! {
        fn #name(request: &RequestForm<'_>) -> Result<Arguments, Problem> {
            let #mutable reader = #reader;
            #(#paths)*
            #(#queries)*
            #(#headers)*
            #body
            reader.finish(move || {
                #(#checked)*
                Ok(Arguments::#variant(#(#arguments),*))
            })
        }
    }
}

/// The query as a whole, made of its parameters.
fn query_value(operation: &Operation) -> Option<TokenStream> {
    let parameters = || operation.parameters_in(Location::Query);
    parameters().next().map(|_| {
        let query = query_name(operation);
        let fields = parameters().map(|parameter| {
            let ident = parameter_name(&parameter.name);
            let is_list = matches!(parameter.value, Type::List { .. });
            let is_read_list = is_list && parameter.required && parameter.encoding.is_none();
            if parameter.default.is_some() {
                let default = default_name(&parameter.name);
                return quote!(#ident: #ident?.unwrap_or_else(#query::#default));
            }
            let is_set = parameter.defaulted || is_read_list;
            let defaulted = is_set.then(|| quote!(.unwrap_or_default()));
            quote!(#ident: #ident? #defaulted)
        });
        quote!(#query { #(#fields),* })
    })
}

/// The reader, which knows the parameters of the query unless others are ignored.
fn reader_of_query(model: &Model, operation: &Operation) -> TokenStream {
    let server = model.config.server.as_ref();
    match server.map(|server| server.unknown_parameters).unwrap_or_default() {
        UnknownParameters::Ignore => quote!(Reader::lenient(request)),
        UnknownParameters::Reject => {
            let queries = operation.parameters_in(Location::Query);
            let known = queries.flat_map(|parameter| known_names(model, parameter));
            quote!(Reader::new(request, &[#(#known),*]))
        }
    }
}

fn query(model: &Model, operation: &Operation, parameter: &Parameter) -> TokenStream {
    let name = &parameter.name;
    if let Some(encoding) = parameter.encoding {
        let (value, encoding) = (schema(&parameter.value), encoding_of(model, parameter, encoding));
        let method = if parameter.required { "required_query_in" } else { "query_in" };
        let method = format_ident!("{method}");
        return quote!(reader.#method::<#value>(#name, #encoding));
    }
    if let Type::List { items, min_items, max_items, unique } = &parameter.value {
        let (items, required) = (rust_type(items), parameter.required);
        let separator = optional(parameter.separator.map(Literal::character));
        let min_items = Literal::u64_unsuffixed(*min_items);
        let max_items = optional(max_items.map(Literal::u64_unsuffixed));
        return quote!(reader.query_list::<#items>(#name, QueryList {
            separator: #separator,
            required: #required,
            min_items: #min_items,
            max_items: #max_items,
            unique: #unique,
        }));
    }
    let is_cursor = matches!(&parameter.value, Type::Named(name)
        if matches!(model.schema(name).kind, Kind::Scalar(Scalar::Cursor, _)));
    if is_cursor {
        let id = &operation.id;
        let filters = super::filters(model, operation).into_iter().map(|filter| &filter.name);
        return quote!(reader.cursor(#name, #id, &[#(#filters),*]));
    }
    if parameter.required {
        quote!(reader.query(#name))
    } else {
        quote!(reader.optional_query(#name))
    }
}

fn object(
    name: &str,
    object: &Object,
    count: Option<&TokenStream>,
    is_of_text: bool,
) -> TokenStream {
    let name = type_name(name);
    let idents: Vec<_> = object.fields.iter().map(|field| value_name(&field.name)).collect();
    // A property may have the name of the variable.
    let is_taken = object.fields.iter().any(|field| value_name(&field.name) == "fields");
    let fields = if is_taken { format_ident!("object_fields") } else { format_ident!("fields") };
    let is_read = !(object.fields.is_empty() && object.ignored.is_empty());
    let mutable = is_read.then(|| quote!(mut));
    let reads = object.fields.iter().map(|one| field(&fields, one));
    let rules = object.rules.iter().map(|rule| rule_call(&fields, object, rule));
    let count = count
        .map(|count| quote!(openapi_runtime::reading::count(&value, #count, pointer, violations);));
    let ignored = object.ignored.as_slice();
    let ignored = (!ignored.is_empty()).then(|| quote!(#fields.ignore(&[#(#ignored),*]);));
    let end = if object.closed { quote!(close) } else { quote!(ignore_others) };
    let others = others_name(object);
    let (end, others_value) = match &object.others {
        None => (quote!(#fields.#end();), None),
        Some(values) => {
            let values = schema(values);
            (quote!(let #others = #fields.others::<#values>();), Some(quote!(#others: #others?)))
        }
    };
    let values = idents.iter().map(|ident| quote!(#ident: #ident?)).chain(others_value);
    let of_text = is_of_text.then(|| of_text(object));
    let tokens = [
        ("name", quote!(#name)),
        ("count", quote!(#count)),
        ("fields", quote!(#mutable #fields)),
        ("ignored", quote!(#ignored)),
        ("reads", quote!(#(let #idents = #reads;)*)),
        ("rules", quote!(#(#rules)*)),
        ("end", end),
        ("values", quote!(#(#values),*)),
        ("of_text", quote!(#of_text)),
    ];
    template(include_str!("templates/object.rs.txt"), &tokens)
}

fn field(fields: &Ident, field: &Field) -> TokenStream {
    let (name, schema) = (&field.name, schema(&field.value));
    if field.default.is_some() {
        let default = default_name(&field.name);
        return quote!(#fields.defaulted::<#schema>(#name, Self::#default));
    }
    match (field.required, field.nullable) {
        (true, false) => quote!(#fields.required::<#schema>(#name)),
        (true, true) => quote!(#fields.required::<openapi_runtime::Nullable<#schema>>(#name)),
        (false, false) => quote!(#fields.optional::<#schema>(#name)),
        (false, true) => quote!(#fields.nullable::<#schema>(#name)),
    }
}

/// Checks a rule between the fields that were read.
fn rule_call(fields: &Ident, object: &Object, rule: &Rule) -> TokenStream {
    let type_of = |name: &str| {
        let field = object.fields.iter().find(|field| field.name == name);
        field.map(|field| rust_type(&field.value))
    };
    match rule {
        Rule::NotZero { field } => {
            let ident = value_name(field);
            quote!(#fields.not_zero(#field, &#ident);)
        }
        Rule::NotNegative { field } => {
            let ident = value_name(field);
            quote!(#fields.not_negative(#field, &#ident);)
        }
        Rule::LaterThan { field, other } => {
            let (ident, other_ident) = (value_name(field), value_name(other));
            let instant = type_of(field);
            quote!(#fields.later_than::<#instant>(#field, &#ident, #other, &#other_ident);)
        }
        Rule::ExcludedBy { field, other } => {
            let (ident, other_ident) = (value_name(field), value_name(other));
            let (own, others) = (type_of(field), type_of(other));
            quote!(#fields.excluded_by::<#own, #others>(#field, &#ident, #other, &#other_ident);)
        }
        Rule::Within { field, past, future } => {
            let (ident, instant) = (value_name(field), type_of(field));
            let [past, future] =
                [past, future].map(|seconds| optional(seconds.map(Literal::u32_unsuffixed)));
            quote!(#fields.within_seconds::<#instant>(#field, &#ident, #past, #future);)
        }
        Rule::RequiredWhen { field, other, value } => {
            let (ident, other_ident) = (value_name(field), value_name(other));
            let set = type_of(other);
            match value.as_deref().map(type_name) {
                Some(value) => quote! {
                    #fields.required_when(#field, &#ident, #other, &#other_ident, #set::#value);
                },
                None => quote! {
                    #fields.required_with::<_, #set>(#field, &#ident, #other, &#other_ident);
                },
            }
        }
    }
}

/// The type that reads the value: itself, except for an array, whose length has a rule.
pub(super) fn schema(value: &Type) -> TokenStream {
    if let Type::Nullable(value) = value {
        let value = schema(value);
        return quote!(openapi_runtime::Nullable<#value>);
    }
    let Type::List { items, min_items, max_items, unique } = value else {
        return rust_type(value);
    };
    let items = schema(items);
    let bound = |count: u64| Literal::u64_unsuffixed(count);
    let min_items = bound(*min_items);
    let max_items = max_items.map(bound).map_or_else(|| quote!({ usize::MAX }), |max| quote!(#max));
    let list = quote!(List<#items, #min_items, #max_items>);
    if *unique { quote!(openapi_runtime::reading::Unique<#list>) } else { list }
}

pub(super) fn optional(value: Option<Literal>) -> TokenStream {
    value.map_or_else(|| quote!(None), |value| quote!(Some(#value)))
}
