// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tokens of C11 source before preprocessing (translation phases 1 to 3).
//!
//! Comments and white space are left out. Two exceptions are tokens, because C reads them: the end of a preprocessor
//! directive, and the missing space between the name of a macro and its parameters. Limits: no digraphs, no trigraphs.

/// Punctuation of several characters, longest first.
const LONG: &[&str] = &[
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "&=", "^=", "|=", "##",
];
/// Prefixes of string and character literals.
const PREFIXES: [&str; 4] = ["L", "U", "u", "u8"];

/// Calls `each` with every token of `text`.
///
/// # Errors
/// A comment or a literal has no end.
pub(crate) fn tokens(text: &str, each: &mut dyn FnMut(&str)) -> Result<(), String> {
    let spliced = text.replace("\r\n", "\n").replace("\\\n", "");
    let mut rest = spliced.as_str();
    // Words of the directive so far: `#`, `define`; None outside of one.
    let mut directive: Option<Vec<&str>> = None;
    let mut line_begins = true;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("/*") {
            let end = after.find("*/").ok_or_else(|| format!("comment without */: /*{}", line(after)))?;
            rest = &after[end + 2..];
            continue;
        }
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            continue;
        }
        if c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
            if c == '\n' {
                line_begins = true;
                if directive.take().is_some() {
                    each("\n");
                }
            }
            continue;
        }
        let begins = std::mem::take(&mut line_begins);
        let words = directive.as_deref();
        let length = if words == Some(&["#", "include"]) && c == '<' {
            let end = rest.find(['>', '\n']).unwrap_or(rest.len());
            end + usize::from(rest[end..].starts_with('>'))
        } else {
            length(rest)?
        };
        let token = &rest[..length];
        rest = &rest[length..];
        each(token);
        match &mut directive {
            None if begins && token == "#" => directive = Some(vec!["#"]),
            Some(words) => {
                words.push(token);
                // `#define F(x)` has a parameter, `#define F (x)` has none.
                if words.len() == 3 && words[1] == "define" && rest.starts_with('(') {
                    each("of");
                }
            }
            None => {}
        }
    }
    if directive.is_some() {
        each("\n");
    }
    Ok(())
}

fn line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Bytes of the token with which `text` begins.
fn length(text: &str) -> Result<usize, String> {
    let run = |more: fn(char) -> bool| text.find(|c| !more(c)).unwrap_or(text.len());
    let first = text.chars().next().expect("not at the end");
    let second = text[first.len_utf8()..].chars().next();
    if first.is_ascii_digit() || (first == '.' && second.is_some_and(|c| c.is_ascii_digit())) {
        return Ok(number(text));
    }
    if first.is_alphabetic() || first == '_' || first == '$' {
        let word = run(|c| c.is_alphanumeric() || c == '_' || c == '$');
        let literal = PREFIXES.contains(&&text[..word]) && text[word..].starts_with(['"', '\'']);
        return Ok(if literal { word + quoted(&text[word..])? } else { word });
    }
    if first == '"' || first == '\'' {
        return quoted(text);
    }
    let long = LONG.iter().find(|token| text.starts_with(**token));
    Ok(long.map_or(first.len_utf8(), |token| token.len()))
}

/// Bytes of a preprocessing number: `0x1p-3`, `1.5e+3f`.
fn number(text: &str) -> usize {
    let mut before = ' ';
    let ends = |c: char| {
        let sign = "+-".contains(c) && "eEpP".contains(before);
        before = c;
        !(c.is_alphanumeric() || c == '_' || c == '.' || sign)
    };
    text.find(ends).unwrap_or(text.len())
}

/// Bytes of a string or character literal.
fn quoted(text: &str) -> Result<usize, String> {
    let quote = text.chars().next().expect("it begins with a quotation mark");
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => break,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Ok(at + 1),
            _ => {}
        }
    }
    Err(format!("literal without an end: {}", line(text)))
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
        let plain = "#include <a/b.h>\n#define F(x) ((x) + 1)\n#define G (x)\nint f(void) { return F(0x1p-3)+ +1; }\n";
        let written = "/* a */ # include <a/b.h> // it\r\n#define F(x) /* of\n x */ ((x)+\\\n  1)\n  #  define G\t(x)\n\n\
                       int f ( void )\n{\n\treturn F( 0x1p-3 ) + + 1 ; /**/\n}";
        assert_eq!(tokens(written), tokens(plain));
    }

    #[test]
    fn tokens_of_each_kind() {
        assert_eq!(tokens("a+++b->c<<=1.5e+3f"), ["a", "++", "+", "b", "->", "c", "<<=", "1.5e+3f"]);
        assert_eq!(tokens("L\"a\\\"/*\" '\\'' u8\"//\""), ["L\"a\\\"/*\"", "'\\''", "u8\"//\""]);
        assert_eq!(tokens("#define A \\\n 1\nb"), ["#", "define", "A", "1", "\n", "b"]);
        assert_eq!(tokens("a #b"), ["a", "#", "b"], "not at the beginning of a line");
        assert_eq!(tokens("f(...) .5 a.b"), ["f", "(", "...", ")", ".5", "a", ".", "b"]);
        assert_eq!(tokens("#include <sys//a.h>\nx>y"), ["#", "include", "<sys//a.h>", "\n", "x", ">", "y"]);
    }

    #[test]
    fn white_space_that_c_reads_makes_a_difference() {
        for (one, other) in [
            ("#define F(x) x\n", "#define F (x) x\n"),
            ("#define A 1\nb\n", "#define A 1 b\n"),
            ("a++ + b", "a + ++b"),
            ("\"a b\"", "\"a  b\""),
            ("intx", "int x"),
        ] {
            assert_ne!(tokens(one), tokens(other), "{one}");
        }
    }

    #[test]
    fn what_has_no_end_is_an_error() {
        for (text, message) in
            [("a /* b\nc", "comment without */: /* b"), ("x = \"b\n\";", "literal without an end: \"b")]
        {
            assert_eq!(super::tokens(text, &mut |_| ()), Err(message.into()));
        }
    }
}
