//! The figures of the formulas and of the server of fixed times.
