//! One partner (§2.1, §4.2, §4.3): read by both ids, and changed field by field. What a case
//! changes it locks and restores.

pub(super) mod change;
mod concurrent;
pub(super) mod ids;
pub(super) mod read;
pub(super) mod references;
pub(super) mod rejections;
pub(super) mod shape;
pub(super) mod text;
pub(super) mod unchanged;
