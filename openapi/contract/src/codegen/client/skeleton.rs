//! The files of a new client's package that are written once, and are its owner's from then on.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use quote::{format_ident, quote};

use crate::codegen::{
    Artifact, ClientConfig, Config, format, model::Model, server::skeleton::dependency,
};

const DOCS: &str = "\
A client of the document. Make a `Connection` with the server's address and your key, and a \
`Client` with it; each operation is a method. `Error` says why a call gave no result.";

/// A package of its own, with the generated file in `src`.
pub(in crate::codegen) struct Package<'a> {
    client: &'a ClientConfig,
    pub(in crate::codegen) folder: &'a Path,
    module: &'a str,
}

impl<'a> Package<'a> {
    /// `None` for a client by hand, and where the file is not in `src` of a folder of its own.
    pub(in crate::codegen) fn of(config: &'a Config) -> Option<Self> {
        let client = config.client.as_ref().filter(|client| !client.by_hand)?;
        let file = Path::new(&client.file);
        let source = file.parent().filter(|folder| folder.ends_with("src"))?;
        let folder = source.parent().filter(|folder| *folder != Path::new(""))?;
        Some(Self { client, folder, module: file.file_stem()?.to_str()? })
    }

    pub(in crate::codegen) fn files(
        &self,
        model: &Model,
        runtime: Option<&Path>,
    ) -> io::Result<Vec<Artifact>> {
        let module = format_ident!("{}", self.module);
        let items =
            format::template(include_str!("templates/lib.rs.txt"), &[("module", quote!(#module))]);
        let text = format::file(&model.config.written_once(), DOCS, items, "")?;
        let path = |name: &str| self.folder.join(name).display().to_string();
        Ok(vec![
            Artifact { path: path("Cargo.toml"), text: self.manifest(runtime) },
            Artifact { path: path("src/lib.rs"), text },
        ])
    }

    fn manifest(&self, runtime: Option<&Path>) -> String {
        let name = self.client.name.as_deref().unwrap_or("client").replace('_', "-");
        let beside = runtime.map(|runtime| self.beside(runtime));
        CARGO.replace("NAME", &name).replace("RUNTIME", &dependency(beside.as_deref()))
    }

    /// The folder of openapi-client, beside that of openapi-runtime, as the package sees it.
    fn beside(&self, runtime: &Path) -> PathBuf {
        let up = self.folder.components().map(|_| Component::ParentDir);
        up.collect::<PathBuf>().join(runtime).with_file_name("client")
    }
}

const CARGO: &str = include_str!("templates/Cargo.toml.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifest_names_a_version_or_the_folder_beside_the_runtime() {
        let config = "client.file = 'sdk/rust/src/generated.rs'\nclient.name = 'a_b'";
        let config = Config::parse(config).unwrap();
        let package = Package::of(&config).unwrap();
        let version = concat!("openapi-client = \"", env!("CARGO_PKG_VERSION"), "\"\n");
        assert!(package.manifest(None).contains(version));
        let read = |runtime| -> toml::Table {
            package.manifest(Some(Path::new(runtime))).parse().unwrap()
        };
        assert_eq!(read("/x")["package"]["name"].as_str(), Some("a-b"));
        for (runtime, expected) in
            [("../openapi/runtime", "../../../openapi/client"), ("/open/runtime", "/open/client")]
        {
            let found = &read(runtime)["dependencies"]["openapi-client"]["path"];
            assert_eq!(found.as_str(), Some(expected));
        }
    }

    #[test]
    fn client_by_hand_or_inside_the_server_has_no_package() {
        for config in ["file = 'src/client.rs'", "file = 'a/src/b.rs'\nby-hand = true"] {
            let config = Config::parse(&format!("[client]\n{config}")).unwrap();
            assert!(Package::of(&config).is_none(), "{config:?}");
        }
    }
}
