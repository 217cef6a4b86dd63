//! How far two readers agree about the places that both judged.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_reports::statistics::{Cluster, Kappa, Share};

use crate::replay::labels::{Label, Point};

/// What one reader judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The reader's name.
    pub reader: String,
    /// The judged places.
    pub points: Vec<Point>,
}

/// How far two readers agree. All three labels count as categories; weights do not count, since the question is about
/// the readers, not about the pool.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// The names of the readers.
    pub readers: [String; 2],
    /// How many places the first reader gave the label of the row, and the second that of the column.
    pub table: [[u64; Label::ALL.len()]; Label::ALL.len()],
    /// The places with the same label, of those that both judged. The run is the unit of the interval.
    pub same: Share,
    /// The same, beyond chance.
    pub kappa: Kappa,
    /// The places where they differ, in the order of the first reader.
    pub apart: Vec<[Point; 2]>,
    /// The places that only one of them judged.
    pub alone: [Vec<Point>; 2],
}

/// What a place is known by.
type Id = (Arc<str>, usize);

impl Agreement {
    /// The agreement of these two.
    #[must_use]
    pub fn new(one: Side, other: Side) -> Self {
        let id = |point: &Point| -> Id { (point.trajectory.clone(), point.message) };
        let mut others: BTreeMap<Id, Point> = other.points.iter().map(|it| (id(it), it.clone())).collect();
        let mut table = [[0; Label::ALL.len()]; Label::ALL.len()];
        let mut runs: BTreeMap<Arc<str>, Cluster> = BTreeMap::new();
        let (mut apart, mut alone) = (Vec::new(), [Vec::new(), Vec::new()]);
        for first in one.points {
            let Some(second) = others.remove(&id(&first)) else {
                alone[0].push(first);
                continue;
            };
            let is_same = first.label == second.label;
            let run = runs.entry(first.trajectory.clone()).or_default();
            run.count += u64::from(is_same);
            run.of += 1;
            table[first.label as usize][second.label as usize] += 1;
            if !is_same {
                apart.push([first, second]);
            }
        }
        alone[1] = other.points.into_iter().filter(|it| others.contains_key(&id(it))).collect();
        let same = Share::of_clusters(&runs.into_values().collect::<Vec<_>>());
        let kappa = Kappa::new(&table, &same);
        Self { readers: [one.reader, other.reader], table, same, kappa, apart, alone }
    }
}
