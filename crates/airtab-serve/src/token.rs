// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The secret that whoever uses the server has: 192 random bits from the operating system, new at each start.
//!
//! What it does not do: it is never written anywhere but to whoever asks for the server's address.

use std::fmt;

/// A secret.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// The operating system has no random numbers.
    pub fn new() -> Result<Token, getrandom::Error> {
        let mut bits = [0; 24];
        getrandom::fill(&mut bits)?;
        Ok(Token(bits.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// As it is written into an address.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether a header `Authorization` has it. How long that takes says nothing of how much of it is right.
    pub fn is(&self, authorization: &str) -> bool {
        let Some((scheme, given)) = authorization.split_once(' ') else { return false };
        let (given, own) = (given.trim().as_bytes(), self.0.as_bytes());
        let differs = given.iter().zip(own).fold(0, |differs, (a, b)| differs | (a ^ b));
        scheme.eq_ignore_ascii_case("bearer") && given.len() == own.len() && differs == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_right() {
        let token = Token::new().unwrap();
        let text = token.text().to_string();
        assert_eq!(text.len(), 48);
        assert!(token.is(&format!("Bearer {text}")) && token.is(&format!("bearer  {text} ")));
        let mut other = text.clone();
        other.replace_range(47.., if text.ends_with('0') { "1" } else { "0" });
        for wrong in ["", "Bearer", "Bearer ", &text, &format!("Basic {text}"), &format!("Bearer {other}")] {
            assert!(!token.is(wrong), "{wrong}");
        }
        for wrong in [&text[..47], &format!("{text}0")] {
            assert!(!token.is(&format!("Bearer {wrong}")), "{wrong}");
        }
        assert_ne!(Token::new().unwrap().text(), text);
        assert_eq!(format!("{token:?}"), "Token(..)");
    }
}
