//! Reading and writing the body of an issue is linear.

#[path = "../../testkit/src/linear/states.rs"]
#[expect(unreachable_pub, reason = "the file is also part of another crate")]
mod states;

pub(crate) use states::States as Sample;
pub(crate) use testkit::calls;
pub(crate) use testkit::linear::check;

pub(crate) type Call = testkit::linear::Call<Sample>;

fn all() -> Vec<Call> {
    crate::issue_body::linear::calls()
}

const EXEMPT: &testkit::linear::Exempt = &[
    (
        "looks at no text: it gives back, moves or changes a field",
        &[
            "BodyError::hint",
            "BlockDocument::into_json",
            "FoundBlock::inner",
            "PortableDebate::state",
        ],
    ),
    (
        "called for each entry, by what is called here",
        &["BlockDocument::block", "issue_body::sections::body_of"],
    ),
];

testkit::check_every_call!(all(), &["issue_body"], EXEMPT);
