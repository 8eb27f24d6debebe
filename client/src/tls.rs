//! TLS by rustls with the system's certificates. The process needs no default provider of
//! cryptography.

use rustls::ClientConfig;

use crate::BuildError;

/// The configuration; `None` without either feature, where plain HTTP works.
#[cfg(not(any(feature = "tls", feature = "tls-ring")))]
pub(crate) fn of_system(is_required: bool) -> Result<Option<ClientConfig>, BuildError> {
    let help = "enable the feature `tls` or `tls-ring`, or pass a configuration to `tls`";
    let problem = format!("this build has no cryptography; {help}");
    if is_required { Err(BuildError::Tls(problem)) } else { Ok(None) }
}

#[cfg(any(feature = "tls", feature = "tls-ring"))]
pub(crate) fn of_system(is_required: bool) -> Result<Option<ClientConfig>, BuildError> {
    use rustls_platform_verifier::BuilderVerifierExt as _;

    // If both features are on, the older implementation serves.
    #[cfg(feature = "tls-ring")]
    let provider = rustls::crypto::ring::default_provider();
    #[cfg(not(feature = "tls-ring"))]
    let provider = match graviola::unsupported() {
        Some(problem) if is_required => return Err(BuildError::Tls(problem)),
        _ => rustls_graviola::default_provider(),
    };
    let failed = |error: rustls::Error| {
        let help = "install the system's certificates (the package `ca-certificates`)";
        BuildError::Tls(format!("{error}; {help}"))
    };
    let versioned = ClientConfig::builder_with_provider(std::sync::Arc::new(provider))
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let verified = match versioned.clone().with_platform_verifier() {
        Ok(verified) => verified,
        Err(error) if is_required => return Err(failed(error)),
        // Plain HTTP must work on a system without certificates; requests to `https://` then fail.
        Err(_) => versioned.with_root_certificates(rustls::RootCertStore::empty()),
    };
    Ok(Some(verified.with_no_client_auth()))
}

/// graviola panics in its first handshake on a processor that it does not support.
#[cfg(all(feature = "tls", not(feature = "tls-ring")))]
mod graviola {
    macro_rules! detected {
        ($detect:ident: $($feature:tt)*) => {
            [$(($feature, std::arch::$detect!($feature)),)*]
        };
    }

    /// Why the processor is not supported.
    pub(super) fn unsupported() -> Option<String> {
        #[cfg(target_arch = "x86_64")]
        let features =
            detected!(is_x86_feature_detected: "aes" "pclmulqdq" "avx2" "bmi1" "bmi2" "adx");
        #[cfg(target_arch = "aarch64")]
        let features = detected!(is_aarch64_feature_detected: "neon" "aes" "pmull" "sha2");
        lacking(&features)
    }

    fn lacking(features: &[(&str, bool)]) -> Option<String> {
        let lacking: Vec<_> =
            features.iter().filter(|(_, found)| !found).map(|(name, _)| *name).collect();
        let names = lacking.join(", ");
        let help = "use the feature `tls-ring` of payout-client";
        (!lacking.is_empty()).then(|| format!("the processor lacks {names}; {help}"))
    }

    #[cfg(test)]
    mod tests {
        use super::lacking;

        #[test]
        fn lacking_features_are_named_with_the_way_out() {
            assert_eq!(lacking(&[("aes", true), ("adx", true)]), None);
            let problem = lacking(&[("aes", true), ("avx2", false), ("adx", false)]).unwrap();
            assert!(problem.starts_with("the processor lacks avx2, adx; "), "{problem}");
            assert!(problem.contains("`tls-ring`"), "{problem}");
        }
    }
}
