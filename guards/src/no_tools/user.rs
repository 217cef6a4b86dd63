//! What a message of the user is: a nudge, an answer, or a new request.

use std::sync::Arc;

use super::NoTools;
use super::instead::{Instead, leaves_it_to_the_user};
use super::request::is_open_question;
use super::telling::Message;
use super::vocabulary::{List, has_any};
use crate::files::files;
use crate::search::has_question_mark;
use balk_contract::nudge::{begins_with_no, begins_with_yes, is_go_ahead, is_nudge, is_short};
use balk_contract::{Protocol, identity};

impl NoTools {
    /// The user speaks: a nudge goes on with the request, anything else is a new one.
    pub(super) fn asked(&mut self, text: &Arc<str>) {
        let said = Some(identity(text));
        // The same again after no step is no news, whatever it says.
        let asks_back = has_question_mark(text);
        let is_again = self.state.heard == said && !self.state.stepped && !asks_back;
        let after = self.state.instead[1];
        let mut lower = String::new();
        let message = Message::new(text, &mut lower);
        let was_asked = after == Some(Instead::Asks);
        // What the user has said before is no news to a model that asks for it.
        let is_known = is_again || was_asked && !asks_back && self.state.promises.knows(&message);
        let is_nudge = is_known || is_nudge(text);
        self.state.dispute.hear(&message, after.is_some());
        self.state.promises.hear(&message, after, is_again);
        (self.state.heard, self.state.stepped) = (said, false);
        if !is_nudge {
            self.state.questions = 0;
        }
        self.state.gave |= was_asked && !asks_back && self.gives(text);
        let says_yes =
            !asks_back && is_short(text) && files(text).next().is_none() && has_any(text, List::Affirms);
        let is_answer = was_asked && !asks_back && self.is_answered(text, is_known);
        let is_yes = says_yes || is_again && !is_answer;
        self.state.allowed = self.state.said[1].clone().filter(|_| was_asked && is_yes);
        if !asks_back && !is_yes && !is_go_ahead(text) && (was_asked || self.leaves_it_to_the_user()) {
            self.state.request.is_decided();
        }
        if is_answer && is_nudge {
            (self.state.nudge, self.state.nudges, self.state.ignores) = (None, 0, false);
            (self.state.instead, self.state.said) = ([None; 2], [None, None]);
            return;
        }
        if self.state.instead[1].is_some() && is_nudge {
            self.state.nudge = Some(text.clone());
            self.state.nudges = self.state.nudges.saturating_add(1);
            return;
        }
        self.state.nudges = 0;
        self.state.request.begin(text);
        (self.state.corrections, self.state.ignores, self.state.failing) = (0, false, None);
        (self.state.instead, self.state.said, self.state.nudge) = ([None; 2], [None, None], None);
        self.state.texts.clear();
        if self.state.protocol == Protocol::Text {
            self.count_anew();
        }
    }

    /// Whether the model said what it will do if the user wants it.
    pub(super) fn leaves_it_to_the_user(&self) -> bool {
        matches!(self.state.instead[1], Some(Instead::Announces | Instead::Reports))
            && self.state.said[1].as_ref().is_some_and(|said| leaves_it_to_the_user(said))
    }

    /// Whether the message surely gives the model what its question asks for: no yes in any language would.
    fn gives(&self, text: &str) -> bool {
        let is_open = || self.state.said[1].as_ref().is_some_and(|it| is_open_question(it));
        is_short(text) && !begins_with_yes(text) && (!is_nudge(text) || begins_with_no(text) || is_open())
    }
}
