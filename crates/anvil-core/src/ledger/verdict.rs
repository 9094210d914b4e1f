//! The verdict of a debate, with the names under which every door shows it.

use serde::Serialize;

use super::{Id, Synthesis, VerdictWord};
use crate::debate::Alternatives;

/// The verdict of a synthesis. Every door shows its values under these names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The motion that do and do not decide on: that of the debate, else that of the synthesis.
    pub motion: Option<String>,
    #[serde(rename = "verdict")]
    pub word: Option<VerdictWord>,
    /// Why there is no verdict, in a sentence without its full stop.
    pub no_verdict: Option<String>,
    pub recommendation: Option<String>,
    pub confidence_percent: Option<u8>,
    /// The claims that carry the verdict.
    pub rests_on: Option<Vec<Id>>,
    pub against: Option<String>,
    pub depends_on: Option<String>,
    pub flips_if: Option<String>,
    pub unknown: Option<String>,
    /// The options, the best first. Empty without options.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranking: Vec<String>,
    /// The number of judges that share the verdict, and of all judges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judges: Option<(u8, u8)>,
    /// The lowest and the highest confidence of these judges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_range: Option<(u8, u8)>,
}

impl Verdict {
    /// The verdict of a synthesis. `None`: no synthesis yet.
    pub fn new(among: &Alternatives, synthesis: Option<&Synthesis>) -> Self {
        let motion = among.motion.clone();
        let Some(synthesis) = synthesis.cloned() else { return Self { motion, ..Self::default() } };
        Self {
            motion: motion.or(synthesis.motion),
            no_verdict: synthesis.verdict.as_ref().err().map(ToString::to_string),
            word: synthesis.verdict.ok(),
            recommendation: synthesis.recommendation,
            confidence_percent: synthesis.confidence,
            rests_on: synthesis.rests_on,
            against: synthesis.against,
            depends_on: synthesis.depends_on,
            flips_if: synthesis.flips_if,
            unknown: synthesis.unknown,
            ranking: synthesis.ranking,
            judges: synthesis.judges,
            confidence_range: synthesis.confidence_range,
        }
    }

    /// The recommendation. `None`: no recommendation or no verdict.
    pub fn lead(&self) -> Option<&str> {
        self.recommendation.as_deref().filter(|_| self.word.is_some())
    }

    /// `DO NOT, 80 % sure`, `No verdict: …`.
    pub fn headline(&self) -> String {
        let Some(word) = &self.word else {
            return format!("No verdict: {}", self.no_verdict.as_deref().unwrap_or_default());
        };
        let sure = self.confidence_percent.map(|percent| match self.confidence_range {
            Some((least, most)) if least < most => {
                format!(", {percent} % sure (judges: {least} to {most} %)")
            }
            _ => format!(", {percent} % sure"),
        });
        let judges = self.judges.map(|(count, all)| format!(", {count} of {all} judges"));
        let parts = [sure, judges].into_iter().flatten().collect::<String>();
        format!("{}{parts}", word.heading())
    }

    /// The headline with the observation that decides: `DEPENDS, 80 % sure, on: the p95 of June`.
    pub fn whole_headline(&self) -> String {
        let is_depends = self.word == Some(VerdictWord::Depends);
        let on = self.depends_on.as_ref().filter(|_| is_depends);
        let on = on.map(|on| format!(", on: {on}")).unwrap_or_default();
        self.headline() + &on
    }

    /// The headline as a labelled line: `Verdict` and `DO NOT, 80 % sure`, or `No verdict` and why.
    pub fn labelled(&self, headline: fn(&Self) -> String) -> (&'static str, String) {
        match (&self.word, &self.no_verdict) {
            (None, Some(why)) => ("No verdict", why.clone()),
            _ => ("Verdict", headline(self)),
        }
    }

