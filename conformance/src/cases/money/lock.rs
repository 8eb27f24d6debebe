//! One run at a time where hooks change something: the PO number of the fixture `payout_noted` is the mark that all runs
//! see, and the holder of the mark alone changes notes, templates, uploads and names.
//!
//! It refuses to trust that nobody else came: whoever finds another's mark at the end forgets what it saw, and tries again.

use std::time::{Duration, Instant};

use super::payout;
use crate::{
    case::{CaseContext, CaseOutcome, Running},
    exchange::Response,
    target::{Fixture, Hook},
};

/// What every case needs that holds a lease, besides its own hooks.
pub(in crate::cases) const HOOKS: [Hook; 2] = [Hook::SetPoNumber, Hook::ClearPoNumber];
/// How everything begins that a run writes for a while.
const MARK: &str = "conformance-";
/// How often a lease is tried.
const TRIES: usize = 4;
/// How often a payout is looked at that another run holds: for half a minute.
const LOOKS: usize = 100;
const BETWEEN_LOOKS: Duration = Duration::from_millis(300);
const DRAWN_BYTES: usize = 6;

/// The lease.
#[derive(Debug)]
pub(in crate::cases) struct Lease {
    payout: String,
    before: Option<String>,
    mark: String,
}

/// `leased!(name)`: the async function `name(&mut CaseContext, &mut Lease)` for [`hold`].
macro_rules! leased {
    ($name:ident) => {
        |context, lease| Box::pin($name(context, lease))
    };
}
pub(in crate::cases) use leased;

/// `calm!(name)`: the async function `name(&mut CaseContext)` by [`calmly`], as a case's `run`.
macro_rules! calm {
    ($name:ident) => {
        |context| {
            Box::pin($crate::cases::money::lease::calmly(context, |context| {
                Box::pin($name(context))
            }))
        }
    };
}
pub(in crate::cases) use calm;

/// Text that no other run writes, and that says whose it is.
pub(in crate::cases) fn marked() -> String {
    let mut drawn = [0_u8; DRAWN_BYTES];
    // Without randomness two runs may meet at one text; the process id keeps apart those of one machine.
    if getrandom::fill(&mut drawn).is_err() {
        drawn[..4].copy_from_slice(&std::process::id().to_be_bytes());
    }
    format!("{MARK}{}", hex::encode(drawn))
}

/// Whether a run wrote this for a while.
pub(in crate::cases) fn is_marked(text: &str) -> bool {
    text.contains(MARK)
}

/// That nobody is changing what this text belongs to.
///
/// # Errors
/// Skipped: a run is, or was ended before it could restore it.
pub(in crate::cases) fn unmarked(name: &str, text: &str) -> Result<(), CaseOutcome> {
    if is_marked(text) {
        return Err(CaseOutcome::missing(format!(
            "a {name} that no other run is changing: {text:?} was written by one; if none is under way, restore it by hand"
        )));
    }
    Ok(())
}

/// Runs a case while no other run changes anything by hooks.
///
/// # Errors
/// Those of the case; or skipped: others held the lease all the time.
pub(in crate::cases) async fn hold<F>(
    context: &mut CaseContext<'_>,
    run: F,
) -> Result<(), CaseOutcome>
where
    F: for<'context> Fn(&'context mut CaseContext<'_>, &'context mut Lease) -> Running<'context>,
{
    for _ in 0..TRIES {
        let mut lease = Lease::take(context).await?;
        context.begin_snapshots();
        let outcome = run(context, &mut lease).await;
        if lease.release(context).await? {
            return outcome;
        }
    }
    Err(busy())
}

/// Whether the target has what a lease needs.
pub(in crate::cases) fn may_hold(context: &CaseContext<'_>) -> bool {
    HOOKS
        .iter()
        .all(|hook| context.deployment().hooks.has(*hook))
        && context.deployment().fixture(Fixture::PayoutNoted).is_some()
}

/// Runs a case about what stays the same. Where it fails, another run may have changed something meanwhile: it is
/// looked at once more under a lease, where the target has hooks for one.
///
/// # Errors
/// Those of the case.
pub(in crate::cases) async fn calmly(
    context: &mut CaseContext<'_>,
    run: for<'context> fn(&'context mut CaseContext<'_>) -> Running<'context>,
) -> Result<(), CaseOutcome> {
    let outcome = run(context).await;
    let outcome = outcome.and_then(|()| context.judge_snapshots());
    if !matches!(outcome, Err(CaseOutcome::Failed(_))) || !may_hold(context) {
        return outcome;
    }
    for _ in 0..TRIES {
        let lease = Lease::take(context).await?;
        context.begin_snapshots();
        let outcome = run(context).await;
        if lease.release(context).await? {
            return outcome;
        }
    }
    outcome
}

