//! Lays out one step as a card: its strings, their positions, and the size of the card.

use super::picture::{Node, Step, Wait, Way};
use super::text::Font;

/// Padding between the card's edge and its strings.
const PAD: f64 = 14.0;
const WIDTH_MIN: f64 = 200.0;
const WIDTH_MAX: f64 = 320.0;
/// Maximum number of argument rows. Further arguments are only counted; the tooltip shows all arguments.
const ARGS_MAX: usize = 5;
/// Maximum width of the column with argument names.
const ARG_NAME_MAX: f64 = 110.0;
/// Width of the space for a mark in the upper right corner.
const MARK_ROOM: f64 = 22.0;
/// Width of the space for the clock before a name.
pub(super) const CLOCK_ROOM: f64 = 24.0;
/// Height of the band that shows the three exits of a wait.
pub(super) const PORTS_HEIGHT: f64 = 40.0;

/// A string with its position relative to the card's upper left corner;
/// `y` is the position of the baseline.
pub(super) struct Piece {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) font: Font,
    /// CSS class that gives the colour of the text.
    pub(super) ink: &'static str,
    pub(super) anchor: Anchor,
    pub(super) text: String,
}

/// The part of a string that is at the string's position `x`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A measured card.
pub(super) struct Card {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) pieces: Vec<Piece>,
    /// Position `y` of the thin line above the footer, if there is a footer.
    pub(super) rule: Option<f64>,
    /// Position `y` of the top of the band with the three exits, if the step is a wait.
    pub(super) ports: Option<f64>,
    /// Centre of the clock, if the step is a wait.
    pub(super) clock: Option<(f64, f64)>,
}

impl Card {
    /// Returns the preferred width of the step's card.
    pub(super) fn natural_width(step: &Step) -> f64 {
        let (_, args) = shown_args(step);
        let column = name_column(&args);
        let values = args.iter().map(|(_, value)| column + Font::CODE.width(value));
        let clock = if step.wait.is_some() { CLOCK_ROOM } else { 0.0 };
        let name = Font::NAME.width(&step.id) + clock + MARK_ROOM;
        let foreach = step.foreach.as_ref().map_or(0.0, |(one, all)| {
            Font::LABEL.width("for each  in ")
                + Font::CODE.width(one)
                + Font::CODE.width(all)
                + 16.0
        });
        let when = step.when.as_ref().map_or(0.0, |when| Font::CODE.width(when) + 40.0);
        let ports = step.wait.as_ref().map_or(0.0, |wait| {
            let widest =
                details(wait).iter().map(|text| Font::CODE.width(text)).fold(0.0, f64::max);
            (widest + 20.0) * 3.0 - 2.0 * PAD
        });
        let footer = out_width(step) + Font::LABEL.width(&policy(step));
        let content =
            values.chain([name, foreach, when, ports, footer, Font::CODE.width(&step.verb)]);
        (content.fold(0.0, f64::max) + 2.0 * PAD).clamp(WIDTH_MIN, WIDTH_MAX).ceil()
    }

    /// Lays out the card of a step with the width `width`.
    pub(super) fn set(step: &Step, width: f64) -> Self {
        let mut setter = Setter { width, y: 10.0, pieces: Vec::new() };
        setter.foreach(step);
        let clock = setter.name(step);
        setter.when(step);
        setter.args(step);
        let has_footer = step.out.is_some() || step.policy.is_some();
        let rule = has_footer.then_some(setter.y + 6.0);
        if let Some(rule) = rule {
            setter.y = rule + 5.0;
            setter.footer(step);
        }
        let ports = step.wait.as_ref().map(|wait| setter.ports(wait));
        let bottom = match (ports, rule) {
            (Some(_), _) => 0.0,
            (None, Some(_)) => 6.0,
            (None, None) => 10.0,
        };
        Self {
            width,
            height: (setter.y + bottom).ceil(),
            pieces: setter.pieces,
            rule,
            ports,
            clock,
        }
    }

    /// Returns the position `x` of the centre of the exit `port` (0 to 2),
    /// relative to the card's left edge.
    pub(super) fn port_x(&self, port: usize) -> f64 {
        self.width * (2.0 * port as f64 + 1.0) / 6.0
    }
}

struct Setter {
    width: f64,
    /// Position `y` of the top of the next line.
    y: f64,
    pieces: Vec<Piece>,
}

impl Setter {
    fn foreach(&mut self, step: &Step) {
        if let Some((one, all)) = &step.foreach {
            let mut x = PAD;
            let words = [(Font::LABEL, "for each"), (Font::CODE, one), (Font::LABEL, "in")];
            for (font, word) in words {
                let word = font.elide(word, self.width / 3.0);
                self.piece(x, font, "foreach", &word);
                x += font.width(&word) + 5.0;
            }
            let list = Font::CODE.elide(all, self.width - PAD - x);
            self.piece(x, Font::CODE, "foreach", &list);
            self.y += Font::CODE.line() + 2.0;
        }
    }

    /// Adds the id of the step and, if the verb differs from the id, the verb.
    /// Returns the centre of the clock; `None` if the step is not a wait.
    fn name(&mut self, step: &Step) -> Option<(f64, f64)> {
        let clock = step.wait.is_some().then_some((PAD + 8.0, self.y + Font::NAME.line() / 2.0));
        let x = if clock.is_some() { PAD + CLOCK_ROOM } else { PAD };
        for line in Font::NAME.wrap(&step.id, self.width - x - PAD - MARK_ROOM, 3) {
            self.piece(x, Font::NAME, "ink", &line);
            self.y += Font::NAME.line();
        }
        if step.verb != step.id {
            let verb = Font::CODE.elide(&step.verb, self.width - x - PAD);
            self.piece(x, Font::CODE, "muted", &verb);
            self.y += Font::CODE.line();
        }
        clock
    }

