//! How magnitudes lie along an axis, or along colours.

use super::axis::{linear_ticks, log_ticks, Tick};

/// The axis of magnitudes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Scale {
    /// In proportion.
    Linear,
    /// Their logarithms, with powers of ten at the ticks.
    Log,
    /// In decibels: 20 times the logarithm to base 10.
    Db,
}

impl Scale {
    /// A magnitude's coordinate; that of zero may be below all others.
    pub(super) fn coordinate(self, magnitude: f64) -> f64 {
        match self.decade() {
            Some(decade) => decade * magnitude.log10(),
            None => magnitude,
        }
    }

    /// What a factor of ten is on the axis, if it is the same everywhere.
    pub(super) fn decade(self) -> Option<f64> {
        match self {
            Self::Linear => None,
            Self::Log => Some(1.0),
            Self::Db => Some(20.0),
        }
    }

    /// Ticks between two coordinates.
    pub(super) fn ticks(self, low: f64, high: f64) -> Vec<Tick> {
        match self {
            Self::Log => log_ticks(low, high, 8.0),
            Self::Linear | Self::Db => linear_ticks(low, high, 7.0),
        }
    }
}
