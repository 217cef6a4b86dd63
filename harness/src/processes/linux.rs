//! What `/proc` says of processes.

use std::fs;

/// A process, as `/proc` shows it.
pub(crate) struct Process {
    pub(crate) id: u32,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    pub(crate) has_ended: bool,
    pub(crate) name: String,
}

/// All processes that can be seen, in the order of their numbers.
pub(crate) fn processes() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|it| it.file_name().to_str()?.parse().ok());
    let mut all: Vec<Process> = ids.filter_map(process).collect();
    all.sort_by_key(|it| it.id);
    all
}

fn process(id: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name is in brackets, and may have brackets itself.
    let (before, after) = stat.rsplit_once(')')?;
    let (_, short) = before.split_once('(')?;
    let mut fields = after.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let program = fs::read_link(format!("/proc/{id}/exe")).ok();
    let name = program.as_deref().and_then(|it| it.file_name()).map_or_else(
        || short.to_owned(),
        // A program that was replaced on the disk meanwhile is the same.
        |it| it.to_string_lossy().trim_end_matches(" (deleted)").to_owned(),
    );
    Some(Process { id, parent, group, has_ended: matches!(state, "Z" | "X"), name })
}

/// Whether a process is there and has not ended.
pub(crate) fn runs(id: u32) -> bool {
    process(id).is_some_and(|it| !it.has_ended)
}

/// Whether a process was started with this variable, `NAME=VALUE`.
pub(crate) fn has(id: u32, variable: &str) -> bool {
    let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    environment.split(|it| *it == 0).any(|it| it == variable.as_bytes())
}

/// Whether a process has one of these pipes open.
pub(crate) fn has_pipe(id: u32, pipes: &[u64]) -> bool {
    let open = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
    let number = |it: fs::DirEntry| {
        let to = fs::read_link(it.path()).ok()?;
        to.to_str()?.strip_prefix("pipe:[")?.strip_suffix(']')?.parse().ok()
    };
    open.filter_map(number).any(|it: u64| pipes.contains(&it))
}

/// The memory of a process that no file on a disk has: what it shares with such a file can be dropped at any time.
/// Memory that processes share without one counts for each that has touched it.
pub(crate) fn memory_kib(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    memory_in(&status)
}

fn memory_in(status: &str) -> Option<u64> {
    let kib = |name: &str| {
        let line = status.lines().find_map(|it| it.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    Some(kib("RssAnon:")? + kib("RssShmem:").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::memory_in;

    #[test]
    fn memory_is_what_no_file_on_a_disk_has() {
        let status = "Name:\tsh\nVmRSS:\t   1111 kB\nRssAnon:\t     100 kB\nRssFile:\t      1000 kB\n\
                      RssShmem:\t      11 kB\n";
        assert_eq!(memory_in(status), Some(111));
        assert_eq!(memory_in("Name:\tkthreadd\n"), None);
    }
}
