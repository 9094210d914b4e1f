//! The map of claims for other tools: Argument Interchange Format, Graphviz and Mermaid.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::ledger::{Claim, Ground, Ledger, Move, MoveKind};
use crate::text;

/// Longest text of a node in a drawing, in characters.
const MAX_LABEL: usize = 120;

/// Who attacks or supports whom: a claim or a move by its place, and the claim it is on.
struct Edge<'a> {
    made: &'a Move,
    /// The claim that makes the move; else the move is a node of its own.
    from: Option<&'a Claim>,
    to: &'a Claim,
    index: usize,
}

impl Edge<'_> {
    fn node(&self) -> String {
        self.from.map_or_else(|| format!("M{}", self.index + 1), node)
    }

    fn is_against(&self) -> bool {
        matches!(self.made.kind, MoveKind::Attack | MoveKind::Rebut | MoveKind::Withdraw)
    }
}

/// A name that every format takes: `S2_1`.
fn node(claim: &Claim) -> String {
    claim.id.to_string().replace('.', "_")
}

fn edges(ledger: &Ledger) -> impl Iterator<Item = Edge<'_>> {
    ledger.moves.iter().enumerate().filter_map(|(index, made)| {
        let from = made.by.and_then(|by| ledger.claim(by));
        Some(Edge { made, from, to: ledger.claim(made.target)?, index })
    })
}

/// What stands in the node of a move.
fn said(made: &Move) -> String {
    let quote = made.quote.as_deref().map(|quote| format!("“{quote}” ")).unwrap_or_default();
    text::clean(&format!("{quote}{}", made.reason), MAX_LABEL)
}

fn outcome(claim: &Claim) -> &'static str {
    claim.disposition.map_or("undisposed", crate::ledger::Disposition::word)
}

/// The map as a graph for Graphviz (`dot -Tsvg`).
#[must_use]
pub fn dot(question: &str, ledger: &Ledger) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = format!(
        "digraph debate {{\n  label={};\n  labelloc=t;\n  rankdir=RL;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n",
        quoted(&text::clean(question, 200))
    );
    for claim in &ledger.claims {
        let label = format!("{}: {}", claim.id, text::clean(&claim.sentence, MAX_LABEL));
        let style = match outcome(claim) {
            "survived" => "rounded,bold",
            "weakened" => "rounded,dashed",
            "fell" => "rounded,dotted",
            _ => "rounded",
        };
        let _ = writeln!(
            out,
            "  {} [label={}, style={}, tooltip={}];",
            node(claim),
            quoted(&label),
            quoted(style),
            quoted(outcome(claim))
        );
    }
    for edge in edges(ledger) {
        if edge.from.is_none() {
            let _ = writeln!(out, "  {} [label={}, shape=plaintext];", edge.node(), quoted(&said(edge.made)));
        }
        let word = edge.made.kind.word().to_lowercase();
        let style = if edge.is_against() { "solid" } else { "dashed" };
        let _ = writeln!(out, "  {} -> {} [label={}, style={style}];", edge.node(), node(edge.to), quoted(&word));
    }
    out + "}\n"
}

/// The map as a flowchart for Mermaid, which forges draw inside of Markdown.
#[must_use]
pub fn mermaid(ledger: &Ledger) -> String {
    // Entities are the only way to write these inside of quotes.
    let quoted = |text: &str| {
        let mut out = String::from("\"");
        for char in text.chars() {
            match char {
                '"' | '#' | '&' | '<' | '>' | '`' | ';' | '\\' | '@' => {
                    let _ = write!(out, "#{};", u32::from(char));
                }
                other => out.push(other),
            }
        }
        out + "\""
    };
    let mut out = String::from("flowchart RL\n");
    for claim in &ledger.claims {
        let label = format!("{}: {}", claim.id, text::clean(&claim.sentence, MAX_LABEL));
        let _ = writeln!(out, "  {}[{}]:::{}", node(claim), quoted(&label), outcome(claim));
    }
    for edge in edges(ledger) {
        if edge.from.is_none() {
            let _ = writeln!(out, "  {}([{}])", edge.node(), quoted(&said(edge.made)));
        }
        let arrow = if edge.is_against() { "-->" } else { "-.->" };
        let _ = writeln!(out, "  {} {arrow}|{}| {}", edge.node(), edge.made.kind.word().to_lowercase(), node(edge.to));
    }
    out + "  classDef survived stroke-width:3px\n  classDef weakened stroke-dasharray:6 3\n  classDef fell stroke-dasharray:2 3\n  classDef undisposed stroke-width:1px\n"
}

/// Who speaks in a reply, and when (`2026-11-21 01:55:41`).
pub struct Speaker {
    /// The name of the seat or of the voice.
    pub name: String,
    /// `None`: it is not known.
    pub at: Option<String>,
}