    fn when(&mut self, step: &Step) {
        if let Some(when) = &step.when {
            self.y += 3.0;
            self.piece(PAD, Font::LABEL, "when", "when");
            let x = PAD + Font::LABEL.width("when") + 6.0;
            for line in Font::CODE.wrap(when, self.width - x - PAD, 3) {
                self.piece(x, Font::CODE, "when", &line);
                self.y += Font::CODE.line();
            }
        }
    }

    fn args(&mut self, step: &Step) {
        let (hidden, args) = shown_args(step);
        let column = name_column(&args);
        self.y += 3.0;
        for (name, value) in args {
            let name = Font::LABEL.elide(name, ARG_NAME_MAX);
            self.piece(PAD, Font::LABEL, "muted", &name);
            let value = Font::CODE.elide(value, self.width - 2.0 * PAD - column);
            self.piece(PAD + column, Font::CODE, "ink", &value);
            self.y += Font::CODE.line() + 1.0;
        }
        if hidden > 0 {
            self.piece(PAD, Font::LABEL, "muted", &format!("+ {hidden} more"));
            self.y += Font::LABEL.line();
        }
    }

    /// Adds the footer: the output variable, the number of attempts and the timeout.
    fn footer(&mut self, step: &Step) {
        let policy = policy(step);
        let room = self.width - 2.0 * PAD;
        if let Some(out) = &step.out {
            let out = Font::CODE.elide(&format!("→ {out}"), room).into_owned();
            let beside = Font::CODE.width(&out) + 12.0 + Font::LABEL.width(&policy) <= room;
            self.piece(PAD, Font::CODE, "out", &out);
            if !beside {
                self.y += Font::CODE.line();
            }
        }
        let policy = Font::LABEL.elide(&policy, room);
        let (x, y) = (self.width - PAD, self.y + Font::LABEL.ascent());
        self.put(Piece {
            x,
            y,
            font: Font::LABEL,
            ink: "muted",
            anchor: Anchor::End,
            text: policy.into_owned(),
        });
        self.y += Font::CODE.line() + 1.0;
    }

    /// Adds the band with the three exits of a wait. Returns the position `y` of the top of the band.
    fn ports(&mut self, wait: &Wait) -> f64 {
        let top = (self.y + 5.0).ceil();
        let cell = self.width / 3.0;
        for ((port, way), detail) in Way::OF_A_WAIT.into_iter().enumerate().zip(details(wait)) {
            let x = cell * (port as f64 + 0.5);
            let label = way.label().unwrap_or_default().to_owned();
            let y = top + 4.0 + Font::LABEL.ascent();
            self.put(Piece {
                x,
                y,
                font: Font::LABEL,
                ink: way.name(),
                anchor: Anchor::Middle,
                text: label,
            });
            let y = top + 3.0 + Font::LABEL.line() + Font::CODE.ascent();
            let text = Font::CODE.elide(detail, cell - 10.0).into_owned();
            self.put(Piece { x, y, font: Font::CODE, ink: "ink", anchor: Anchor::Middle, text });
        }
        self.y = top + PORTS_HEIGHT;
        top
    }

    /// Adds a string on the current line.
    fn piece(&mut self, x: f64, font: Font, ink: &'static str, text: &str) {
        // A label uses the baseline of code, because labels and code can share a line.
        let y = self.y + if font == Font::LABEL { Font::CODE.ascent() } else { font.ascent() };
        self.put(Piece { x, y, font, ink, anchor: Anchor::Start, text: text.to_owned() });
    }

    fn put(&mut self, piece: Piece) {
        self.pieces.push(piece);
    }
}

fn details(wait: &Wait) -> [&str; 3] {
    [&wait.enough, &wait.exhausted, &wait.timeout]
}

/// Returns the number of arguments that the card omits, and the arguments that it shows.
fn shown_args(step: &Step) -> (usize, Vec<(&str, &str)>) {
    let all = step.args.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let all = all.chain(step.occasion.as_deref().map(|occasion| ("occasion", occasion)));
    let mut args: Vec<_> = all.collect();
    // If only one argument were hidden, the line "+ 1 more"
    // would take the same space as the argument itself.
    let shown = if args.len() > ARGS_MAX + 1 { ARGS_MAX } else { args.len() };
    let hidden = args.len() - shown;
    args.truncate(shown);
    (hidden, args)
}

fn name_column(args: &[(&str, &str)]) -> f64 {
    let widest = args.iter().map(|(name, _)| Font::LABEL.width(name)).fold(0.0, f64::max);
    (widest + 10.0).min(ARG_NAME_MAX + 10.0)
}

fn policy(step: &Step) -> String {
    let policy = step.policy.as_ref();
    policy.map_or_else(String::new, |(tries, limit)| format!("{tries} within {limit}"))
}

fn out_width(step: &Step) -> f64 {
    step.out.as_ref().map_or(0.0, |out| Font::CODE.width(out) + Font::CODE.width("→ ") + 14.0)
}

/// Returns the tooltip of a step: all its strings, unabridged.
pub(super) fn tooltip(node: &Node, step: &Step) -> String {
    format!("{}\n{} (line {})", step.lines(usize::MAX).join("\n"), node.id, step.line)
}
