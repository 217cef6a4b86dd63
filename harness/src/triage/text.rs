//! What a pile of logs shows, as text for people.

use std::io::{self, Write};

use super::{Stuck, Triage, WORST, sentences};

/// Writes the first screen.
///
/// # Errors
/// Those of the writer.
pub fn triage(out: &mut dyn Write, it: &Triage) -> io::Result<()> {
    writeln!(out, "{}", sentences::read(it))?;
    writeln!(out, "stuck: {}", sentences::stuck(it))?;
    if !it.worst.is_empty() {
        writeln!(
            out,
            "\nthe worst (at most {WORST}), by turns in which the run was stuck; ~ tokens are bytes / 4"
        )?;
        for (at, worst) in (1..).zip(&it.worst) {
            stuck(out, at, &worst.stuck)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "disturbed: {}", sentences::disturbed(it))?;
    writeln!(out, "tools: {}", sentences::tools(it))?;
    writeln!(out, "blind to: {}", sentences::blind_to(it).join("; "))
}

fn stuck(out: &mut dyn Write, at: u64, it: &Stuck) -> io::Result<()> {
    writeln!(
        out,
        "{at:>3}  {}  {} of {} turns stuck; after the first firing {}; {}",
        it.place(),
        it.turns_stuck,
        it.turns,
        sentences::after(it),
        it.outcome.word()
    )?;
    writeln!(out, "     {}", it.why)?;
    writeln!(out, "     {}", sentences::fired(it))
}