/// The map in the Argument Interchange Format, as `AIFdb` reads it: claims, grounds and what moves say are information nodes (I);
/// an attack is a conflict between two of them (CA), a support an inference (RA). Each of them is asserted (YA) in a locution (L)
/// of a participant. `speaker`: who speaks in a reply, counted from 0.
///
/// C. Chesñevar et al., "Towards an argument interchange format", The Knowledge Engineering Review 21 (2006); for locutions
/// C. Reed et al., "AIF+: Dialogue in the argument interchange format", COMMA 2008.
#[must_use]
pub fn aif(ledger: &Ledger, speaker: impl Fn(usize) -> Speaker) -> String {
    let mut out = Interchange::default();
    for claim in &ledger.claims {
        let (id, speaker) = (node(claim), speaker(claim.section));
        out.node(&id, &claim.sentence, "I", &speaker);
        out.said(&id, &claim.sentence, &speaker);
        if let Ground::Evidence(named) = &claim.ground
            && !named.is_empty()
        {
            let (ground, scheme) = (format!("{id}_ground"), format!("{id}_from_ground"));
            out.node(&ground, named, "I", &speaker);
            out.asserted(&id, &ground, &speaker);
            out.node(&scheme, "Default Inference", "RA", &speaker);
            out.edge(&ground, &scheme);
            out.edge(&scheme, &id);
        }
    }
    for edge in edges(ledger) {
        let (from, speaker) = (edge.node(), speaker(edge.made.section));
        if edge.from.is_none() {
            out.node(&from, &said(edge.made), "I", &speaker);
            out.said(&from, &said(edge.made), &speaker);
        }
        let scheme = format!("M{}_scheme", edge.index + 1);
        let (text, kind) = if edge.is_against() { ("Default Conflict", "CA") } else { ("Default Inference", "RA") };
        out.node(&scheme, text, kind, &speaker);
        out.edge(&from, &scheme);
        out.edge(&scheme, &node(edge.to));
    }
    let participant = |(index, name): (usize, &String)| json!({ "participantID": (index + 1).to_string(), "firstname": name, "surname": "" });
    let whole = json!({
        "nodes": out.nodes,
        "edges": out.edges,
        "locutions": out.locutions,
        "participants": out.names.iter().enumerate().map(participant).collect::<Vec<_>>(),
    });
    text::harmless_json(&format!("{whole:#}")) + "\n"
}

/// The lists of an interchange.
#[derive(Default)]
struct Interchange {
    nodes: Vec<Value>,
    edges: Vec<Value>,
    locutions: Vec<Value>,
    /// Who has spoken; a participant's id is its place, counted from 1.
    names: Vec<String>,
}

impl Interchange {
    fn node(&mut self, id: &str, text: &str, kind: &str, speaker: &Speaker) {
        let text = text::clean(text, 2_000);
        self.nodes.push(json!({ "nodeID": id, "text": text, "type": kind, "timestamp": speaker.at }));
    }

    fn edge(&mut self, from: &str, to: &str) {
        let id = (self.edges.len() + 1).to_string();
        self.edges.push(json!({ "edgeID": id, "fromID": from, "toID": to, "formEdgeID": null }));
    }

    /// The locution of an information node.
    fn said(&mut self, node: &str, text: &str, speaker: &Speaker) {
        let name = text::clean(&speaker.name, MAX_LABEL);
        let locution = locution_of(node);
        self.node(&locution, &format!("{name} : {text}"), "L", speaker);
        let known = self.names.iter().position(|known| *known == name);
        let person = known.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        let person = (person + 1).to_string();
        self.locutions.push(json!({
            "nodeID": locution, "personID": person, "timestamp": speaker.at, "start": null, "end": null, "source": null,
        }));
        self.asserted(node, node, speaker);
    }

    /// The locution of one node asserts another, or the same.
    fn asserted(&mut self, of: &str, node: &str, speaker: &Speaker) {
        let anchor = format!("{node}_asserted");
        self.node(&anchor, "Asserting", "YA", speaker);
        self.edge(&locution_of(of), &anchor);
        self.edge(&anchor, node);
    }
}

fn locution_of(node: &str) -> String {
    format!("{node}_said")
}

#[cfg(test)]
mod tests {
    use super::super::hostile::HOSTILE;
    use super::*;
    use crate::debate::{Phase, Slot};
    use crate::ledger::Spoken;

    fn ledger() -> Ledger {
        let replies = [
            (Phase::Advocate, "**A1. Say \"yes\" & go; <b> #1.** x [evidence: the audit]"),
            (Phase::Critic, "**C1. It costs.** y\n**Attacks A1:** \"go\" is dear.\n\n**Attacks A1:** no."),
            (Phase::Synthesizer, "- **A1** fell: dear\n- **C1** survived: true"),
        ];
        let spoken = replies.map(|(phase, text)| Spoken { slot: Slot { phase, round: 1 }, cycle: 1, text });
        Ledger::of(spoken)
    }

