//! Guards that take their time, as those in other processes may: other requests go on meanwhile.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use balk::proxy::{Proxy, Proxying};
use balk_guards::{
    Answer, AttemptFailure, Completion, Conclusion, Decision, Entry, Guard, Recovery, Stack, Termination,
};

use super::client::{post, proxying, says};
use crate::common::server::{Script, Server};

/// What a guard is asked or told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Observe,
    Review,
    Recover,
    Conclude,
}

/// A door that is closed until it is opened.
#[derive(Default)]
struct Door {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Door {
    fn wait(&self) {
        let closed = self.is_open.lock().expect("nothing panics with it");
        drop(self.opened.wait_while(closed, |is_open| !*is_open).expect("nothing panics with it"));
    }

    fn open(&self) {
        *self.is_open.lock().expect("nothing panics with it") = true;
        self.opened.notify_all();
    }
}

/// Opens a door in the end, also of a test that fails.
struct Opens(Arc<Door>);

impl Drop for Opens {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// A guard that lets everything pass, and waits at a door when it is asked or told this.
struct Slow {
    at: At,
    waits: Sender<()>,
    door: Arc<Door>,
}

impl Slow {
    fn comes_to(&self, at: At) {
        if at == self.at {
            // The test may have failed.
            let _ = self.waits.send(());
            self.door.wait();
        }
    }
}

impl Guard for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn observe(&mut self, entry: &Entry) {
        if matches!(entry, Entry::User(_)) {
            self.comes_to(At::Observe);
        }
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        self.comes_to(At::Review);
        Ok(Decision::pass())
    }

    fn recover(&self, _: &AttemptFailure) -> Answer<Option<Recovery>> {
        self.comes_to(At::Recover);
        Ok(None)
    }

    fn conclude(&self, _: &Termination) -> Answer<Option<Conclusion>> {
        self.comes_to(At::Conclude);
        Ok(None)
    }
}

const REQUEST: &str = r#"{"model":"m","tools":[{"type":"function","function":{"name":"ls"}}],
    "messages":[{"role":"user","content":"Do it."}]}"#;

/// More requests at once than a machine has processors wait for their guard, and another one is answered.
#[track_caller]
fn check(at: At, status: u16, dry_run: bool) {
    let many = thread::available_parallelism().map_or(2, usize::from) + 2;
    let body = if status == 200 { says("done", &[]) } else { "{}".to_owned() };
    let server = Server::new(move |_, _| Script::json(status, &body));
    let (waits, waiting) = channel();
    let door = Arc::new(Door::default());
    let inside = door.clone();
    let guards = move || -> Stack {
        Stack::new(vec![Box::new(Slow { at, waits: waits.clone(), door: inside.clone() })])
    };
    let proxying = Proxying { guards: Some(Box::new(guards)), dry_run, ..proxying(&server) };
    let proxy = Proxy::start(proxying).expect("a port is free");
    let opens = Opens(door);
    let clients: Vec<_> = (0..many)
        .map(|nth| {
            let url = format!("{}/c/{nth}/v1/chat/completions", proxy.url());
            thread::spawn(move || post(&url, REQUEST).status)
        })
        .collect();
    for nth in 0..many {
        let came = waiting.recv_timeout(Duration::from_secs(60));
        assert!(came.is_ok(), "{at:?}: {nth} of {many} requests came to their guards");
    }
    ureq::get(&format!("{}/_balk", proxy.url())).call().expect("an answer");
    drop(opens);
    for client in clients {
        assert_eq!(client.join().expect("it gets an answer"), status, "{at:?}");
    }
}

#[test]
fn a_guard_that_takes_its_time_holds_no_other_request_up() {
    for at in [At::Observe, At::Review, At::Conclude] {
        check(at, 200, false);
    }
    check(At::Recover, 500, false);
    check(At::Review, 200, true);
}
