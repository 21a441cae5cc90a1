//! Signs requests as the specification Standard Webhooks 1.0 defines, so that receivers can check them with
//! a library of their language or with a few lines of their own.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The prefix of a secret that is written in base64.
const BASE64_PREFIX: &str = "whsec_";

/// Returns the signature of a request: `v1,` and the HMAC-SHA256 of `ID.TIMESTAMP.BODY` in base64. A secret
/// that begins with `whsec_` is the base64 of the key; any other secret is the key itself.
#[must_use]
pub fn signature(secret: &str, id: &str, timestamp: i64, body: &str) -> String {
    let mac = keyed(secret).chain_update(format!("{id}.{timestamp}.{body}"));
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// Returns an HMAC with the key of a secret.
pub(crate) fn keyed(secret: &str) -> Hmac<Sha256> {
    let decoded = secret.strip_prefix(BASE64_PREFIX).and_then(|text| STANDARD.decode(text).ok());
    let key = decoded.unwrap_or_else(|| secret.as_bytes().to_vec());
    // HMAC takes keys of any length (RFC 2104), so this never fails.
    Hmac::new_from_slice(&key).unwrap_or_else(|_| Hmac::new(&Default::default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_the_specification() {
        // The example of the specification, Standard Webhooks 1.0, section "Verifying signatures".
        let signed = signature(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn each_part_of_a_request_changes_its_signature() {
        let signed = signature("secret", "call_1", 1, "{}");
        for other in [
            signature("other", "call_1", 1, "{}"),
            signature("secret", "call_2", 1, "{}"),
            signature("secret", "call_1", 2, "{}"),
            signature("secret", "call_1", 1, "{ }"),
        ] {
            assert_ne!(other, signed);
        }
    }
}