    #[test]
    fn a_drawing_shows_claims_moves_and_who_makes_them() {
        let dot = dot("Go?", &ledger());
        for line in [
            "  label=\"Go?\";",
            "  A1 [label=\"A1: Say \\\"yes\\\" & go; <b> #1\", style=\"rounded,dotted\", tooltip=\"fell\"];",
            "  C1 -> A1 [label=\"attacks\", style=solid];",
            "  M2 -> A1 [label=\"attacks\", style=solid];",
        ] {
            assert!(dot.contains(line), "{line}\n{dot}");
        }
        let mermaid = mermaid(&ledger());
        for line in [
            "  A1[\"A1: Say #34;yes#34; #38; go#59; #60;b#62; #35;1\"]:::fell",
            "  C1 -->|attacks| A1",
            "  M2([\"no.\"])",
        ] {
            assert!(mermaid.contains(line), "{line}\n{mermaid}");
        }
    }

    #[test]
    fn a_hostile_text_stays_inside_of_its_quotes() {
        for text in HOSTILE {
            let claim = format!("**A1. {text} \\ \" ]]> end** x [evidence: {text}]");
            let attack = format!("**C1. {text}** y\n\n**Attacks A1:** \"{text}\" \\\" {text}");
            let spoken = [(Phase::Advocate, &claim), (Phase::Critic, &attack)].map(|(phase, text)| Spoken {
                slot: Slot { phase, round: 1 },
                cycle: 1,
                text,
            });
            let ledger = Ledger::of(spoken);
            assert!(!ledger.claims.is_empty());
            for drawing in [dot(text, &ledger).replace("\\\\", "").replace("\\\"", ""), mermaid(&ledger)] {
                for line in drawing.lines() {
                    let outside: String = line.split('"').step_by(2).collect();
                    let is_ours = |char: char| char.is_ascii_alphanumeric() || " []{}()=,;:_->|.".contains(char);
                    assert!(outside.chars().all(is_ours) && line.matches('"').count() % 2 == 0, "{line}");
                }
            }
        }
    }

    fn interchange() -> Value {
        let speaker = |section: usize| Speaker {
            name: ["advocate", "critic"][section].into(),
            at: (section == 0).then(|| "2026-11-21 01:55:41".into()),
        };
        serde_json::from_str(&aif(&ledger(), speaker)).unwrap()
    }

    fn of_id<'a>(list: &'a Value, key: &str, id: &str) -> &'a Value {
        list.as_array().unwrap().iter().find(|one| one[key] == id).unwrap()
    }

    #[test]
    fn an_interchange_has_a_scheme_between_any_two_texts() {
        let aif = interchange();
        let kind = |id: &str| of_id(&aif["nodes"], "nodeID", id)["type"].as_str().unwrap().to_owned();
        for edge in aif["edges"].as_array().unwrap() {
            let (from, to) = (kind(edge["fromID"].as_str().unwrap()), kind(edge["toID"].as_str().unwrap()));
            let is_text = |kind: &str| matches!(kind, "I" | "L");
            assert!(is_text(&from) != is_text(&to), "{edge}");
        }
        assert_eq!((kind("A1_from_ground").as_str(), kind("M1_scheme").as_str()), ("RA", "CA"));
    }

    #[test]
    fn an_interchange_says_who_made_each_claim_and_each_move() {
        let aif = interchange();
        let by = |node: &str| {
            let edges = aif["edges"].as_array().unwrap();
            let before = |id: &Value| &edges.iter().find(|edge| edge["toID"] == *id).unwrap()["fromID"];
            let asserted = edges.iter().find(|edge| {
                edge["toID"] == node && of_id(&aif["nodes"], "nodeID", edge["fromID"].as_str().unwrap())["type"] == "YA"
            });
            let locution = before(&asserted.unwrap()["fromID"]).as_str().unwrap();
            let person = of_id(&aif["locutions"], "nodeID", locution)["personID"].as_str().unwrap();
            of_id(&aif["participants"], "participantID", person)["firstname"].as_str().unwrap()
        };
        assert_eq!(["A1", "A1_ground", "C1", "M2"].map(by), ["advocate", "advocate", "critic", "critic"]);
        assert_eq!(of_id(&aif["nodes"], "nodeID", "C1_said")["text"], "critic : It costs");
        let at = |node| &of_id(&aif["nodes"], "nodeID", node)["timestamp"];
        assert_eq!((at("A1"), at("C1")), (&"2026-11-21 01:55:41".into(), &Value::Null));
        assert_eq!(aif["participants"].as_array().unwrap().len(), 2);
    }
}