    /// The lines below the recommendation: label and text. A line without a value is left out.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, String)> {
        let ids = self.rests_on.as_ref().map(|ids| match ids.as_slice() {
            [] => "nothing".to_owned(),
            ids => ids.iter().map(Id::to_string).collect::<Vec<_>>().join(", "),
        });
        let ranking = (!self.ranking.is_empty()).then(|| self.ranking.join(", "));
        let (label, headline) = self.labelled(Self::headline);
        let lines = [
            ("Motion", self.motion.clone()),
            (label, Some(headline)),
            ("Depends on", self.depends_on.clone()),
            ("Ranking", ranking),
            ("Rests on", ids),
            ("Against it", self.against.clone()),
            ("Would flip if", self.flips_if.clone()),
            ("Still unknown", self.unknown.clone()),
        ];
        lines.into_iter().filter_map(|(label, text)| Some((label, text?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stated(lines: &str, among: &Alternatives) -> Verdict {
        let text = format!("```anvil\n{lines}\n```");
        Verdict::new(among, Some(&Synthesis::parse(&text, among)))
    }

    #[test]
    fn a_headline_says_how_sure_who_agrees_and_on_what_it_depends() {
        let none = Alternatives::default();
        for (lines, headline, whole) in [
            ("verdict: do", "DO", "DO"),
            ("verdict: do not\nconfidence: 80", "DO NOT, 80 % sure", "DO NOT, 80 % sure"),
            (
                "verdict: depends\nconfidence: 80\ndepends on: the p95 of June",
                "DEPENDS, 80 % sure",
                "DEPENDS, 80 % sure, on: the p95 of June",
            ),
            ("verdict: do\ndepends on: x", "DO", "DO"),
            (
                "verdict: do\nconfidence: 70\nconfidence range: 60 to 80\njudges: 2 of 3",
                "DO, 70 % sure (judges: 60 to 80 %), 2 of 3 judges",
                "DO, 70 % sure (judges: 60 to 80 %), 2 of 3 judges",
            ),
            (
                "verdict: do\nconfidence: 70\nconfidence range: 70 to 70",
                "DO, 70 % sure",
                "DO, 70 % sure",
            ),
            (
                "confidence: 70",
                "No verdict: the synthesis has no line \"verdict\"",
                "No verdict: the synthesis has no line \"verdict\"",
            ),
        ] {
            let verdict = stated(lines, &none);
            assert_eq!(
                (verdict.headline().as_str(), &*verdict.whole_headline()),
                (headline, whole)
            );
            let (label, text) = verdict.labelled(Verdict::whole_headline);
            assert_eq!(label == "No verdict", whole == format!("No verdict: {text}"), "{label}");
        }
        let names = vec!["Redis".to_owned(), "x".repeat(60)];
        let typed =
            Alternatives { names: names.clone(), are_typed: true, ..Alternatives::default() };
        assert_eq!(stated("verdict: redis", &typed).headline(), "Redis");
        let long = stated(&format!("verdict: {}", names[1]), &typed).headline();
        assert_eq!(long, format!("{}…", "x".repeat(40)));
    }

    #[test]
    fn nothing_leads_without_a_verdict_and_the_motion_is_the_debates() {
        let none = Alternatives::default();
        let lines = "motion: move\nrecommendation: Wait.";
        let open = stated(lines, &none);
        let decided = stated(&format!("{lines}\nverdict: do"), &none);
        assert_eq!((open.lead(), decided.lead()), (None, Some("Wait.")));
        let known = Alternatives { motion: Some("stay".to_owned()), ..none.clone() };
        let motion = |verdict: Verdict| verdict.motion;
        assert_eq!(motion(decided).as_deref(), Some("move"));
        assert_eq!(motion(stated(lines, &known)).as_deref(), Some("stay"));
        assert_eq!(motion(Verdict::new(&known, None)).as_deref(), Some("stay"));
        let labels = |verdict: &Verdict| verdict.lines().map(|line| line.0).collect::<Vec<_>>();
        let all = "motion: x\nverdict: depends\ndepends on: x\nrests on: nothing\nagainst: x\n\
            flips if: x\nunknown: x";
        let lines = ["Motion", "Verdict", "Depends on", "Rests on", "Against it", "Would flip if"];
        assert_eq!(labels(&stated(all, &none))[..6], lines);
        assert_eq!(labels(&stated("verdict: do", &none)), ["Verdict"]);
    }
}
