// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tokens of Rust source, as `proc-macro2` lexes them.
//!
//! Comments, doc comments (`#[doc ...]`), white space and modules under `#[cfg(test)]` are left out: none of them is in a
//! program. Limits: `> >` and `>>` are different tokens, also at the end of generic arguments. A trailing comma is
//! a token; rustfmt adds and removes them.

use proc_macro2::{Delimiter, LexError, Spacing, TokenStream, TokenTree};

/// Punctuation of several characters, longest first.
const LONG: &[&str] = &[
    "<<=", ">>=", "...", "..=", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "^=", "&=", "|=", "<<", ">>", "..",
];

/// Calls `each` with every token of `text`. Returns the names of its test modules that are files of their own.
///
/// # Errors
/// `text` is not Rust.
pub(crate) fn tokens(text: &str, each: &mut dyn FnMut(&str)) -> Result<Vec<String>, LexError> {
    let mut tests = Vec::new();
    walk(text.parse()?, each, &mut tests);
    Ok(tests)
}

fn walk(stream: TokenStream, each: &mut dyn FnMut(&str), tests: &mut Vec<String>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut rest = &trees[..];
    while let [first, after @ ..] = rest {
        if let Some(left) = without_doc(rest).or_else(|| without_tests(rest, tests)) {
            rest = left;
            continue;
        }
        rest = after;
        match first {
            TokenTree::Ident(ident) => each(&ident.to_string()),
            TokenTree::Literal(literal) => each(&literal.to_string()),
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                each(open);
                walk(group.stream(), each, tests);
                each(close);
            }
            TokenTree::Punct(punct) => {
                let mut run = String::from(punct.as_char());
                let mut spacing = punct.spacing();
                while let (Spacing::Joint, [TokenTree::Punct(next), left @ ..]) = (spacing, rest) {
                    run.push(next.as_char());
                    spacing = next.spacing();
                    rest = left;
                }
                split(&run, each);
            }
        }
    }
}

/// Splits a run of punctuation into tokens, at each place the longest.
fn split(mut run: &str, each: &mut dyn FnMut(&str)) {
    while let Some(first) = run.chars().next() {
        let long = LONG.iter().find(|token| run.starts_with(**token));
        let (token, rest) = run.split_at(long.map_or(first.len_utf8(), |token| token.len()));
        each(token);
        run = rest;
    }
}

/// The tokens after the doc attribute with which `trees` begin.
fn without_doc(trees: &[TokenTree]) -> Option<&[TokenTree]> {
    let (attribute, rest) = attribute(trees)?;
    let first = attribute.into_iter().next()?;
    matches!(first, TokenTree::Ident(name) if name == "doc").then_some(rest)
}

/// The tokens after the module under `#[cfg(test)]` with which `trees` begin; adds its name to `tests` if it is a file of
/// its own.
fn without_tests<'a>(trees: &'a [TokenTree], tests: &mut Vec<String>) -> Option<&'a [TokenTree]> {
    let (found, mut rest) = attribute(trees)?;
    if found.to_string().replace(' ', "") != "cfg(test)" {
        return None;
    }
    while let Some((_, left)) = attribute(rest) {
        rest = left;
    }
    match rest {
        [TokenTree::Ident(keyword), TokenTree::Ident(_), TokenTree::Group(_), rest @ ..]
            if keyword == "mod" =>
        {
            Some(rest)
        }
        [TokenTree::Ident(keyword), TokenTree::Ident(name), TokenTree::Punct(end), rest @ ..]
            if keyword == "mod" && end.as_char() == ';' =>
        {
            tests.push(name.to_string());
            Some(rest)
        }
        _ => None,
    }
}

/// Content of the attribute `#[...]` or `#![...]` with which `trees` begin, and the tokens after it.
fn attribute(trees: &[TokenTree]) -> Option<(TokenStream, &[TokenTree])> {
    let is = |tree: &TokenTree, c: char| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == c);
    let rest = match trees {
        [hash, bang, rest @ ..] if is(hash, '#') && is(bang, '!') => rest,
        [hash, rest @ ..] if is(hash, '#') => rest,
        _ => return None,
    };
    match rest {
        [TokenTree::Group(group), rest @ ..] if group.delimiter() == Delimiter::Bracket => {
            Some((group.stream(), rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    fn tokens(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        super::tokens(text, &mut |token| all.push(token.into())).unwrap();
        all
    }

    #[test]
    fn comments_and_white_space_are_no_tokens() {
        let plain = tokens(
            "pub fn x<'a>(a: &'a [u8]) -> u64 { if a[0] == b'\\'' && *a != [] { 1.50e3 as u64 } else { 0x1f } }",
        );
        let written = "//! A crate.\n#![doc = \"more\"]\n/// It adds.\n#[doc(alias = \"y\")]\npub /* a /* b */ c */ fn x < 'a >\n\
                       (a : & 'a[u8])->u64{ // to the end\n if a [0]==b'\\''&&*a!=[]{1.50e3 as u64}else{0x1f} }\n\
                       #[cfg(test)] #[allow(x)] mod tests { fn y() {} }\n";
        assert_eq!(tokens(written), plain);
    }

    #[test]
    fn each_part_of_the_code_is_a_token() {
        let code = "#[cfg(test)] fn x() { let s = \"a // b\"; s + 1 }";
        for other in [
            "#[cfg(test)] fn x() { let s = \"a //  b\"; s + 1 }",
            "#[cfg(test)] fn x() { let s = \"a // b\"; s + 2 }",
            "#[cfg(test)] fn x() { let s = \"a // b\"; s - 1 }",
            "#[cfg(all())] fn x() { let s = \"a // b\"; s + 1 }",
            "#[cfg(test)] fn x() { let s = (\"a // b\"); s + 1 }",
        ] {
            assert_ne!(tokens(code), tokens(other));
        }
        assert_ne!(tokens("a < - b"), tokens("a <- b - c"));
        assert_eq!(tokens("x=-1"), ["x", "=", "-", "1"]);
        let mut all = 0;
        let tests = super::tokens("#[cfg(test)] mod a; mod b; #[cfg(test)] mod c {}", &mut |_| all += 1);
        assert_eq!((tests.unwrap(), all), (vec!["a".to_string()], 3), "test modules are no tokens");
    }
}
