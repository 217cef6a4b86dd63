//! What needs a file as well as a world of it.

use crate::draws::Draw;
use crate::format::{parse, template_of};
use crate::scenario::template::{Piece, Template};
use crate::toolsets;
use crate::world::{Filling, World, WorldOptions};

#[test]
fn a_long_argument_that_is_named_often_ends_at_the_bound() {
    let scenarios = parse("x.toml", &template_of("x"), toolsets::catalogue()).expect("a good file");
    let world = World::draw(&scenarios[0], 0, WorldOptions::default());
    let template = Template { pieces: vec![Piece::Argument("content".into()); 1_000] };
    let argument = "x".repeat(100_000);
    let mut text = String::new();
    let arguments = [("content", argument.as_str())];
    let mut dice = world.draws().dice(Draw::Language);
    world.render(&template, Filling { dice: &mut dice, arguments: &arguments, nth: 1.into() }, &mut text);
    assert_eq!(text.trim_end_matches('…').len(), 1 << 20);
}
