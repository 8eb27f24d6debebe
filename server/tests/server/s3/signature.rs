//! A second implementation of the signature of S3 links, so that a test can make a link of another
//! time. A test compares it with the links of our client.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::server::{ACCESS_KEY_ID, SECRET_ACCESS_KEY};

/// Signs a link as of another time (AWS signature, version 4, in the query).
pub fn signed(url: &str, at: chrono::DateTime<chrono::Utc>) -> String {
    let (day, time) = (at.format("%Y%m%d").to_string(), at.format("%Y%m%dT%H%M%SZ").to_string());
    let (address, query) = url.split_once('?').unwrap();
    let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let parts = query.split('&').filter(|part| !part.starts_with("X-Amz-Signature="));
    let parts: Vec<String> = parts
        .map(|part| match part.split_once('=').unwrap().0 {
            "X-Amz-Date" => format!("X-Amz-Date={time}"),
            "X-Amz-Credential" => {
                format!("X-Amz-Credential={ACCESS_KEY_ID}%2F{day}%2Fus-east-1%2Fs3%2Faws4_request")
            }
            _ => part.to_owned(),
        })
        .collect();
    let mut sorted = parts.clone();
    sorted.sort();
    let request =
        format!("GET\n/{path}\n{}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD", sorted.join("&"));
    let message = format!(
        "AWS4-HMAC-SHA256\n{time}\n{day}/us-east-1/s3/aws4_request\n{}",
        hexadecimal(&Sha256::digest(request))
    );
    let mut secret = format!("AWS4{SECRET_ACCESS_KEY}").into_bytes();
    for part in [&day, "us-east-1", "s3", "aws4_request", &message] {
        let mut code = Hmac::<Sha256>::new_from_slice(&secret).unwrap();
        code.update(part.as_bytes());
        secret = code.finalize().into_bytes().to_vec();
    }
    format!("{address}?{}&X-Amz-Signature={}", parts.join("&"), hexadecimal(&secret))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
