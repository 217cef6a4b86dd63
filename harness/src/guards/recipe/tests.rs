use super::*;

#[track_caller]
fn check(spec: &str, expected: &str) {
    let found = match Recipe::new(&Registry::standard(), spec, &Config::default()) {
        Ok(recipe) => {
            let state = recipe.stack(&TruthChannel::default()).save();
            let members = state["members"].as_array().expect("a stack saves its members");
            members.iter().map(|it| it[0].as_str().unwrap_or_default()).collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected);
}

#[test]
fn a_spec_names_guards_in_order() {
    check("none", "");
    check(
        "default",
        "repair abandonment repetition no-tools duplicate empty-completion retry-safety handoff progress",
    );
    check("duplicate=notice, abandonment", "duplicate abandonment");
    check("none,no-tools{limit=5, message=Use a tool},duplicate", "no-tools duplicate");
}

#[test]
fn commas_in_the_quotes_of_a_command_and_in_braces_do_not_split_a_spec() {
    let parts = |spec| split(spec).collect::<Vec<_>>();
    assert_eq!(parts("none,a{x=1,y=2} , exec:b c"), ["none", "a{x=1,y=2}", "exec:b c"]);
    assert_eq!(parts("exec:b 'c,d' \"e,'f\", a"), ["exec:b 'c,d' \"e,'f\"", "a"]);
    assert_eq!(parts(r#"exec:b c\,d "\",e" '\',f"#), [r#"exec:b c\,d "\",e" '\'"#, "f"]);
    assert_eq!(parts("a{message=Don't},exec:b {c,d}"), ["a{message=Don't}", "exec:b {c", "d}"]);
    assert_eq!(parts("a,"), ["a", ""]);
}

#[test]
fn a_spec_of_a_file_runs_no_command() {
    assert_eq!(Recipe::without_command("default,cline{x=exec:y}"), Ok(()));
    let refused = Recipe::without_command("default, exec:rm -r x,cline").expect_err("it has a command");
    assert_eq!(refused, BadStack::FromFile { asked: "exec:rm -r x".into() });
}

#[test]
fn a_setting_is_given_once_and_a_stack_is_what_it_means() {
    check(
        "no-tools{limit=3, limit=4}",
        "`no-tools{limit=3, limit=4}`: expected each setting once, found `limit` twice",
    );
    let all = |specs: &[&str]| {
        let specs: Vec<String> = specs.iter().map(|&it| it.to_owned()).collect();
        Recipe::all(&Registry::standard(), &specs, &Config::default()).map(|it| it.len())
    };
    let same = |one: &str, other: &str| {
        let expected = BadStack::Same { asked: other.into(), earlier: one.into() };
        assert_eq!(all(&[one, other]), Err(expected));
    };
    same("default", "default");
    same("no-tools", "no-tools{}");
    same("no-tools{limit=4}", "no-tools{limit = 4}");
    same("duplicate", "none, duplicate");
    assert_eq!(all(&["no-tools", "no-tools{limit=9}", "no-tools,duplicate", "duplicate,no-tools"]), Ok(4));
}

#[test]
fn a_stack_is_a_peer_if_nothing_else_is_in_it() {
    let role = |spec| Recipe::role(&Registry::standard(), spec);
    let [ours, peer, yardstick] = figure::Role::ALL;
    assert_eq!(
        ["cline", "cline{limit=2}, roo-code", "default", "cline,default", "none", "of another binary"]
            .map(role),
        [peer, peer, ours, ours, yardstick, ours]
    );
}

#[test]
fn the_default_stack_of_a_bench_is_that_of_embedders() {
    let recipe = Recipe::new(&Registry::standard(), DEFAULT, &Config::default()).expect("it is registered");
    assert_eq!(recipe.stack(&TruthChannel::default()).save(), balk_guards::default_stack().save());
}

#[test]
fn an_unknown_guard_gets_the_nearest_name() {
    let known = "known: none, default, repair, abandonment, abandonment=hard, abandonment=auto-retry, \
                 abandonment=strict, repetition, no-tools, duplicate, duplicate=notice, duplicate=strict, \
                 empty-completion, retry-safety, retry-safety=conservative, retry-safety=fast-path, \
                 retry-safety=facts, handoff, progress, oracle, ceiling, cline, roo-code, openhands, gemini-cli, \
                 qwen-code, opencode, crush, kimi-cli, openrouter, hermes-like, turn-limit, forge, \
                 naive-abandonment, naive-no-tools, naive-duplicate, naive-retry";
    check("duplicat", "unknown guard `duplicat`; did you mean `duplicate`?");
    check("duplicate=notise", "unknown guard `duplicate=notise`; did you mean `duplicate=notice`?");
    check("abandon", "unknown guard `abandon`; did you mean `abandonment`?");
    check("quite-other", &format!("unknown guard `quite-other` {known}"));
}

#[test]
fn a_peer_is_named_like_a_guard_and_is_in_no_stack_by_itself() {
    check("cline, duplicate, turn-limit{limit=3}", "cline duplicate turn-limit");
    check("cline{limit=3}", "`cline{limit=3}`: unknown field `limit`, there are no fields");
    check("roo-code{soft=3}", "`roo-code{soft=3}`: unknown field `soft`, expected `limit`");
    for name in Registry::standard().peers() {
        check(&name, &name);
    }
}

#[test]
fn the_same_guard_twice_is_no_stack_and_the_same_stack_twice_no_choice() {
    check("default,duplicate=notice", "`duplicate` twice in `default,duplicate=notice`");
    check("cline, cline", "`cline` twice in `cline, cline`");
    let all = |specs: &[&str]| {
        let specs: Vec<String> = specs.iter().map(|it| (*it).to_owned()).collect();
        Recipe::all(&Registry::standard(), &specs, &Config::default())
    };
    let twice = BadStack::Same { asked: "duplicate".into(), earlier: "duplicate".into() };
    assert_eq!(all(&["duplicate", "cline", "duplicate"]).expect_err("one twice"), twice);
    let recipes = all(&["none", "duplicate", "duplicate=notice"]).expect("each is another");
    assert_eq!(recipes.len(), 3);
    assert_eq!(recipes[2].about(), "the same ladder with the plain notice \"already called\"");
}

#[test]
fn settings_that_a_guard_does_not_take_are_named() {
    check(
        "duplicate{equal=2}",
        "`duplicate{equal=2}`: unknown field `equal`, expected one of `equal-results`, `lapse`, `near-percent`, \
         `policy`",
    );
    check("no-tools{limit=x}", "`no-tools{limit=x}`: invalid type: string \"x\", expected u32");
    check("no-tools{limit=3", "`no-tools{limit=3`: expected `}` at the end");
    check("duplicate{enabled=7}", "`duplicate{enabled=7}`: invalid type: integer `7`, expected a boolean");
    check("no-tools{limit}", "`no-tools{limit}`: expected key=value between the braces");
}
