//! `mmafft-lab report`: what `mmafft bench` measured, as one page or as Markdown tables.

mod markdown;
mod page;
mod tables;

use crate::rows::{self, Table};
use clap::{ArgGroup, Args};
use mmafft_cli::rows::Row;
use mmafft_cli::{files, out, Failure};
use std::path::PathBuf;

/// Arguments of `mmafft-lab report`.
#[derive(Args)]
#[command(group(ArgGroup::new("results").required(true).multiple(true)))]
pub struct Arguments {
    /// Tables of `mmafft bench --csv`; of a case that is in several, the last counts
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The page to be written: one HTML file that needs nothing else
    #[arg(short, long, group = "results")]
    output: Option<PathBuf>,
    /// Print tables in Markdown
    #[arg(long, group = "results")]
    markdown: bool,
}

/// What was measured on one device beside one peer.
struct Section {
    device: String,
    driver: String,
    backend: String,
    peer: String,
    rows: Vec<Row>,
}

/// Writes the page, and prints the tables.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    files::check(&arguments.files, &arguments.output)?;
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
    let sections = sections(rows);
    if arguments.markdown {
        out!("{}", markdown::tables(&sections));
    }
    if let Some(path) = &arguments.output {
        let page = page::page(&sections, &notes);
        files::save_text(path, &page)?;
    }
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
