//! Certificates of a PEM file that are trusted besides the system's, for a deployment with its own
//! authority.

use std::path::{Path, PathBuf};

use rustls::{
    RootCertStore,
    pki_types::{
        CertificateDer,
        pem::{PemObject as _, SectionKind},
    },
};

/// More than all public authorities together.
const FILE_LIMIT_BYTES: u64 = 4 * 1024 * 1024;
/// The beginning of a certificate in such a file.
const BEGIN: &str = "-----BEGIN CERTIFICATE-----";

#[derive(Debug, thiserror::Error)]
pub(crate) enum TrustError {
    #[error("the ca_file {path} cannot be read: {source}. Put the authority's certificates there in PEM form, or remove ca_file from [tls]", path = path.display())]
    Unreadable {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("the ca_file {path} is not PEM: {what}. A certificate in PEM form begins with {BEGIN}; openssl x509 -inform der -in FILE makes one of the binary form", path = path.display())]
    NoPem { path: PathBuf, what: String },
    #[error("the ca_file {path} contains no certificate, but {found}. Name the file with the authority's certificates, which begin with {BEGIN}", path = path.display())]
    NoCertificate { path: PathBuf, found: String },
    #[error("certificate {number} of the ca_file {path} cannot be used: {source}. Remove or replace it", path = path.display())]
    Broken {
        path: PathBuf,
        /// Counted from 1.
        number: usize,
        source: rustls::Error,
    },
}

/// The certificates of a PEM file. Keys and other sections are ignored.
pub(crate) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TrustError> {
    let pem = read(path).map_err(|source| TrustError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let mut certificates = Vec::new();
    let mut others = Vec::new();
    for section in <(SectionKind, Vec<u8>)>::pem_slice_iter(&pem) {
        let (kind, der) = section.map_err(|error| no_pem(path, &error.to_string()))?;
        if kind == SectionKind::Certificate {
            certificates.push(CertificateDer::from(der));
        } else {
            others.push(format!("{kind:?}"));
        }
    }
    if certificates.is_empty() && others.is_empty() {
        return Err(no_pem(path, "it contains no PEM section"));
    }
    if certificates.is_empty() {
        return Err(TrustError::NoCertificate {
            path: path.to_owned(),
            found: others.join(", "),
        });
    }
    let mut store = RootCertStore::empty();
    for (index, certificate) in certificates.iter().enumerate() {
        let added = store.add(certificate.clone());
        added.map_err(|source| TrustError::Broken {
            path: path.to_owned(),
            number: index + 1,
            source,
        })?;
    }
    Ok(certificates)
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;

    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    file.take(FILE_LIMIT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_LIMIT_BYTES {
        let what = format!("it has more than {FILE_LIMIT_BYTES} bytes");
        return Err(std::io::Error::other(what));
    }
    Ok(bytes)
}

fn no_pem(path: &Path, what: &str) -> TrustError {
    TrustError::NoPem {
        path: path.to_owned(),
        what: what.to_owned(),
    }
}

#[cfg(test)]
mod tests;
