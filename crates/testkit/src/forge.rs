//! A forge and agents that are values, for a world in this process.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anvil_core::issue::NamedIssue;
use anvil_system::world::Programs;
use serde_json::{Value, json};

/// Most comments of a page.
const PAGE: usize = 100;

/// The way in which the forge fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    #[default]
    None,
    /// It refuses every request, as gh says it.
    Refuses(&'static str),
    /// It refuses every new comment, as gh says it.
    RefusesComments(&'static str),
    /// It takes the next text, and its answer is lost.
    LosesAnswer,
    /// It takes the next text later, and does not answer.
    IsLate,
    /// It has another text than it was given.
    Stores(&'static str),
    /// Each of its answers comes twice.
    AnswersTwice,
    /// It gives no scripts, so gh may alter its answers.
    HasNoScripts,
}

/// One issue. Every world of a test may reach it.
#[derive(Debug, Default)]
pub struct Issue {
    pub body: String,
    /// Author and text, by number. Without an author it is the token's own.
    pub comments: BTreeMap<u64, (Option<String>, String)>,
    /// Each request: its method and its path.
    pub asked: Vec<String>,
    pub fault: Fault,
    /// A text that is to arrive.
    pub late: Option<String>,
}

/// A forge with the issue 7 of octo/hello.
#[derive(Debug, Default)]
pub struct Forge(Mutex<Issue>);

impl Forge {
    pub fn new(body: &str) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Issue { body: body.to_owned(), ..Issue::default() })))
    }

    /// The issue, which no request changes until this is dropped.
    pub fn issue(&self) -> MutexGuard<'_, Issue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn body(&self) -> String {
        self.issue().body.clone()
    }

    pub fn set(&self, body: &str) {
        body.clone_into(&mut self.issue().body);
    }

    pub fn fails(&self, fault: Fault) {
        self.issue().fault = fault;
    }

    /// The texts of its comments, the oldest first.
    pub fn comments(&self) -> Vec<String> {
        self.issue().comments.values().map(|(_, text)| text.clone()).collect()
    }

    /// Somebody else writes a comment.
    pub fn comment(&self, author: &str, text: &str) {
        self.issue().add(Some(author.to_owned()), text.to_owned());
    }

    pub fn answer(&self, method: &str, path: &str, input: Option<&str>) -> Result<String, String> {
        self.issue().answer(method, path, input)
    }
}

/// The issue of the forge, named so that no git is asked.
pub fn the_issue() -> NamedIssue {
    NamedIssue { number: 7, repo: Some("github.com/octo/hello".to_owned()) }
}

impl Issue {
    fn add(&mut self, author: Option<String>, text: String) {
        let number = self.comments.keys().last().map_or(0, |last| last + 1);
        self.comments.insert(number, (author, text));
    }

    fn answer(&mut self, method: &str, path: &str, input: Option<&str>) -> Result<String, String> {
        self.asked.push(format!("{method} {path}"));
        if let Fault::Refuses(why) = self.fault {
            return Err(why.to_owned());
        }
        let input: Value = input.map_or(Value::Null, |text| serde_json::from_str(text).unwrap());
        let text = input["body"].as_str().unwrap_or_default().to_owned();
        let path = path.strip_prefix("repos/octo/hello/issues/").unwrap_or(path);
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let not_found = || "gh: Not Found (HTTP 404)".to_owned();
        let number = path.strip_prefix("comments/").and_then(|number| number.parse::<u64>().ok());
        match (method, path, number) {
            ("GET", "7", _) => Ok(self.answer_to(&json!({ "body": self.body }))),
            ("PATCH", "7", _) => self.write(text),
            ("GET", "7/comments", _) => {
                let page = query.split('&').find_map(|part| part.strip_prefix("page="));
                let page: usize = page.unwrap().parse().unwrap();
                let comment = |(author, text): &(Option<String>, String)| match author {
                    Some(author) => json!({ "body": text, "user": { "login": author } }),
                    None => json!({ "body": text }),
                };
                let all = self.comments.values().skip((page - 1) * PAGE).take(PAGE);
                Ok(self.answer_to(&all.map(comment).collect()))
            }
            ("POST", "7/comments", _) => {
                if let Fault::RefusesComments(why) = self.fault {
                    return Err(why.to_owned());
                }
                self.add(None, text);
                Ok("{}".to_owned())
            }
            ("PATCH", _, Some(number)) => {
                self.comments.get_mut(&number).ok_or_else(not_found)?.1 = text;
                Ok("{}".to_owned())
            }
            ("DELETE", _, Some(number)) => {
                self.comments.remove(&number).map(|_| String::new()).ok_or_else(not_found)
            }
            ("POST", "graphql", _) => {
                let node = |(number, (author, text)): (&u64, &(Option<String>, String))| json!({ "databaseId": number, "body": text, "viewerDidAuthor": author.is_none() });
                let nodes: Value = self.comments.iter().map(node).collect();
                let comments = json!({ "nodes": nodes, "pageInfo": { "hasNextPage": false } });
                let issue = json!({ "issueOrPullRequest": { "comments": comments } });
                Ok(json!({ "data": { "repository": issue } }).to_string())
            }
            _ => Err(not_found()),
        }
    }

    fn write(&mut self, text: String) -> Result<String, String> {
        let lost = Err("it printed nothing".to_owned());
        match self.fault {
            Fault::IsLate => {
                (self.late, self.fault) = (Some(text), Fault::None);
                return lost;
            }
            Fault::Stores(other) => other.clone_into(&mut self.body),
            _ => self.body = text,
        }
        if self.fault == Fault::LosesAnswer {
            self.fault = Fault::None;
            return lost;
        }
        Ok("{}".to_owned())
    }

    fn answer_to(&self, data: &Value) -> String {
        let script = format!("/**/anvil({})", json!({ "meta": { "status": 200 }, "data": data }));
        match self.fault {
            Fault::HasNoScripts => data.to_string(),
            Fault::AnswersTwice => script.repeat(2),
            _ => script,
        }
    }
}

/// An agent: its exit code and what it prints, for the words of its command and a prompt.
pub type Agent = dyn Fn(&[String], &str) -> (i32, String) + Send + Sync;

/// The programs of a world.
#[derive(Clone, Default)]
pub(crate) struct TestPrograms {
    pub forge: Arc<Forge>,
    pub agent: Option<Arc<Agent>>,
}

impl Programs for TestPrograms {
    fn forge(&self, method: &str, path: &str, input: Option<&str>) -> Result<String, String> {
        self.forge.answer(method, path, input)
    }

    fn agent(&self, command: &[OsString], prompt: &str) -> (i32, String) {
        let words: Vec<String> =
            command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let agent = self.agent.as_ref().unwrap_or_else(|| panic!("no agent: {words:?}"));
        agent(&words, prompt)
    }
}

impl fmt::Debug for TestPrograms {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("TestPrograms")
    }
}