/// A payout that no run is changing now.
///
/// # Errors
/// Skipped: one is for half a minute, or was ended before it could restore it.
pub(in crate::cases) async fn quiet_payout(
    context: &mut CaseContext<'_>,
    id: &str,
) -> Result<Response, CaseOutcome> {
    for _ in 0..LOOKS {
        let response = context.send(payout(context, id)?).await?;
        let is_taken = ["/data/poNumber", "/data/metadata/statementNote"]
            .iter()
            .any(|pointer| is_marked(response.text(pointer)));
        if !is_taken {
            return Ok(response);
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    Err(busy())
}

/// Gives a payout this note; for the holder of a lease.
///
/// # Errors
/// The hook failed.
pub(in crate::cases) async fn set_note(
    context: &mut CaseContext<'_>,
    payout: &str,
    note: &str,
) -> Result<(), CaseOutcome> {
    let values = [("payout", payout), ("note", note)];
    context.operate(Hook::SetNote, &values).await?;
    Ok(())
}

/// Gives a payout the note back that it had, if any.
///
/// # Errors
/// The hook failed: the note stays.
pub(in crate::cases) async fn restore_note(
    context: &mut CaseContext<'_>,
    payout: &str,
    note: Option<&str>,
) -> Result<(), CaseOutcome> {
    match note {
        Some(note) => set_note(context, payout, note).await,
        None => {
            let values = [("payout", payout)];
            context.operate(Hook::ClearNote, &values).await?;
            Ok(())
        }
    }
}

fn busy() -> CaseOutcome {
    CaseOutcome::missing(format!(
        "a payout_noted that no other run is changing; if none is under way, one was ended: restore by hand what begins with {MARK:?}"
    ))
}

impl Lease {
    /// The payout.
    pub(in crate::cases) fn payout(&self) -> &str {
        &self.payout
    }

    /// Its PO number now.
    pub(in crate::cases) fn po_number(&self) -> &str {
        &self.mark
    }

    /// Takes it, as soon as nobody else has it.
    ///
    /// # Errors
    /// Others have it all the time; a hook failed, or did nothing.
    pub(in crate::cases) async fn take(context: &mut CaseContext<'_>) -> Result<Self, CaseOutcome> {
        let payout = context.fixture(Fixture::PayoutNoted)?;
        let mut last = None;
        for _ in 0..TRIES {
            let before = quiet_payout(context, &payout).await?;
            before.is(200)?;
            let mut lease = Self {
                before: before.at("/data/poNumber").as_str().map(str::to_owned),
                payout: payout.clone(),
                mark: String::new(),
            };
            let begun = Instant::now();
            lease.mark(context).await?;
            // Another run may have looked before this mark was seen, and write its own now: it needs about as long for it
            // as this one did. Of all that wrote the last one has the lease.
            tokio::time::sleep(begun.elapsed() * 3 / 2 + before.elapsed).await;
            let now = lease.look(context).await?;
            if now.text("/data/poNumber") == lease.mark {
                return Ok(lease);
            }
            last = Some((lease, now));
        }
        match last {
            Some((lease, now)) if !is_marked(now.text("/data/poNumber")) => {
                Err(CaseOutcome::failed(
                    "The payout does not show the PO number that the hook set_po_number gave it.",
                    &lease.mark,
                    now.at("/data/poNumber").to_string(),
                    Some(now.exchange),
                ))
            }
            _ => Err(busy()),
        }
    }

    /// Gives the payout a new mark: another PO number.
    ///
    /// # Errors
    /// The hook failed.
    pub(in crate::cases) async fn mark(
        &mut self,
        context: &mut CaseContext<'_>,
    ) -> Result<(), CaseOutcome> {
        let mark = marked();
        self.set(context, &mark).await
    }

    /// Gives it an earlier mark again, or one of a form of its own. Another run's mark stays: then the lease is lost, and
    /// [`hold`] forgets what was seen.
    ///
    /// # Errors
    /// The hook failed.
    pub(in crate::cases) async fn set(
        &mut self,
        context: &mut CaseContext<'_>,
        mark: &str,
    ) -> Result<(), CaseOutcome> {
        let now = self.look(context).await?;
        let now = now.text("/data/poNumber");
        if is_marked(now) && now != self.mark && !self.mark.is_empty() {
            return Ok(());
        }
        let values = [("payout", self.payout.as_str()), ("po_number", mark)];
        context.operate(Hook::SetPoNumber, &values).await?;
        mark.clone_into(&mut self.mark);
        Ok(())
    }

    /// Restores the PO number; `false` where another run has marked the payout meanwhile, who restores it then.
    ///
    /// # Errors
    /// The hook failed: the mark stays.
    pub(in crate::cases) async fn release(
        self,
        context: &mut CaseContext<'_>,
    ) -> Result<bool, CaseOutcome> {
        let now = self.look(context).await?;
        if now.text("/data/poNumber") != self.mark {
            return Ok(false);
        }
        let payout = ("payout", self.payout.as_str());
        match &self.before {
            Some(before) => {
                let values = [payout, ("po_number", before)];
                context.operate(Hook::SetPoNumber, &values).await?;
            }
            None => {
                context.operate(Hook::ClearPoNumber, &[payout]).await?;
            }
        }
        Ok(true)
    }

    async fn look(&self, context: &mut CaseContext<'_>) -> Result<Response, CaseOutcome> {
        context.send(payout(context, &self.payout)?).await
    }
}
