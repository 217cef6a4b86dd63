//! The command lines of every command, in each of its formats.
//!
//! `@` is the hostile text, `@NAME` the name of a file, `NEW` a place that nothing was written to, `AGENT` the command
//! of a small agent, `GAP` the name of a gap report, and `URL` where a model listens that says the hostile text.

use super::media::Medium::{self, Csv, Html, Json, Junit, Markdown, Text, Toml};

/// A command, or a subcommand of one, and its lines.
pub(super) type Row = (&'static str, &'static [(Medium, &'static str)]);

/// What the others read, in order: each writes a folder.
pub(super) const FIRST: [(Medium, &str); 13] = [
    (
        Text,
        "bench --suite made-up.toml --guard default --guard 'exec:sh guard.sh' --seeds 0-3 --config settings.toml \
            --set actor.title=a@ --out bench --keep-transcripts all",
    ),
    (Text, "bench --suite made-up.toml --guard default --seeds 0-3 --shard 1/2 --out one"),
    (Text, "bench --suite made-up.toml --guard default --seeds 0-3 --shard 2/2 --out two"),
    (Text, "live --endpoint URL --model a@ --suite made-up.toml --trials 1 --max-turns 4 --out live --react"),
    (
        Text,
        "live --endpoint URL --model a@ --suite text-only-chat --trials 1 --max-turns 4 --out live2 --react",
    ),
    (
        Text,
        "crash --cmd 'AGENT; cat said' --scenario made-up.toml \
            --scenario made-up.toml#made-up-control --seeds 0-0 --max-requests 6 --seconds 20 --out crash",
    ),
    (
        Text,
        "crash --cmd 'AGENT --turns 2; @' --env TEXT=@ --scenario made-up.toml \
            --seeds 0-1 --max-requests 6 --seconds 20 --out crash2",
    ),
    (Text, "label runs/own.jsonl --out ann.tsv --reader a@ --places 4"),
    (Text, "label runs/own.jsonl --out bob.tsv --reader a@ --places 4"),
    (Text, "scenario gap.toml --state-dir state --events events.jsonl"),
    (Json, "triage logs runs --format json"),
    (Text, "import logs runs --out neutral.jsonl"),
    (Text, "man --out pages"),
];

/// What every command gets as well, which the parser of the command line refuses.
pub(super) const EACH: [&str; 4] = ["--@", "--color @", "@ @ --nothing", "-@=@"];

pub(super) const ROWS: [Row; 28] = [
    ("list", &[(Text, "list"), (Text, "list --guards")]),
    ("scenario", &SCENARIO),
    ("init", &[(Text, "init @"), (Text, "init a --dir @"), (Text, "init made-up")]),
    ("check", &CHECK),
    (
        "migrate",
        &[
            (Text, "migrate made-up.toml @NAME.toml bad/old.toml bad/syntax.toml"),
            (Text, "migrate wrong bench"),
            (Text, "migrate @"),
        ],
    ),
    (
        "verify",
        &[
            (Text, "verify made-up.toml @NAME.toml --seeds 0-1 --guard no-tools --config settings.toml"),
            (Text, "verify bench"),
            (Text, "verify crash live"),
            (Text, "verify wrong"),
            (Text, "verify made-up.toml --guard @"),
        ],
    ),
    ("replay", &REPLAY),
    (
        "import",
        &[
            (Json, "import logs --format neutral"),
            (Json, "import logs --format atif"),
            (Text, "import logs --format summary"),
            (Text, "import logs --from @"),
            (Text, "import runs --out said"),
        ],
    ),
    ("triage", &TRIAGE),
    (
        "label",
        &[
            (Text, "label --agreement ann.tsv bob.tsv --format text"),
            (Json, "label --agreement ann.tsv bob.tsv --format json"),
            (Text, "label --agreement labels.tsv wrong-labels.tsv"),
            (Text, "label logs --out NEW --reader @ --places 4"),
            (Text, "label runs/own.jsonl --out ann.tsv --reader b --places 4"),
        ],
    ),
    (
        "validity",
        &[
            (
                Text,
                "validity runs --labels labels.tsv --suite made-up.toml --seeds 0-3 --guard default --format text",
            ),
            (
                Json,
                "validity runs --labels labels.tsv --suite made-up.toml --seeds 0-3 --guard default --format json",
            ),
            (Text, "validity runs --labels wrong-labels.tsv"),
            (Text, "validity --live live2 --seeds 0-1 --format text"),
            (Json, "validity --live live2 --seeds 0-1 --format json"),
            (Text, "validity --live live"),
            (Text, "validity --live bench --guard @"),
        ],
    ),
    (
        "bench",
        &[
            (Text, "bench --suite made-up.toml,@ --seeds 0-0"),
            (Text, "bench --suite @NAME.toml --seeds 0-0 --guard 'exec:sh breaks.sh'"),
            (
                Text,
                "bench --suite made-up.toml --seeds 0-0 --guard default --fail-on recovery<1 --set actor.title=a@",
            ),
            (Text, "bench --suite made-up.toml --seeds 0-0 --guard default --sweep @=0..1:1/2"),
            (Text, "bench --suite made-up.toml --seeds 0-0 --guard default --out bench --resume"),
            (Text, "bench --suite made-up.toml --seeds 0-0 --guard default --fail-on @"),
            (Text, "bench --suite made-up.toml --seeds 0-0 --guard default --fail-on @:recovery<1"),
        ],
    ),
    (
        "live",
        &[
            (Text, "live --offline live --suite made-up.toml"),
            (Text, "live --offline live --suite made-up.toml --show made-up:0"),
            (Text, "live --offline live2 --show @:0"),
            (Text, "live --endpoint URL --model @ --suite made-up.toml --trials 1 --max-turns 2 --out NEW"),
            (
                Text,
                "live --endpoint http://127.0.0.1:9/@ --model @ --suite made-up.toml --trials 1 --out NEW",
            ),
            (Text, "live --endpoint @ --model @ --suite made-up.toml --out NEW"),
            (Text, "live --offline wrong"),
        ],
    ),
    (
        "serve",
        &[
            (Text, "serve @NAME.nothing"),
            (Text, "serve bad/state.toml"),
            (Text, "serve made-up.toml --agent wrong-agent.toml"),
            (Text, "serve made-up.toml --log said"),
            (Text, "serve made-up.toml --host @"),
            (Text, "serve made-up.toml --token @"),
            (Text, "serve --suite made-up.toml,@"),
        ],
    ),
    (
        "crash",
        &[
            (Text, "crash --agent @ --out NEW"),
            (Text, "crash --agent agent.toml --scenario made-up.toml --seeds 0-0 --seconds 5 --out NEW"),
            (
                Text,
                "crash --agent agent.toml --learn --scenario made-up.toml#made-up-control --seeds 0-0 --out NEW",
            ),
            (Text, "crash --agent wrong-agent.toml --out NEW"),
            (Text, "crash --agent named-agent.toml --out NEW"),
            (Text, "crash --cmd @ --out NEW"),
            (Text, "crash --cmd '@{task}{url}' --scenario @ --out NEW"),
            (Text, "crash --cmd 'x {task}{url}' --scenario made-up.toml --env @ --out NEW"),
            (
                Text,
                "crash --cmd 'x {task}{url}' --scenario made-up.toml --fail-on silent --seeds 0-0 --out crash",
            ),
        ],
    ),
    (
        "proxy",
        &[
            (Text, "proxy --upstream @"),
            (Text, "proxy --upstream http://127.0.0.1:9 --guard @"),
            (Text, "proxy --upstream http://127.0.0.1:9 --tools wrong-tools.toml"),
            (Text, "proxy --upstream http://127.0.0.1:9 --agent @NAME.nothing"),
            (Text, "proxy --upstream http://127.0.0.1:9 --guard 'exec:sh refused.sh'"),
            (Text, "proxy --upstream http://127.0.0.1:9 --guard 'exec:sh complains.sh'"),
        ],
    ),
    (
        "merge",
        &[
            (Text, "merge one two --out NEW"),
            (Text, "merge one --out NEW"),
            (Text, "merge one bench --out NEW"),
            (Text, "merge one one --out NEW"),
            (Text, "merge wrong @ --out NEW"),
            (Text, "merge one --out bad"),
        ],
    ),
    ("report", &REPORT),
    (
        "compare",
        &[
            (Text, "compare one bench --format text --fail-on done_change<1"),
            (Html, "compare one bench --format html"),
            (Json, "compare one bench --format json"),
            (Text, "compare crash crash2 --format text"),
            (Html, "compare crash crash2 --format html"),
            (Json, "compare crash crash2 --format json"),
            (Text, "compare @ wrong"),
        ],
    ),
    (
        "shrink",
        &[
            (Toml, "shrink made-up.toml --shows not-recovered --guard none --tries 9"),
            (Text, "shrink made-up.toml --shows not-recovered --guard none --tries 9 --out NEW"),
            (Text, "shrink made-up.toml --shows done-twice --set actor.title=a@"),
            (Text, "shrink made-up.toml --shows rule=@:@"),
            (Text, "shrink made-up.toml --shows @"),
        ],
    ),
    (
        "hunt",
        &[
            (Text, "hunt --guard 'exec:sh guard.sh' --trials 2 --finds 1 --out NEW"),
            (Text, "hunt --guard @"),
            (Text, "hunt --for @"),
            (Text, "hunt --out bad"),
            (Text, "hunt --config unknown.toml --set-from @"),
        ],
    ),
    (
        "audit",
        &[
            (Text, "audit runs logs --guard no-tools --seeds 0-0 --config settings.toml --format text"),
            (Json, "audit runs logs --guard no-tools --seeds 0-0 --config settings.toml --format json"),
            (Text, "audit --guard @"),
            (Text, "audit @ --tools wrong-tools.toml"),
            (Text, "audit --config wrong.toml"),
        ],
    ),
    (
        "explain retry",
        &[
            (Text, "explain retry incident.json --format text"),
            (Json, "explain retry incident.json --format json"),
            (Text, "explain retry other-incident.json --format text"),
            (Text, "explain retry wrong-incident.json"),
            (Text, "explain retry incident.json --policy @"),
        ],
    ),
    (
        "explain gap",
        &[
            (Text, "explain gap state/gaps/GAP"),
            (Text, "explain gap wrong-gap.json"),
            (Text, "explain gap @"),
            (Text, "explain gap said --repository @"),
        ],
    ),
    (
        "texts",
        &[
            (Text, "texts --format text --wrong"),
            (Markdown, "texts --format markdown --wrong"),
            (Json, "texts --format json"),
        ],
    ),
    ("schema", &[(Json, "schema incident"), (Text, "schema @")]),
    ("completions", &[(Text, "completions bash"), (Text, "completions @")]),
    ("man", &[(Text, "man --out NEW"), (Text, "man --out said/@")]),
];

const SCENARIO: [(Medium, &str); 22] = [
    (Text, "scenario made-up.toml --format text"),
    (Json, "scenario made-up.toml --format json"),
    (Html, "scenario made-up.toml --format html"),
    (Text, "scenario @NAME.toml --seed 3 --guard no-tools --config settings.toml --format text"),
    (Json, "scenario @NAME.toml --seed 3 --guard no-tools --config settings.toml --format json"),
    (Html, "scenario @NAME.toml --seed 3 --guard no-tools --config settings.toml --format html"),
    (Text, "scenario made-up.toml --guard 'exec:sh guard.sh' --interactive"),
    (Html, "scenario made-up.toml --guard 'exec:sh guard.sh' --format html"),
    (Text, "scenario made-up.toml --guard 'exec:sh breaks.sh'"),
    (Text, "scenario made-up.toml --guard 'exec:sh refused.sh'"),
    (Text, "scenario made-up.toml --guard 'exec:sh complains.sh'"),
    (Text, "scenario made-up.toml --guard 'exec:sh guard.sh @' --seeds 0-1 --format text"),
    (Json, "scenario made-up.toml --seeds 0-1 --format json"),
    (Text, "scenario gap.toml --phraser 'cat said' --state-dir NEW"),
    (Text, "scenario gap.toml --interactive --phraser 'cat said >&2; @' --state-dir NEW"),
    (Text, "scenario made-up.toml#@"),
    (Text, "scenario @"),
    (Text, "scenario made-up.toml --guard @"),
    (Text, "scenario made-up.toml --set @=@"),
    (Text, "scenario made-up.toml --set actor.title=a@ --seeds @"),
    (Text, "scenario made-up.toml --config unknown.toml"),
    (Text, "scenario made-up.toml --config wrong.toml --set-from said"),
];

const CHECK: [(Medium, &str); 11] = [
    (Text, "check made-up.toml @NAME.toml gap.toml"),
    (Text, "check bad/key.toml"),
    (Text, "check bad/name.toml"),
    (Text, "check bad/role.toml"),
    (Text, "check bad/place.toml"),
    (Text, "check bad/state.toml"),
    (Text, "check bad/version.toml"),
    (Text, "check bad/old.toml"),
    (Text, "check bad/syntax.toml said"),
    (Text, "check @"),
    (Text, "check @NAME.nothing"),
];

const REPLAY: [(Medium, &str); 11] = [
    (Text, "replay logs --format text"),
    (Json, "replay logs --format json --runs"),
    (Html, "replay logs --format html"),
    (Text, "replay runs --labels labels.tsv --tools tools.toml --format text"),
    (Json, "replay runs --labels labels.tsv --tools tools.toml --format json"),
    (Html, "replay runs --labels labels.tsv --guard 'exec:sh guard.sh' --format html"),
    (Text, "replay bench/transcripts live/transcripts --guard 'exec:sh breaks.sh'"),
    (Text, "replay logs --redact"),
    (Text, "replay runs --labels wrong-labels.tsv"),
    (Text, "replay runs --tools wrong-tools.toml"),
    (Text, "replay said bench.nothing @"),
];

const TRIAGE: [(Medium, &str); 11] = [
    (Text, "triage logs runs --format text --fail-on stuck_runs>0 --write-tools NEW"),
    (Json, "triage logs runs --format json"),
    (Html, "triage logs runs --format html"),
    (Text, "triage logs runs --redact"),
    (Text, "triage --show runs/own.jsonl:1:5"),
    (Text, "triage --show logs/@NAME.jsonl:1:5"),
    (Text, "triage --show @:1:5"),
    (Text, "triage --merge triage.json --format text"),
    (Html, "triage --merge triage.json --format html"),
    (Text, "triage --merge said wrong-incident.json"),
    (Text, "triage runs --fail-on @"),
];

const REPORT: [(Medium, &str); 20] = [
    (Markdown, "report bench --format markdown"),
    (Html, "report bench --format html"),
    (Json, "report bench --format json"),
    (Csv, "report bench --format csv"),
    (Junit, "report bench --format junit"),
    (Markdown, "report live --format markdown"),
    (Html, "report live --format html"),
    (Json, "report live --format json"),
    (Csv, "report live --format csv"),
    (Junit, "report live --format junit"),
    (Markdown, "report crash crash2 --format markdown"),
    (Html, "report crash crash2 --format html"),
    (Json, "report crash crash2 --format json"),
    (Csv, "report crash crash2 --format csv"),
    (Junit, "report crash crash2 --format junit"),
    (Text, "report bench --format html --out NEW.html"),
    (Text, "report bench --splice report.md"),
    (Text, "report crash --splice wrong-report.md"),
    (Text, "report wrong"),
    (Text, "report @ said"),
];
