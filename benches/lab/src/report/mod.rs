//! `mmafft-lab report`: what `mmafft bench` measured, as one page. Tables in Markdown are made by benches/performance.py.

mod page;
mod tables;

use crate::rows::{self, Table};
use clap::Args;
use mmafft_cli::rows::Row;
use mmafft_cli::{files, Failure};
use std::path::PathBuf;

/// Arguments of `mmafft-lab report`.
#[derive(Args)]
pub struct Arguments {
    /// Tables of `mmafft bench --csv`; of a case that is in several, the last counts
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The page to be written: one HTML file that needs nothing else
    #[arg(short, long)]
    output: PathBuf,
}

/// What was measured on one device beside one peer.
struct Section {
    device: String,
    driver: String,
    backend: String,
    peer: String,
    rows: Vec<Row>,
}

/// Writes the page.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    files::check(&arguments.files, [&arguments.output])?;
    let mut notes = Vec::new();
    let mut rows = Vec::new();
    for path in &arguments.files {
        let Table {
            notes: of,
            rows: more,
        } = rows::read(path)?;
        if more.is_empty() {
            return Err(format!("{}, line 2: no rows", path.display()).into());
        }
        let name = path.file_name().unwrap_or(path.as_os_str());
        notes.push((name.to_string_lossy().into_owned(), of));
        rows.extend(more);
    }
    let page = page::page(&sections(rows), &notes);
    files::save_text(&arguments.output, &page)?;
    Ok(())
}

/// Rows by device and peer, in the order in which they come; the last of each case.
fn sections(rows: Vec<Row>) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for row in rows {
        let at = sections.iter().position(|s| {
            (&s.device, &s.driver, &s.backend, &s.peer)
                == (&row.device, &row.driver, &row.backend, &row.peer)
        });
        let at = at.unwrap_or_else(|| {
            sections.push(Section {
                device: row.device.clone(),
                driver: row.driver.clone(),
                backend: row.backend.clone(),
                peer: row.peer.clone(),
                rows: Vec::new(),
            });
            sections.len() - 1
        });
        let of = &mut sections[at].rows;
        let same = |other: &&mut Row| {
            (&other.class, &other.kind, &other.precision, &other.shape)
                == (&row.class, &row.kind, &row.precision, &row.shape)
                && (other.batch, &other.placement, &other.nonzero)
                    == (row.batch, &row.placement, &row.nonzero)
        };
        match of.iter_mut().find(same) {
            Some(earlier) => *earlier = row,
            None => of.push(row),
        }
    }
    sections
}

#[cfg(test)]
mod tests;
