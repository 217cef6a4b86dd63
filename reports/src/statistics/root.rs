//! Where a condition turns over, found by halving.

/// Where `below`, true from 0 up to some number of at most 1, becomes false: the interval is halved until it
/// holds no other number, so the answer does not depend on a tolerance.
pub(super) fn root(below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if below(middle) { low = middle } else { high = middle }
    }
}
