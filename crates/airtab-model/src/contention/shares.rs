// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Why uploads beat downloads, as a rule of thumb (Starzetz 2006, 7.1): M uploading stations and the access point get
//! a turn each, an upload 1/(M+1) of the capacity, and a download, whose data and ACKs both need turns,
//! (1/(M+1))^2.
//!
//! What it does not do: it is no model. It ignores how many downloads there are, so that shares need not sum to 1, and
//! with a DropTail queue downloads get far less.

use super::ContentionError;

/// Shares of the capacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Of each upload.
    pub upload: f64,
    /// Of each download.
    pub download: f64,
}

impl Shares {
    /// What an upload gets over what a download gets: M + 1.
    pub fn ratio(&self) -> f64 {
        self.upload / self.download
    }

    /// What each flow has.
    pub fn flows(&self, uploads: u32, downloads: u32) -> Vec<f64> {
        let of = |n: u32, share: f64| std::iter::repeat_n(share, n as usize);
        of(uploads, self.upload).chain(of(downloads, self.download)).collect()
    }
}

/// Of `uploads` stations that upload beside `downloads` that download.
///
/// # Errors
/// Neither of them is there.
pub fn shares(uploads: u32, downloads: u32) -> Result<Shares, ContentionError> {
    if uploads == 0 && downloads == 0 {
        return Err(ContentionError::NoFlows);
    }
    let upload = 1.0 / (f64::from(uploads) + 1.0);
    Ok(Shares { upload, download: upload * upload })
}
