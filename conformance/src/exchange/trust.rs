//! Certificates of a PEM file that are trusted besides the system's, for a deployment with its own
//! authority.

use std::path::Path;

use rustls::{
    RootCertStore,
    pki_types::{
        CertificateDer,
        pem::{PemObject as _, SectionKind},
    },
};

use crate::toml_file;

/// The beginning of a certificate in such a file.
const BEGIN: &str = "-----BEGIN CERTIFICATE-----";

/// The certificates of a PEM file. Keys and other sections are ignored.
pub(crate) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let file = format!("the ca_file {}", path.display());
    let no_pem = |what: &str| {
        format!(
            "{file} is not PEM: {what}. A certificate in PEM form begins with {BEGIN}; openssl \
             x509 -inform der -in FILE makes one of the binary form"
        )
    };
    let pem = toml_file::read_text(path).map_err(|error| {
        format!(
            "{file} cannot be read: {error}. Put the authority's certificates there in PEM form, \
             or remove ca_file from [tls]"
        )
    })?;
    let mut certificates = Vec::new();
    let mut others = Vec::new();
    for section in <(SectionKind, Vec<u8>)>::pem_slice_iter(pem.as_bytes()) {
        let (kind, der) = section.map_err(|error| no_pem(&error.to_string()))?;
        if kind == SectionKind::Certificate {
            certificates.push(CertificateDer::from(der));
        } else {
            others.push(format!("{kind:?}"));
        }
    }
    if certificates.is_empty() && others.is_empty() {
        return Err(no_pem("it contains no PEM section"));
    }
    if certificates.is_empty() {
        return Err(format!(
            "{file} contains no certificate, but {}. Name the file with the authority's \
             certificates, which begin with {BEGIN}",
            others.join(", ")
        ));
    }
    let mut store = RootCertStore::empty();
    for (index, certificate) in certificates.iter().enumerate() {
        store.add(certificate.clone()).map_err(|error| {
            let number = index + 1;
            format!("certificate {number} of {file} cannot be used: {error}. Remove or replace it")
        })?;
    }
    Ok(certificates)
}

#[cfg(test)]
mod tests;
